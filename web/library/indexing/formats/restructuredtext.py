"""reStructuredText: titles under and between adornment lines, as docutils reads them.

A scan over the lines, not docutils itself, which needs seconds per megabyte, stops at errors and
knows nothing of Sphinx' directives. The rules are those of docutils' section "Sections".
"""

import re
import unicodedata
from string import punctuation

from web.library.indexing.formats.outline import LONGEST_TITLE, Anchors, Heading, Outline

_ADORNMENT = re.compile(r"^([!-/:-@\[-`{-~])\1+\s*$")
_PUNCTUATION = frozenset(punctuation)
_SHORTEST_ADORNMENT = 3
_LABEL = re.compile(r"^\.\. _(`[^`]+`|(?:[^:\\]|\\.)+):\s*$")
# Directives that say something about the section that follows them.
_LEADING_DIRECTIVE = re.compile(
    r"^\.\. (?:index|module|currentmodule|highlight|program|setting|templatetag|templatefilter"
    r"|fieldlookup|django-admin|py:module|py:currentmodule|c:namespace|meta)::"
)
_NOT_A_TITLE = re.compile(r"^(?:\s|\.\.(?:\s|$)|[-*+]\s|\||\+[-=]|>>>|:[\w-]+:\s)")
_ROLE = re.compile(r"(?::[\w.+-]+)+:`([^`]*)`")
_REFERENCE = re.compile(r"`([^`]*)`__?")
_WITH_TARGET = re.compile(r"^(.*?)\s*<[^<>]*>$", re.DOTALL)
_LITERAL = re.compile(r"``(.+?)``")
_EMPHASIS = re.compile(r"(?<![\w*])(\*\*?)(?=\S)(.+?)(?<=\S)\1(?![\w*])")
_SIGNS = re.compile(r"^\.\. (?:_[^:\n]+:|[\w:+-]+::)|(?<![\w`]):[\w.+-]+:`[^`]", re.MULTILINE)


def looks_like_restructuredtext(text: str) -> bool:
    """Say whether plain text has directives, labels or roles: Django keeps its pages in .txt."""
    return _SIGNS.search(text) is not None


def outline_of(lines: list[str]) -> Outline:
    """Return the titles; levels are numbered as their adornments first appear."""
    styles: list[tuple[str, bool]] = []
    anchors = Anchors()
    headings = []
    after = 0
    for row in _adornments(lines):
        found = (_overlined(lines, row) or _underlined(lines, row)) if row >= after else None
        if found is None:
            continue
        first, text, style, after = found
        if style not in styles:
            styles.append(style)
        first, label = _with_labels(lines, first)
        text = plain_text(text)
        anchor = anchors.unique(identifier(label) or identifier(text))
        headings.append(Heading(first + 1, text, styles.index(style) + 1, anchor))
    return Outline(headings=tuple(headings))


def _adornments(lines: list[str]) -> list[int]:
    """Return the rows of lines of one punctuation mark, over and over."""
    return [
        row for row, line in enumerate(lines) if line[:1] in _PUNCTUATION and _ADORNMENT.match(line)
    ]


type _Title = tuple[int, str, tuple[str, bool], int]


def _overlined(lines: list[str], row: int) -> _Title | None:
    """Return the title between two adornments, the first of them at `row`."""
    if row + 2 >= len(lines) or (row > 0 and not _ends_block(lines[row - 1])):
        return None
    over, text, under = lines[row].rstrip(), lines[row + 1], lines[row + 2].rstrip()
    if not text.strip() or len(text) > LONGEST_TITLE or over != under or _ADORNMENT.match(text):
        return None
    if len(over) < min(_SHORTEST_ADORNMENT, _width(text.strip())):
        return None
    return row, text.strip(), (over[0], True), row + 3


def _underlined(lines: list[str], row: int) -> _Title | None:
    """Return the title above the adornment at `row`."""
    if row == 0:
        return None
    text, under = lines[row - 1].rstrip(), lines[row].rstrip()
    if not text or len(text) > LONGEST_TITLE or _NOT_A_TITLE.match(text) or _ADORNMENT.match(text):
        return None
    if row > 1 and not _ends_block(lines[row - 2]):
        return None
    if len(under) < _SHORTEST_ADORNMENT + 1 and len(under) < _width(text):
        return None
    return row - 1, text, (under[0], False), row + 1


def _ends_block(line: str) -> bool:
    """Say whether a title may follow: after an empty line, a label, or an indented block."""
    return not line.strip() or line[0] in " \t" or line.startswith(".. ")


def _with_labels(lines: list[str], row: int) -> tuple[int, str]:
    """Return the row where labels and leading directives above a title begin, and its label."""
    first, label = row, ""
    above = row - 1
    while above >= 0:
        line = lines[above]
        if match := _LABEL.match(line):
            first, label = above, label or match[1].strip("`").replace("\\", "")
        elif _LEADING_DIRECTIVE.match(line):
            first = above
        elif line.strip() and line[0] not in " \t":
            break
        above -= 1
    return first, label


def _width(text: str) -> int:
    """Return the columns of a text: wide characters of East Asian scripts take two."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def identifier(text: str) -> str:
    """Return the id that docutils makes of a name: ASCII, lower case, hyphens."""
    ascii_text = unicodedata.normalize("NFKD", text.lower()).encode("ascii", "ignore").decode()
    return re.sub(r"^[-0-9]+|-+$", "", re.sub(r"[^a-z0-9]+", "-", ascii_text))


def plain_text(text: str) -> str:
    """Return what a reader sees of inline markup: no roles, targets, quotes or emphasis."""
    if not re.search(r"[`*\\]", text):
        return text
    literals: list[str] = []

    def keep(match: re.Match[str]) -> str:
        literals.append(match[1])
        return f"\0{len(literals) - 1}\0"

    text = _LITERAL.sub(keep, text)
    text = _ROLE.sub(_shown, text)
    text = _REFERENCE.sub(_shown, text)
    text = re.sub(r"`([^`]*)`", _shown, text)
    text = _EMPHASIS.sub(r"\2", text)
    text = re.sub(r"\\(\s|(.))", lambda match: match[2] or "", text)
    return re.sub("\0(\\d+)\0", lambda match: literals[int(match[1])], text).strip()


def _shown(match: re.Match[str]) -> str:
    content = match[1]
    if titled := _WITH_TARGET.match(content):
        return titled[1] or content
    if content.startswith("~"):
        return content.rpartition(".")[2].lstrip("~")
    return content.lstrip("!")
