"""The place in a file that a search shows: which lines, and what is defined around them.

Only the files of the shown page come here.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from web.library.search.boilerplate import IMPORTS, first_line_of_code, header_end
from web.library.search.evidence import RankedFile
from web.library.search.names import BODY_KINDS, SymbolRow, wanted_name
from web.library.search.plan import Plan
from web.library.search.query import Query
from web.library.search.reading import Window, WordsOfQuery, best_window, lines_of_contents
from web.library.search.scope import Scope
from web.library.search.tokens import stem

SHOWN_LINES = 12
LINES_ABOVE = 2
MAX_OTHER_PLACES = 5
MAX_NAMED_LINES = 20
EXCERPT_LINES = 10
# Chunks that are looked at until one says something besides what it imports.
COMPARED_CHUNKS = 3


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A chunk as the tables hold it."""

    chunk_id: int
    start_line: int
    end_line: int
    heading: str
    trail: tuple[str, ...]
    anchor: str


@dataclass(frozen=True, slots=True)
class CodeLines:
    """Lines of code, none when the mirror lacks them; `symbol` is the definition around them."""

    start_line: int
    lines: tuple[str, ...]
    matched_lines: tuple[int, ...]
    symbol: SymbolRow | None
    other_line_numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SectionLines:
    """The section of a document that fits, with the lines in it that fit best."""

    chunk: ChunkRow | None
    title: str
    lines: tuple[str, ...]


def code_lines(
    files: Sequence[RankedFile], query: Query, plan: Plan, scope: Scope
) -> list[CodeLines]:
    """Return for each file the lines to show: the definition asked for, or its best lines."""
    words = _shown_words(query, plan)
    parts = WordsOfQuery(plan.all_weights) if query.is_name else words
    lines = lines_of_contents([file.content_id for file in files], scope)
    chunks = _chunks([file.chunk_ids[: MAX_OTHER_PLACES + 1] for file in files])
    named = [_named_lines(query, lines.get(file.content_id, [])) for file in files]
    views = [
        _view(file, lines.get(file.content_id, []), of_file, words if naming else parts)
        for file, of_file, naming in zip(files, chunks, named, strict=True)
    ]
    symbols = _symbols_at([view.around for view in views])
    return [
        CodeLines(
            start_line=view.start,
            lines=view.lines,
            matched_lines=tuple(view.start + offset for offset in words.in_lines(view.lines)),
            symbol=symbol,
            other_line_numbers=_other_lines(
                naming if query.is_name else [chunk.start_line for chunk in of_file[1:]],
                shown=(view.start, view.end),
            ),
        )
        for view, of_file, naming, symbol in zip(views, chunks, named, symbols, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _View:
    """The lines of a file that are shown, and the one that is meant."""

    content_id: int
    start: int
    focus: int
    lines: tuple[str, ...]

    @property
    def end(self) -> int:
        """The last line that is shown."""
        return self.start + max(len(self.lines) - 1, 0)

    @property
    def around(self) -> tuple[int, int, int]:
        """What decides which definition the lines belong to: the content, the focus, the end."""
        return self.content_id, self.focus, self.end


def _view(
    file: RankedFile, lines: Sequence[str], chunks: Sequence[ChunkRow], words: WordsOfQuery
) -> _View:
    is_definition = file.line is not None and file.line_gain >= file.chunk_gain
    if is_definition:
        focus = file.line or 1
        start = _with_lines_above(lines, focus)
    elif chunks:
        chunk, window = _best_place(lines, chunks, words)
        focus = window.best_line
        top = header_end(lines) + 1 if chunk.start_line == 1 else chunk.start_line
        start = min(max(top, window.first_line - LINES_ABOVE), window.first_line)
        while start < window.first_line and not lines[start - 1].strip():
            start += 1
    else:
        focus = start = first_line_of_code(lines, header_end(lines) + 1, len(lines))
    shown = _without_blank_end(lines[start - 1 : start - 1 + SHOWN_LINES])
    return _View(file.content_id, start, focus, shown)


def _best_place(
    lines: Sequence[str], chunks: Sequence[ChunkRow], words: WordsOfQuery
) -> tuple[ChunkRow, Window]:
    """Return the best chunk with its best lines; another one where those only import names.

    Imports and a licence are shown where nothing else has a word, else the first line of code.
    """
    size = SHOWN_LINES - LINES_ABOVE
    for chunk in chunks[:COMPARED_CHUNKS]:
        start, end = _without_header(lines, chunk)
        window = best_window(lines, start, end, words, size=size, passed=IMPORTS)
        if window.weight > 0:
            return chunk, window
    chunk = chunks[0]
    start, end = _without_header(lines, chunk)
    window = best_window(lines, chunk.start_line, end, words, size=size)
    if not window.weight:
        first = first_line_of_code(lines, start, end)
        window = Window(first, first, 0.0)
    return chunk, window


def _without_header(lines: Sequence[str], chunk: ChunkRow) -> tuple[int, int]:
    """Return the first and the last line of a chunk, after a comment about the file's licence."""
    end = min(chunk.end_line, len(lines))
    start = chunk.start_line if chunk.start_line > 1 else header_end(lines) + 1
    return (start, end) if start <= end else (chunk.start_line, end)


def section_lines(
    files: Sequence[RankedFile], words: WordsOfQuery, scope: Scope
) -> list[SectionLines]:
    """Return for each document the section to show and its lines that say most of the query."""
    lines = lines_of_contents([file.content_id for file in files], scope)
    chunks = _chunks([file.chunk_ids[:1] for file in files])
    titles = _titles([file.content_id for file in files])
    return [
        SectionLines(
            of_file[0] if of_file else None,
            titles.get(file.content_id, ""),
            _excerpt(lines.get(file.content_id, []), of_file[0], words) if of_file else (),
        )
        for file, of_file in zip(files, chunks, strict=True)
    ]


def _excerpt(lines: Sequence[str], chunk: ChunkRow, words: WordsOfQuery) -> tuple[str, ...]:
    last = min(chunk.end_line, len(lines))
    window = best_window(lines, chunk.start_line, last, words, size=EXCERPT_LINES)
    start = max(chunk.start_line, window.first_line - 1)
    return _without_blank_end(lines[start - 1 : min(last, start - 1 + EXCERPT_LINES)])


def _shown_words(query: Query, plan: Plan) -> WordsOfQuery:
    """Return the words that count as matches in a line: of a name it alone, not its parts."""
    if not query.is_name:
        return WordsOfQuery(plan.weights)
    names = {stem(wanted_name(name).folded) for name in query.names}
    is_searched = bool(names & plan.all_weights.keys())
    return WordsOfQuery(dict.fromkeys(names, 1.0) if is_searched else plan.all_weights)


def _with_lines_above(lines: Sequence[str], line: int) -> int:
    """Return where to begin to show a definition: with its decorators or attributes."""
    start = line
    while start > max(1, line - 3) and lines[start - 2 : start - 1]:
        above = lines[start - 2].strip()
        if not above.startswith(("@", "#[", "[", "template")):
            break
        start -= 1
    return start


def _without_blank_end(lines: Sequence[str]) -> tuple[str, ...]:
    end = len(lines)
    while end > 1 and not lines[end - 1].strip():
        end -= 1
    return tuple(lines[:end])


def _other_lines(found: Sequence[int], *, shown: tuple[int, int]) -> tuple[int, ...]:
    """Return the lines to look at besides those that are shown, in order."""
    first, last = shown
    return tuple(sorted({line for line in found if not first <= line <= last}))[:MAX_NAMED_LINES]


def _named_lines(query: Query, lines: Sequence[str]) -> list[int]:
    """Return where the name stands that the query is, none for other queries."""
    if not query.is_name:
        return []
    name = wanted_name(query.names[0]).folded if query.names else query.text.lower()
    return _lines_with(name, lines)


def _lines_with(name: str, lines: Sequence[str]) -> list[int]:
    """Return the first lines that hold a name in lower case, as many as may be shown and more."""
    text = "\n".join(lines).lower()
    found: list[int] = []
    line, position = 1, text.find(name)
    before = 0
    while position >= 0 and len(found) <= MAX_NAMED_LINES:
        line += text.count("\n", before, position)
        found.append(line)
        before = position
        end = text.find("\n", position)
        position = text.find(name, end) if end >= 0 else -1
    return found


def _chunks(ids_of_files: Sequence[Sequence[int]]) -> list[list[ChunkRow]]:
    """Return the chunks with these ids, in their order, for each file."""
    wanted = [chunk_id for ids in ids_of_files for chunk_id in ids]
    if not wanted:
        return [[] for _ in ids_of_files]
    marks = ", ".join(["%s"] * len(wanted))
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, start_line, end_line, heading, trail, anchor FROM library_chunk"
            f" WHERE id IN ({marks})",
            wanted,
        )
        rows = {
            row[0]: ChunkRow(row[0], row[1], row[2], row[3], _trail(row[4]), row[5])
            for row in cursor.fetchall()
        }
    return [[rows[chunk_id] for chunk_id in ids if chunk_id in rows] for ids in ids_of_files]


def _trail(stored: object) -> tuple[str, ...]:
    if stored == "[]":
        return ()
    headings = json.loads(stored) if isinstance(stored, str) else stored
    return tuple(str(heading) for heading in headings) if isinstance(headings, list) else ()


def _titles(content_ids: Sequence[int]) -> dict[int, str]:
    if not content_ids:
        return {}
    marks = ", ".join(["%s"] * len(content_ids))
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT id, title FROM library_content WHERE id IN ({marks})", list(content_ids)
        )
        return dict(cursor.fetchall())


