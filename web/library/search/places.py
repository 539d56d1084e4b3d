"""The place in a file that a search shows: which lines, and what is defined around them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from web.library.search.names import BODY_KINDS, SymbolRow
from web.library.search.plan import Plan
from web.library.search.ranking import RankedFile
from web.library.search.reading import WordsOfQuery, best_window, lines_of_content
from web.library.search.scope import Scope

SHOWN_LINES = 12
LINES_ABOVE = 2
MAX_OTHER_PLACES = 5


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
class Place:
    """Lines of a file. `lines` is empty when the mirror lacks them; `symbol` is what they define."""

    chunk: ChunkRow | None
    start_line: int
    lines: tuple[str, ...]
    matched_lines: tuple[int, ...]
    symbol: SymbolRow | None
    other_lines: tuple[int, ...]


def place_of(
    file: RankedFile, plan: Plan, scope: Scope, *, shown_lines: int = SHOWN_LINES
) -> Place:
    """Return the place of a file that fits a query best: a definition first, else its best lines."""
    chunks = _chunks(file.chunk_ids)
    lines = lines_of_content(file.content_id, scope) or []
    words = WordsOfQuery(plan.all_weights)
    others = tuple(dict.fromkeys(chunk.start_line for chunk in chunks[1:]))[:MAX_OTHER_PLACES]
    if file.lines:
        focus = file.lines[0]
        others = tuple(dict.fromkeys(file.lines[1:]))[:MAX_OTHER_PLACES]
        chunk = _chunk_at(file.content_id, focus)
    elif chunks:
        chunk = chunks[0]
        window = best_window(
            lines, chunk.start_line, min(chunk.end_line, len(lines)), words, size=shown_lines
        )
        focus = window.first_line if lines else chunk.start_line
    else:
        chunk, focus = None, 1
    start = max(chunk.start_line if chunk else 1, focus - LINES_ABOVE, 1)
    shown = tuple(lines[start - 1 : start - 1 + shown_lines])
    while len(shown) > 1 and not shown[-1].strip():
        shown = shown[:-1]
    return Place(
        chunk=chunk,
        start_line=start,
        lines=shown,
        matched_lines=tuple(
            number
            for number, line in enumerate(shown, start)
            if number == focus or words.in_line(line)
        ),
        symbol=_symbol_at(file.content_id, focus),
        other_lines=tuple(line for line in others if line != focus),
    )


def _chunks(chunk_ids: Sequence[int]) -> list[ChunkRow]:
    """Return the chunks of a file in the order of their ids' sequence."""
    if not chunk_ids:
        return []
    wanted = list(dict.fromkeys(chunk_ids))[: MAX_OTHER_PLACES + 1]
    marks = ", ".join(["%s"] * len(wanted))
    rows = {row.chunk_id: row for row in _chunk_rows(f"id IN ({marks})", wanted)}
    return [rows[chunk_id] for chunk_id in wanted if chunk_id in rows]


def _chunk_at(content_id: int, line: int) -> ChunkRow | None:
    rows = _chunk_rows(
        "content_id = %s AND start_line <= %s AND end_line >= %s LIMIT 1", [content_id, line, line]
    )
    return rows[0] if rows else None


def _chunk_rows(condition: str, parameters: Sequence[int]) -> list[ChunkRow]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, start_line, end_line, heading, trail, anchor FROM library_chunk"
            f" WHERE {condition}",
            list(parameters),
        )
        return [
            ChunkRow(
                row[0],
                row[1],
                row[2],
                row[3],
                tuple(json.loads(row[4]) if isinstance(row[4], str) else row[4] or ()),
                row[5],
            )
            for row in cursor.fetchall()
        ]


def _symbol_at(content_id: int, line: int) -> SymbolRow | None:
    """Return the innermost definition around a line, functions and types before their fields."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT symbol.content_id, name.name, name.folded, symbol.kind, symbol.scope,"
            " symbol.line, symbol.end_line FROM library_symbol AS symbol"
            " JOIN library_symbolname AS name ON name.id = symbol.name_id"
            " WHERE symbol.content_id = %s AND symbol.line <= %s AND symbol.end_line >= %s"
            " ORDER BY symbol.line DESC, symbol.end_line",
            [content_id, line + LINES_ABOVE, line],
        )
        rows = [SymbolRow(*row) for row in cursor.fetchall()]
    around = [row for row in rows if row.kind in BODY_KINDS]
    return around[0] if around else (rows[0] if rows else None)
