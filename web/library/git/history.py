"""Walking a mirror's history and comparing commits, through the object store alone."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

import pygit2
from pygit2.enums import DeltaStatus, DiffFlag

from web.core.errors import Unavailable
from web.library.git.objects import CommitWalk, ObjectStore, commit_text, parents_of, summary_of
from web.library.git.paths import path_bytes, path_text
from web.library.records.history import ChangedFile, CommitSummary

Reading = Callable[[str], Callable[[bytes], str]]
"""Return, for the id of a blob, what makes text of bytes that it holds."""

_STATUS = {
    DeltaStatus.ADDED: "added",
    DeltaStatus.DELETED: "deleted",
    DeltaStatus.RENAMED: "renamed",
    DeltaStatus.COPIED: "copied",
}
_MISSING = (KeyError, pygit2.GitError)  # what pygit2 raises for an object that is not there
_ISO_2022 = b"\x1b$"  # Japanese, in bytes that are ASCII


@dataclass(frozen=True, slots=True)
class WalkedCommit:
    """A commit of a walk; `author_line` is the author's name and address."""

    summary: CommitSummary
    author_line: str


@dataclass(frozen=True, slots=True)
class Change:
    """What a commit changed against its first parent, or against nothing.

    `matching_count` of its `file_count` files are at or below the path that was asked for. There
    are none with `lacks_parent`: the mirror has not the parent, or a folder of either.
    """

    commit: WalkedCommit
    message: str
    parents: tuple[str, ...]
    file_count: int
    matching_count: int
    added_lines: int
    deleted_lines: int
    files: tuple[ChangedFile, ...]
    lacks_parent: bool


class History:
    """A commit and the ones before it, newest first, each with whether it passes the filters.

    `path`, as `path_text` shows it and empty for any, passes commits in which it differs from the
    first parent. The first `skip` commits are passed over unread. The walk ends at the first commit
    before `since`, and where older ones are not in the mirror, which `lacks_history` says then.
    Raises Unavailable when the mirror or the commit is missing.
    """

    def __init__(
        self, store: ObjectStore, *, commit: str, path: str, since: datetime | None, skip: int
    ) -> None:
        self.lacks_history = False
        self._store = store
        self._commit = commit
        self._path = path
        self._since = since
        self._skip = skip

    def __iter__(self) -> Iterator[tuple[WalkedCommit, bool]]:
        """Walk from the newest commit on."""
        with self._store.opened_apart() as repository:
            if not isinstance(repository.get(self._commit), pygit2.Commit):
                raise Unavailable("The repository's copy does not have this commit.")
            walk = CommitWalk(repository, self._commit)
            for number, found in enumerate(walk):
                if self._since is not None and found.commit_time < self._since.timestamp():
                    return
                if number >= self._skip:
                    yield _walked(found), not self._path or _touches(found, self._path)
            self.lacks_history = walk.lacks_history


def change_of(
    store: ObjectStore,
    *,
    commit: str,
    path: str,
    max_files: int,
    max_characters: int,
    reading: Reading,
) -> Change:
    """Return what a commit changed: its first `max_files` files, with patches of `max_characters`.

    Only files at or below `path`, as `path_text` shows it, are among them; empty for all. Lines
    that are not UTF-8 are read as `reading` says of the file that has them. Patches are cut at
    whole lines. A file whose blob the mirror lacks is unreadable, and its lines are not counted.
    Raises Unavailable when the mirror lacks the commit.
    """
    with store.opened_apart() as repository:
        found = repository.get(commit)
        if not isinstance(found, pygit2.Commit):
            raise Unavailable("The repository's copy does not have this commit.")
        parents = parents_of(repository, found)
        diff = _difference(repository, found, has_parents=bool(parents))
        deltas = list(diff.deltas) if diff else []
        wanted = [number for number, delta in enumerate(deltas) if _is_below(delta, path)]
        files = []
        room = max_characters
        for number in wanted[:max_files]:
            patch = _patch(diff, number)
            file = _changed(patch, room, reading) if patch else _unreadable(deltas[number])
            room -= len(file.patch)
            files.append(file)
        added, deleted = _line_counts(diff) if diff else (0, 0)
        return Change(
            commit=_walked(found),
            message=commit_text(found, found.raw_message).strip("\n"),
            parents=parents,
            file_count=len(deltas),
            matching_count=len(wanted),
            added_lines=added,
            deleted_lines=deleted,
            files=tuple(files),
            lacks_parent=diff is None,
        )


