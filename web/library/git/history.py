"""Walking a mirror's history and comparing commits, through the object store alone."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

import pygit2
from pygit2.enums import DeltaStatus, DiffFlag

from web.core.errors import Unavailable
from web.library.git.objects import ObjectStore, commit_text, commits_from, summary_of
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
_ISO_2022 = b"\x1b$"  # Japanese, in bytes that are ASCII


@dataclass(frozen=True, slots=True)
class WalkedCommit:
    """A commit of a walk; `author_line` is the author's name and address."""

    summary: CommitSummary
    author_line: str


@dataclass(frozen=True, slots=True)
class Change:
    """What a commit changed against its first parent, or against nothing.

    `matching_count` of its `file_count` files are at or below the path that was asked for.
    """

    commit: WalkedCommit
    message: str
    parents: tuple[str, ...]
    file_count: int
    matching_count: int
    added_lines: int
    deleted_lines: int
    files: tuple[ChangedFile, ...]


def history(
    store: ObjectStore, *, commit: str, path: str, since: datetime | None, skip: int
) -> Iterator[tuple[WalkedCommit, bool]]:
    """Yield `commit` and the ones before it, newest first, and whether each passes the filters.

    `path`, as `path_text` shows it and empty for any, passes commits in which it differs from the
    first parent. The first `skip` commits are passed over unread. The walk ends at the first commit
    before `since`, and where a shallow copy ends. Raises Unavailable when the mirror or the commit
    is missing.
    """
    with store.opened_apart() as repository:
        if not isinstance(repository.get(commit), pygit2.Commit):
            raise Unavailable("The repository's copy does not have this commit.")
        for number, found in enumerate(commits_from(repository, commit)):
            if since is not None and found.commit_time < since.timestamp():
                return
            if number >= skip:
                yield _walked(found), not path or _touches(found, path)


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
    whole lines. Raises Unavailable when the mirror lacks an object.
    """
    with store.opened_apart() as repository:
        found = repository.get(commit)
        if not isinstance(found, pygit2.Commit):
            raise Unavailable("The repository's copy does not have this commit.")
        diff = _difference(repository, found)
        wanted = [number for number, delta in enumerate(diff.deltas) if _is_below(delta, path)]
        files = []
        room = max_characters
        for number in wanted[:max_files]:
            file = _changed(diff[number], room, reading)
            room -= len(file.patch)
            files.append(file)
        stats = diff.stats
        return Change(
            commit=_walked(found),
            message=commit_text(found, found.raw_message).strip("\n"),
            parents=tuple(str(parent) for parent in found.parent_ids),
            file_count=stats.files_changed,
            matching_count=len(wanted),
            added_lines=stats.insertions,
            deleted_lines=stats.deletions,
            files=tuple(files),
        )


def _is_below(delta: pygit2.DiffDelta, path: str) -> bool:
    names = (_path(delta.new_file.raw_path), _path(delta.old_file.raw_path))
    return not path or any(name == path or name.startswith(f"{path}/") for name in names)


def _difference(repository: pygit2.Repository, commit: pygit2.Commit) -> pygit2.Diff:
    if commit.parents:
        diff = repository.diff(commit.parents[0], commit)
    else:
        diff = commit.tree.diff_to_tree(swap=True)
    diff.find_similar()
    return diff


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
    except (KeyError, pygit2.GitError):  # the parent is beyond a shallow copy
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
