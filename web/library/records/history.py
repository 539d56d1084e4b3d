"""Commits, and what they changed."""

from dataclasses import dataclass
from datetime import datetime

from web.library.records.freshness import Freshness


@dataclass(frozen=True, slots=True)
class CommitSummary:
    """One commit: full id, author's name, instant, first line of the message."""

    commit: str
    author: str
    committed_at: datetime
    subject: str


@dataclass(frozen=True, slots=True)
class CommitListing:
    """One page of history, newest first.

    `walked_count` commits were looked at for this page; `is_complete` is false when the walk met
    its bound before it found enough, and `next_cursor` goes on. `lacks_history` says of the last
    page that older commits are not in the repository's copy.
    """

    commits: tuple[CommitSummary, ...]
    walked_count: int
    is_complete: bool
    next_cursor: str | None
    freshness: Freshness
    lacks_history: bool = False


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that a commit changed. `status` is added, deleted, modified, renamed or copied.

    `old_path` is set for renames and copies. `patch` is the unified diff, cut at a whole line when
    `is_cut`; empty for a binary file, where the room for patches ended, and for an unreadable file,
    one of whose versions is not in the repository's copy.
    """

    path: str
    old_path: str
    status: str
    added_lines: int
    deleted_lines: int
    is_binary: bool
    patch: str
    is_cut: bool
    is_unreadable: bool = False


@dataclass(frozen=True, slots=True)
class CommitDetail:
    """A commit: its message and what it changed against its first parent.

    `file_count`, `added_lines` and `deleted_lines` are of the whole commit. `matching_count` of its
    files are at or below `path`, all of them for an empty one; `files` holds the first of those by
    path, at most a bound. With `lacks_parent` nothing is known of them: the repository's copy has
    not the first parent.
    """

    repository: str
    summary: CommitSummary
    message: str
    parents: tuple[str, ...]
    file_count: int
    added_lines: int
    deleted_lines: int
    files: tuple[ChangedFile, ...]
    url: str
    freshness: Freshness
    path: str = ""
    matching_count: int = 0
    lacks_parent: bool = False
