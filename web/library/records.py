"""What the library's services and selectors return: frozen records, never models or querysets.

Lines count from 1. Instants are aware and in UTC. Text is as it stands in the repository, decoded,
NUL removed; whoever shows it escapes invisible characters and marks it as untrusted.
"""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Freshness:
    """Which state of a repository an answer speaks of.

    `commit` is the full id of the indexed commit, empty for a repository without a commit or not
    indexed yet. `stale_since` is set while syncing fails; `stale_reason` says why.
    """

    repository: str
    ref: str
    commit: str
    committed_at: datetime | None
    indexed_at: datetime | None
    stale_since: datetime | None = None
    stale_reason: str = ""


@dataclass(frozen=True, slots=True)
class RepositorySummary:
    """A repository in a list. `languages` are (name, files), most files first."""

    name: str
    title: str
    description: str
    visibility: str
    default_branch: str
    refs: tuple[str, ...]
    freshness: Freshness
    file_count: int
    indexed_file_count: int
    document_count: int
    languages: tuple[tuple[str, int], ...]
    skipped: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class CommitSummary:
    """One commit: full id, author's name, instant, first line of the message."""

    commit: str
    author: str
    committed_at: datetime
    subject: str


@dataclass(frozen=True, slots=True)
class RepositoryOverview:
    """What to know first: `readme` is its start, `layout` the top folders with file counts."""

    summary: RepositorySummary
    readme_path: str
    readme: str
    readme_is_truncated: bool
    layout: tuple[tuple[str, int], ...]
    documents: tuple[tuple[str, str], ...]  # (path, title), at most a handful
    recent_commits: tuple[CommitSummary, ...]
    recent_tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CodePlace:
    """A place in code: `lines` are consecutive and start at `start_line`.

    `definition` is the dotted name of the definition around it, `kind` what it is (function,
    class ...), both empty outside of one. `matched_lines` are the line numbers that hold a word of
    the query. `url` leads to the file on the web, empty when unknown.
    """

    repository: str
    ref: str
    commit: str
    path: str
    language: str
    start_line: int
    lines: tuple[str, ...]
    matched_lines: tuple[int, ...]
    definition: str
    kind: str
    url: str
    other_line_numbers: tuple[int, ...] = ()  # further matching places of the same file
    copies: int = 0  # further paths, here or in other repositories, with the very same file


@dataclass(frozen=True, slots=True)
class CodeSearchResult:
    """One page of places, best first, at most one per file.

    `interpretation` says how the query was read where that is not literal (`symbol:`, `path:`);
    `hints` what to try when nothing or little was found. `total_count` counts files, as far as the
    search looked (`total_is_exact` false when there may be more).
    """

    places: tuple[CodePlace, ...]
    total_count: int
    total_is_exact: bool
    next_cursor: str | None
    freshness: tuple[Freshness, ...]
    interpretation: str = ""
    hints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SymbolPlace:
    """A definition: `signature` is its first line, `scope` the enclosing names, dotted."""

    repository: str
    ref: str
    commit: str
    path: str
    name: str
    kind: str
    scope: str
    line: int
    end_line: int
    signature: str
    url: str


@dataclass(frozen=True, slots=True)
class SymbolSearchResult:
    """Definitions, exact names before prefixes before parts."""

    symbols: tuple[SymbolPlace, ...]
    total_count: int
    total_is_exact: bool
    freshness: tuple[Freshness, ...]
    hints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SectionPlace:
    """A section of a document. `trail` are the headings above it, outermost first."""

    repository: str
    ref: str
    commit: str
    path: str
    title: str
    trail: tuple[str, ...]
    heading: str
    anchor: str
    start_line: int
    end_line: int
    excerpt: str
    url: str
    copies: int = 0  # further paths with the very same document


@dataclass(frozen=True, slots=True)
class DocumentSearchResult:
    """One page of sections, best first, at most one per document."""

    sections: tuple[SectionPlace, ...]
    total_count: int
    total_is_exact: bool
    next_cursor: str | None
    freshness: tuple[Freshness, ...]
    interpretation: str = ""
    hints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileItem:
    """A row of a listing: a folder (`kind` "folder", `file_count` files below) or a file.

    `kind` of a file is file, symlink, submodule, lfs_pointer or binary; `note` says why it is not
    indexed or where a link points, empty otherwise.
    """

    path: str
    kind: str
    size: int
    language: str
    note: str
    file_count: int = 0


@dataclass(frozen=True, slots=True)
class FileListing:
    """One page of a folder or of the files that match a glob, folders first, then by path."""

    items: tuple[FileItem, ...]
    total_count: int
    next_cursor: str | None
    freshness: Freshness


