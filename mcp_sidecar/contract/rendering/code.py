"""Lines of source and prose in fences: numbered, and as many as fit."""

from collections.abc import Collection, Sequence
from typing import Final

from mcp_sidecar.contract.text import escaped, fence, longest_run, shortened

MAX_LINE_CHARACTERS: Final = 2_000
_FENCE_CHARACTERS: Final = 10


def numbered(lines: Sequence[str], start_line: int, marked: Collection[int] = ()) -> list[str]:
    """Return lines as "12 | text"; where some are marked, as "> 12 | text" and "  13 | text"."""
    width = len(str(start_line + len(lines)))
    rows = []
    for number, line in enumerate(lines, start_line):
        mark = ("> " if number in marked else "  ") if marked else ""
        rows.append(f"{mark}{number:>{width}} | {line}")
    return rows


def fenced(rows: Sequence[str], *, most: int, language: str = "") -> tuple[str, int]:
    """Return the first rows in a fence, and how many they are.

    They are as many as `most` characters hold when shown, fence included. A row over
    MAX_LINE_CHARACTERS is shortened and says by how much. Without any row the text is empty.
    """
    rows = [shortened(row, MAX_LINE_CHARACTERS) for row in rows]
    shown = rows if _fits(rows, most - len(language)) else _first(rows, most - len(language))
    return (fence("\n".join(shown), language) if shown else ""), len(shown)


def _fits(rows: Sequence[str], most: int) -> bool:
    """Return whether all rows fit; looking at them at once is much faster than one by one."""
    text = "\n".join(rows)
    return len(escaped(text)[0]) + 2 * longest_run(text) + _FENCE_CHARACTERS <= most


def _first(rows: Sequence[str], most: int) -> list[str]:
    kept: list[str] = []
    used, ticks = _FENCE_CHARACTERS, 0
    for row in rows:
        used += len(escaped(row)[0]) + 1
        ticks = max(ticks, 2 * longest_run(row))
        if used + ticks > most:
            break
        kept.append(row)
    return kept
