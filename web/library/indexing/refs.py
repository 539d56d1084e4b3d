"""Which refs of a repository are indexed: its default branch, and those it is told to track."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase

from web.library.git.fetch import HEAD_REF
from web.library.git.objects import ObjectStore
from web.library.git.remotes import RemoteRefs, ref_text
from web.library.models import Ref, RefKind

_PREFIXES = {RefKind.BRANCH: "refs/heads/", RefKind.TAG: "refs/tags/"}
_USUAL_DEFAULTS = ("main", "master", "trunk", "develop")
_LONGEST_NAME = 255
DETACHED = "HEAD"


@dataclass(frozen=True, slots=True)
class WantedRef:
    """A ref that is to be indexed, at the commit it has in the mirror."""

    name: str
    kind: RefKind
    commit: str
    committed_at: datetime
    is_default: bool = False


def mirrored_refs(store: ObjectStore) -> RemoteRefs:
    """Return what a mirror has, as its remote listed it at the last fetch.

    A mirror does not keep the name of the default branch; it is the one that is indexed as such.
    """
    refs = store.refs()
    default = Ref.objects.filter(repository=store.repository_id, is_default=True).first()
    is_named = default is not None and default.name != DETACHED
    prefix = _PREFIXES[RefKind.BRANCH]
    return RemoteRefs(
        objects={name: oid for name, oid in refs.items() if name != HEAD_REF},
        head=refs.get(HEAD_REF, ""),
        head_branch=f"{prefix}{default.name}" if default is not None and is_named else "",
    )


def wanted_refs(
    store: ObjectStore, remote: RemoteRefs, *, patterns: Sequence[str], newest: int
) -> tuple[WantedRef, ...]:
    """Return the default branch first, then the matching tags and branches, newest first.

    A detached HEAD, as in a checkout made for a build, is a branch named HEAD. Empty when no ref
    leads to a commit.
    """
    commits = store.refs()
    default = _default(store, commits, remote)
    if default is None:
        return ()
    others = [
        _wanted(store, name, kind, commit)
        for kind, name, commit in _matching(commits, patterns)
        if (kind, name) != (default.kind, default.name)
    ]
    others.sort(key=lambda ref: (-ref.committed_at.timestamp(), ref.kind, ref.name))
    return (default, *others[:newest])


def tracked_names(remote: RemoteRefs, *, patterns: Sequence[str]) -> list[str]:
    """Return the full names, as the remote lists them, of all refs that may be indexed."""
    names = {ref_text(name.encode("utf-8", "surrogateescape")): name for name in remote.objects}
    found = {name for _, _, name in _matching(names, patterns)}
    if remote.head_branch in names:
        found.add(names[remote.head_branch])
    elif not remote.head:
        found.update(name for _, _, name in _matching(names, [f"{_PREFIXES[RefKind.BRANCH]}*"]))
    return sorted(found)


def unmatched_patterns(store: ObjectStore, *, patterns: Sequence[str]) -> tuple[str, ...]:
    """Return the patterns that no tag or branch of the mirror matches, which may be misspelled."""
    refs = store.targets()
    return tuple(pattern for pattern in patterns if not _matching(refs, [pattern]))


def _default(
    store: ObjectStore, commits: Mapping[str, str], remote: RemoteRefs
) -> WantedRef | None:
    """Return what HEAD stands for; without a usable HEAD a usual name, else the newest branch."""
    branches = _short_names(commits, RefKind.BRANCH)
    head_name = remote.head_branch.removeprefix(_PREFIXES[RefKind.BRANCH])
    if remote.head_branch and head_name in branches:
        name, commit = head_name, branches[head_name]
    elif HEAD_REF in commits:
        name, commit = DETACHED, commits[HEAD_REF]
    elif branches:
        usual = [name for name in _USUAL_DEFAULTS if name in branches]
        name = usual[0] if usual else max(branches, key=lambda n: _age_key(store, branches[n], n))
        commit = branches[name]
    else:
        return None
    return _wanted(store, name, RefKind.BRANCH, commit, is_default=True)


def _age_key(store: ObjectStore, commit: str, name: str) -> tuple[datetime, str]:
    return store.commit(commit).committed_at, name


def _matching(
    commits: Mapping[str, str], patterns: Sequence[str]
) -> list[tuple[RefKind, str, str]]:
    """Return the tags and branches whose short or full name matches any of the patterns."""
    return [
        (kind, name, commit)
        for kind in (RefKind.TAG, RefKind.BRANCH)
        for name, commit in _short_names(commits, kind).items()
        if any(_is_meant(name, kind, pattern) for pattern in patterns)
    ]


def _is_meant(name: str, kind: RefKind, pattern: str) -> bool:
    return fnmatchcase(name, pattern) or fnmatchcase(_PREFIXES[kind] + name, pattern)


def _short_names(commits: Mapping[str, str], kind: RefKind) -> dict[str, str]:
    prefix = _PREFIXES[kind]
    return {
        full.removeprefix(prefix): commit
        for full, commit in commits.items()
        if full.startswith(prefix) and len(full) - len(prefix) <= _LONGEST_NAME
    }


def _wanted(
    store: ObjectStore, name: str, kind: RefKind, commit: str, *, is_default: bool = False
) -> WantedRef:
    committed_at = store.commit(commit).committed_at
    return WantedRef(name, kind, commit, committed_at, is_default)
