"""Plain text: underlined titles, else numbered ones as in an RFC."""

import re

from web.library.indexing.formats import restructuredtext
from web.library.indexing.formats.outline import Anchors, Heading, Outline
from web.library.indexing.formats.restructuredtext import identifier

_NUMBERED = re.compile(r"^(\d{1,2}(?:\.\d{1,2}){0,4})\.?[ ]{1,3}([A-Z][^.!?]{0,70})$")
_FEWEST_NUMBERED = 3
_MAX_TITLE_CHARACTERS = 120


def outline_of(lines: list[str]) -> Outline:
    """Return the titles that stand out; the text's own title is its first line with words."""
    outline = restructuredtext.outline_of(lines)
    headings = outline.headings or _numbered(lines)
    if headings and not any(line.strip() for line in lines[: headings[0].first_line - 1]):
        return Outline(headings=headings)
    first = next((line.strip() for line in lines if re.search(r"\w", line)), "")
    if len(first) > _MAX_TITLE_CHARACTERS:
        first = first[: _MAX_TITLE_CHARACTERS - 1].rstrip() + "…"
    return Outline(headings=headings, title=first)


def _numbered(lines: list[str]) -> tuple[Heading, ...]:
    """Return lines such as `2.1. Overview` that stand alone, where there are some of them."""
    anchors = Anchors()
    found = []
    for row, line in enumerate(lines):
        match = _NUMBERED.match(line)
        if not match:
            continue
        above = lines[row - 1] if row else ""
        below = lines[row + 1] if row + 1 < len(lines) else ""
        if not above.strip() and not below.strip():
            text = line.strip()
            level = match[1].count(".") + 1
            found.append(Heading(row + 1, text, level, anchors.unique(identifier(match[2]))))
    return tuple(found) if len(found) >= _FEWEST_NUMBERED else ()
