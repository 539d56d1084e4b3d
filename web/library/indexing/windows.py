"""Ranges of lines where nothing better to cut at is known: bounded in lines and characters.

The last resort of both code and documents. A cut prefers an empty line before the least indented
line of the last third, so that paragraphs, rules and blocks stay whole.
"""

from collections.abc import Iterator, Sequence

TARGET_CHUNK_LINES = 60
MAX_CHUNK_LINES = 120
MAX_CHUNK_CHARACTERS = 8000


def windows(
    lines: Sequence[str], *, start: int, end: int, max_lines: int = MAX_CHUNK_LINES
) -> Iterator[tuple[int, int]]:
    """Yield (first, last) over the lines `start` to `end`, counted from 1, both included.

    Each has at most `max_lines` lines and, unless a single line is longer, at most
    `MAX_CHUNK_CHARACTERS` characters. Ranges without any text are left out.
    """
    first = start
    while first <= end:
        last = _fitting(lines, first, min(end, first + max_lines - 1))
        if last < end:
            last = _best_cut(lines, first, last)
        if any(map(str.strip, lines[first - 1 : last])):
            yield first, last
        first = last + 1


def even_windows(lines: Sequence[str], *, most: int) -> list[tuple[int, int]]:
    """Return (first, last) over all lines, of the same length, at most `most` of them.

    For text of which every line would be a piece of its own. Ranges without text are left out.
    """
    length = max(MAX_CHUNK_LINES, -(-len(lines) // most))
    starts = range(1, len(lines) + 1, length)
    pieces = ((first, min(first + length - 1, len(lines))) for first in starts)
    return [(first, last) for first, last in pieces if any(map(str.strip, lines[first - 1 : last]))]


def _fitting(lines: Sequence[str], first: int, last: int) -> int:
    """Return the last line up to `last` with which the characters stay within the bound."""
    if sum(map(len, lines[first - 1 : last])) <= MAX_CHUNK_CHARACTERS:
        return last
    characters = 0
    for number in range(first, last + 1):
        characters += len(lines[number - 1])
        if characters > MAX_CHUNK_CHARACTERS:
            return max(first, number - 1)
    return last


def _best_cut(lines: Sequence[str], first: int, last: int) -> int:
    """Return the line of the last third to end at."""
    best, best_cost = last, (2, 0)
    for number in range(last, first + (last - first) * 2 // 3, -1):
        after = lines[number]
        if after.strip():
            indent = len(after) - len(after.lstrip())
            cost = (0 if not lines[number - 1].strip() else 1, indent)
            if cost < best_cost:
                best, best_cost = number, cost
    return best
