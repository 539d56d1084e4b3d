"""Lines of source and prose in fences: numbered, and as many as fit."""

from collections.abc import Collection, Sequence
from typing import Final

from mcp_sidecar.contract.text import escaped, fence, longest_run, shortened

MAX_LINE_CHARACTERS: Final = 2_000


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
    kept: list[str] = []
    used = len(language) + 10
    ticks = 0
    for row in rows:
        shown = shortened(row, MAX_LINE_CHARACTERS)
        used += len(escaped(shown)[0]) + 1
        ticks = max(ticks, 2 * longest_run(shown))
        if used + ticks > most:
            break
        kept.append(shown)
    return (fence("\n".join(kept), language) if kept else ""), len(kept)
