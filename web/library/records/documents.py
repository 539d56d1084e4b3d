"""Documents: their sections, found or listed, and their text."""

from dataclasses import dataclass

from web.library.records.freshness import Freshness


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
