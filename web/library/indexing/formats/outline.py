"""What the format modules return: headings with their lines, levels and anchors."""

import re
from dataclasses import dataclass, field

# A longer line is no title; the patterns that look at titles may thus take their time.
LONGEST_TITLE = 500


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading. Its section begins on `first_line`, where labels directly above it are included.

    `level` is 1 for the outermost; `anchor` what a link to the section ends with.
    """

    first_line: int
    text: str
    level: int
    anchor: str


@dataclass(frozen=True, slots=True)
class Outline:
    """The headings of a document in their order, and its title where it states one.

    `ranges` are the lines worth reading, first and last; empty means all of them.
    """

    headings: tuple[Heading, ...] = ()
    title: str = ""
    ranges: tuple[tuple[int, int], ...] = field(default=())


class Anchors:
    """Hands out anchors that are unique in their document, as GitHub does: `x`, `x-1`, `x-2`."""

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._counts: dict[str, int] = {}

    def unique(self, anchor: str) -> str:
        """Return the anchor, with a number behind it if it was given out before."""
        if not anchor:
            return ""
        candidate = anchor
        while candidate in self._used:
            self._counts[anchor] = self._counts.get(anchor, 0) + 1
            candidate = f"{anchor}-{self._counts[anchor]}"
        self._used.add(candidate)
        return candidate


def github_slug(text: str) -> str:
    """Return the anchor that GitHub gives a heading: lower case, no punctuation, hyphens."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