def _is_below(delta: pygit2.DiffDelta, path: str) -> bool:
    names = (_path(delta.new_file.raw_path), _path(delta.old_file.raw_path))
    return not path or any(name == path or name.startswith(f"{path}/") for name in names)


def _difference(
    repository: pygit2.Repository, commit: pygit2.Commit, *, has_parents: bool
) -> pygit2.Diff | None:
    """Compare a commit with its first parent, or with nothing; None where either is not there."""
    if has_parents and not commit.parent_ids:  # a shallow copy ends here
        return None
    try:
        if has_parents:
            diff = repository.diff(commit.parents[0], commit)
        else:
            diff = commit.tree.diff_to_tree(swap=True)
    except _MISSING:
        return None
    with suppress(*_MISSING):
        diff.find_similar()
    return diff


def _patch(diff: pygit2.Diff, number: int) -> pygit2.Patch | None:
    """Return how a file was changed; None where one of its blobs is not there."""
    try:
        return diff[number]
    except _MISSING:
        return None


def _line_counts(diff: pygit2.Diff) -> tuple[int, int]:
    """Return how many lines were added and deleted in the files that can be read."""
    try:
        return diff.stats.insertions, diff.stats.deletions
    except _MISSING:
        patches = [_patch(diff, number) for number in range(len(diff))]
        counts = [patch.line_stats for patch in patches if patch is not None]
        return sum(added for _, added, _ in counts), sum(deleted for *_, deleted in counts)


def _unreadable(delta: pygit2.DiffDelta) -> ChangedFile:
    return ChangedFile(
        path=_path(delta.new_file.raw_path),
        old_path="",
        status=_STATUS.get(delta.status, "modified"),
        added_lines=0,
        deleted_lines=0,
        is_binary=False,
        patch="",
        is_cut=False,
        is_unreadable=True,
    )


def _changed(patch: pygit2.Patch, room: int, reading: Reading) -> ChangedFile:
    delta = patch.delta
    _, added, deleted = patch.line_stats
    is_binary = bool(delta.flags & DiffFlag.BINARY)
    text = "" if is_binary else _text(patch, reading).replace("\0", "")
    cut = text[:room].rpartition("\n")[0] if len(text) > room else text
    status = _STATUS.get(delta.status, "modified")
    return ChangedFile(
        path=_path(delta.new_file.raw_path),
        old_path=_path(delta.old_file.raw_path) if status in {"renamed", "copied"} else "",
        status=status,
        added_lines=added,
        deleted_lines=deleted,
        is_binary=is_binary,
        patch=cut,
        is_cut=len(cut) < len(text),
    )


def _text(patch: pygit2.Patch, reading: Reading) -> str:
    """Return a patch as text; its two files may be of two charsets."""
    data = patch.data
    if _ISO_2022 not in data:
        with suppress(UnicodeDecodeError):
            return data.decode()
    head, begin, hunks = data.partition(b"\n@@ ")
    old, new = (reading(str(file.id)) for file in (patch.delta.old_file, patch.delta.new_file))
    lines = (begin + hunks).split(b"\n")
    shown = [old(line) if line.startswith(b"-") else new(line) for line in lines]
    return head.decode("utf-8", "replace") + "\n".join(shown)


def _path(raw: bytes | None) -> str:
    return path_text(raw or b"")


def _touches(commit: pygit2.Commit, path: str) -> bool:
    try:
        parents = commit.parents
        return _at(commit, path) != (_at(parents[0], path) if parents else None)
    except _MISSING:  # the parent is beyond a shallow copy
        return True


def _at(commit: pygit2.Commit, path: str) -> str | None:
    """Return the id of what stands at a path of a commit, None for nothing."""
    try:
        return str(commit.tree[path_bytes(path).decode("utf-8", "surrogateescape")].id)
    except (KeyError, ValueError):
        return None


def _walked(commit: pygit2.Commit) -> WalkedCommit:
    author = commit.author
    line = commit_text(commit, author.raw_name + b" " + author.raw_email)
    return WalkedCommit(summary_of(commit), line)
