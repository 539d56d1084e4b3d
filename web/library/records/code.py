"""Places in code: what a search, a name or a pattern finds."""

from dataclasses import dataclass

from web.library.records.freshness import Freshness


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
    `next_cursor` goes on with the rest. `skipped_count` files that were meant are not indexed and
    were not looked at, `unreadable_count` could not be read now. `hints` say why there was no file
    to search.
    """

    files: tuple[MatchingFile, ...]
    searched_count: int
    file_count: int
    skipped_count: int
    unreadable_count: int
    next_cursor: str | None
    freshness: Freshness
    hints: tuple[str, ...] = ()