@dataclass(frozen=True, slots=True)
class FileLines:
    """Lines of a file. `total_lines` agrees with `git grep -c ''`.

    For what has no lines (`kind` symlink, submodule, lfs_pointer, binary) `lines` is empty and
    `note` says what it is. Lines over the bound are cut and listed in `cut_lines`.
    """

    path: str
    kind: str
    size: int
    language: str
    encoding: str
    start_line: int
    lines: tuple[str, ...]
    total_lines: int
    cut_lines: tuple[int, ...]
    note: str
    url: str
    freshness: Freshness


@dataclass(frozen=True, slots=True)
class DocumentItem:
    """A document in the table of contents."""

    repository: str
    path: str
    title: str
    format: str
    section_count: int


@dataclass(frozen=True, slots=True)
class DocumentListing:
    """One page of documents by repository and path."""

    documents: tuple[DocumentItem, ...]
    total_count: int
    next_cursor: str | None
    freshness: tuple[Freshness, ...]


@dataclass(frozen=True, slots=True)
class SectionItem:
    """A section in a document's own table of contents."""

    heading: str
    anchor: str
    level: int
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A document, or one section of it with its subsections.

    `next_start_line` is where to go on when the text met the bound, else None.
    """

    path: str
    title: str
    format: str
    trail: tuple[str, ...]
    heading: str
    anchor: str
    start_line: int
    end_line: int
    total_lines: int
    text: str
    sections: tuple[SectionItem, ...]
    next_start_line: int | None
    url: str
    freshness: Freshness


@dataclass(frozen=True, slots=True)
class MatchingFile:
    """A file with lines that match a pattern. `lines` are (number, text), in order.

    `line_count` counts all matching lines of the file, also those that are not shown.
    """

    path: str
    language: str
    lines: tuple[tuple[int, str], ...]
    line_count: int
    url: str


@dataclass(frozen=True, slots=True)
class PatternMatches:
    """One page of the files that match a pattern, by path.

    `searched_count` of `file_count` files were looked at for this page and the ones before it;
    `next_cursor` goes on with the rest. `skipped_count` files of the ref are not indexed and were
    not looked at, `unreadable_count` could not be read now.
    """

    files: tuple[MatchingFile, ...]
    searched_count: int
    file_count: int
    skipped_count: int
    unreadable_count: int
    next_cursor: str | None
    freshness: Freshness


@dataclass(frozen=True, slots=True)
class CommitListing:
    """One page of history, newest first.

    `walked_count` commits were looked at for this page; `is_complete` is false when the walk met
    its bound before it found enough, and `next_cursor` goes on.
    """

    commits: tuple[CommitSummary, ...]
    walked_count: int
    is_complete: bool
    next_cursor: str | None
    freshness: Freshness


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that a commit changed. `status` is added, deleted, modified, renamed or copied.

    `old_path` is set for renames and copies. `patch` is the unified diff, cut at a whole line when
    `is_cut`; empty for a binary file and where the room for patches ended.
    """

    path: str
    old_path: str
    status: str
    added_lines: int
    deleted_lines: int
    is_binary: bool
    patch: str
    is_cut: bool


@dataclass(frozen=True, slots=True)
class CommitDetail:
    """A commit: its message and what it changed against its first parent.

    `file_count`, `added_lines` and `deleted_lines` are of the whole commit; `files` holds the first
    files by path, at most a bound.
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


@dataclass(frozen=True, slots=True)
class Source:
    """Something that is read again and again: a repository, a documentation site or a feed.

    `state` is stale (it cannot be read since `stale_since`, because of `reason`), old (nobody read
    it for longer than max_source_age_hours), new (never read), paused (a feed that is switched off)
    or fresh. `activity` is empty, queued, or how far the sync is that goes on. `name` is the
    repository's name; a feed has its title. `next_at` is set where it will be read by itself.
    """

    kind: str
    name: str
    address: str
    state: str
    activity: str
    read_at: datetime | None
    stale_since: datetime | None
    reason: str
    next_at: datetime | None


@dataclass(frozen=True, slots=True)
class SourceListing:
    """One page of sources, those that need somebody first; `states` counts all by state."""

    sources: tuple[Source, ...]
    total_count: int
    states: tuple[tuple[str, int], ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class SyncRequested:
    """A sync that waits for a worker: `is_new` False when it did already.

    `waiting_count` tasks of all kinds wait, this one included; `running_since` is set while an
    earlier sync of the same repository goes on; `page` is where a person watches it.
    """

    repository: str
    is_new: bool
    waiting_count: int
    running_since: datetime | None
    page: str
