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
    """A definition: `signature` is its first line of source; `scope` the enclosing names, dotted."""

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