def _symbols_at(places: Sequence[tuple[int, int, int]]) -> list[SymbolRow | None]:
    """Return for each content, line and end of view the definition that is meant."""
    if not places:
        return []
    is_there = "(symbol.content_id = %s AND symbol.line <= %s AND symbol.end_line >= %s)"
    rows: dict[int, list[SymbolRow]] = {}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT symbol.content_id, name.name, name.folded, symbol.kind, symbol.scope,"
            " symbol.line, symbol.end_line FROM library_symbol AS symbol"
            " JOIN library_symbolname AS name ON name.id = symbol.name_id"
            f" WHERE {' OR '.join([is_there] * len(places))}"
            " ORDER BY symbol.line DESC, symbol.end_line",
            [value for content_id, line, end in places for value in (content_id, end, line)],
        )
        for row in cursor.fetchall():
            rows.setdefault(row[0], []).append(SymbolRow(*row))
    return [_meant(rows.get(content_id, []), line) for content_id, line, _ in places]


def _meant(rows: Sequence[SymbolRow], line: int) -> SymbolRow | None:
    """Return the innermost definition around a line, else the first one that begins in view."""
    around = [row for row in rows if row.line <= line]
    bodies = [row for row in around if row.kind in BODY_KINDS]
    starting = [row for row in around if row.line == line]
    below = [row for row in reversed(rows) if row.line > line and row.kind in BODY_KINDS]
    return next(iter([*starting, *bodies, *below, *around]), None)
