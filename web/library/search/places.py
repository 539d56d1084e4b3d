"""The place in a file that a search shows: which lines, and what is defined around them.

Only the files of the shown page come here.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from web.library.search.names import BODY_KINDS, SymbolRow, wanted_name
from web.library.search.plan import Plan
from web.library.search.query import Query
from web.library.search.ranking import RankedFile
from web.library.search.reading import WordsOfQuery, best_window, lines_of_content
from web.library.search.scope import Scope
from web.library.search.tokens import stem

SHOWN_LINES = 12
LINES_ABOVE = 2
MAX_OTHER_PLACES = 5
MAX_NAMED_LINES = 20
EXCERPT_LINES = 10


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


def code_lines(file: RankedFile, query: Query, words: WordsOfQuery, scope: Scope) -> CodeLines:
    """Return the lines to show of a file: the definition that is asked for, or its best lines."""
    lines = lines_of_content(file.content_id, scope) or []
    chunks = _chunks(file.chunk_ids[: MAX_OTHER_PLACES + 1])
    is_definition = file.line is not None and file.line_gain >= file.chunk_gain
    if is_definition:
        focus = file.line or 1
        start = _with_lines_above(lines, focus)
    elif chunks:
        chunk = chunks[0]
        last = min(chunk.end_line, len(lines))
        window = best_window(lines, chunk.start_line, last, words, size=SHOWN_LINES - LINES_ABOVE)
        focus = window.best_line
        start = max(chunk.start_line, window.first_line - LINES_ABOVE)
        while start < window.first_line and not lines[start - 1].strip():
            start += 1
    else:
        focus = start = 1
    shown = _without_blank_end(lines[start - 1 : start - 1 + SHOWN_LINES])
    end = start + max(len(shown) - 1, 0)
    symbol = _symbol_at(file.content_id, focus, end)
    return CodeLines(
        start_line=start,
        lines=shown,
        matched_lines=tuple(
            number for number, line in enumerate(shown, start) if words.in_line(line)
        ),
        symbol=symbol,
        other_line_numbers=_other_lines(lines, query, chunks, shown=(start, end)),
    )


def section_lines(file: RankedFile, words: WordsOfQuery, scope: Scope) -> SectionLines:
    """Return the section to show of a document and the lines in it that say most of the query."""
    title = _title_of(file.content_id)
    chunks = _chunks(file.chunk_ids[:1])
    if not chunks:
        return SectionLines(None, title, ())
    chunk = chunks[0]
    lines = lines_of_content(file.content_id, scope) or []
    last = min(chunk.end_line, len(lines))
    window = best_window(lines, chunk.start_line, last, words, size=EXCERPT_LINES)
    start = max(chunk.start_line, window.first_line - 1)
    shown = lines[start - 1 : min(last, start - 1 + EXCERPT_LINES)]
    return SectionLines(chunk, title, _without_blank_end(shown))


def shown_words(query: Query, plan: Plan) -> WordsOfQuery:
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


def _other_lines(
    lines: Sequence[str],
    query: Query,
    chunks: Sequence[ChunkRow],
    *,
    shown: tuple[int, int],
) -> tuple[int, ...]:
    """Return further lines of the file to look at: where a name stands, or other chunks begin."""
    if query.is_name:
        name = wanted_name(query.names[0]).folded if query.names else query.text.lower()
        found = _lines_with(name, lines)
    else:
        found = [chunk.start_line for chunk in chunks[1:]]
    first, last = shown
    return tuple(sorted({line for line in found if not first <= line <= last}))[:MAX_NAMED_LINES]


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


def _chunks(chunk_ids: Sequence[int]) -> list[ChunkRow]:
    """Return the chunks with these ids, in their order."""
    if not chunk_ids:
        return []
    marks = ", ".join(["%s"] * len(chunk_ids))
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, start_line, end_line, heading, trail, anchor FROM library_chunk"
            f" WHERE id IN ({marks})",
            list(chunk_ids),
        )
        rows = {row[0]: row for row in cursor.fetchall()}
    return [
        ChunkRow(row[0], row[1], row[2], row[3], _trail(row[4]), row[5])
        for row in map(rows.get, chunk_ids)
        if row is not None
    ]


def _trail(stored: object) -> tuple[str, ...]:
    headings = json.loads(stored) if isinstance(stored, str) else stored
    return tuple(str(heading) for heading in headings) if isinstance(headings, list) else ()


def _title_of(content_id: int) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT title FROM library_content WHERE id = %s", [content_id])
        row = cursor.fetchone()
    return str(row[0]) if row else ""


def _symbol_at(content_id: int, line: int, end: int) -> SymbolRow | None:
    """Return the innermost definition around a line, else the first one that begins in view."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT symbol.content_id, name.name, name.folded, symbol.kind, symbol.scope,"
            " symbol.line, symbol.end_line FROM library_symbol AS symbol"
            " JOIN library_symbolname AS name ON name.id = symbol.name_id"
            " WHERE symbol.content_id = %s AND symbol.line <= %s AND symbol.end_line >= %s"
            " ORDER BY symbol.line DESC, symbol.end_line",
            [content_id, end, line],
        )
        rows = [SymbolRow(*row) for row in cursor.fetchall()]
    around = [row for row in rows if row.line <= line]
    bodies = [row for row in around if row.kind in BODY_KINDS]
    starting = [row for row in around if row.line == line]
    below = [row for row in reversed(rows) if row.line > line and row.kind in BODY_KINDS]
    return next(iter([*starting, *bodies, *below, *around]), None)
