"""The lines of a section that show why it was found."""

from collections.abc import Sequence

from web.library.search.tokens import index_text, stems

_LINES = 8
_CHARACTERS = 600


def excerpt(lines: Sequence[str], wanted: frozenset[str]) -> str:
    """Return the consecutive lines with the most of the wanted stems, bounded in length.

    Of equal places the first. A line that is longer than the bound is cut, and ends in "…".
    """
    best, best_score = 0, -1
    found = [stems(index_text(line).split()) & wanted for line in lines]
    for start in range(len(lines)):
        score = len(frozenset().union(*found[start : start + _LINES // 2]))
        if score > best_score and lines[start].strip():
            best, best_score = start, score
    shown: list[str] = []
    room = _CHARACTERS
    for line in lines[best : best + _LINES]:
        if len(line) > room:
            cut = line[:room].rsplit(" ", 1)[0] if not shown else ""
            shown.append(f"{cut} …".strip())
            break
        shown.append(line)
        room -= len(line) + 1
    return "\n".join(shown).strip()
