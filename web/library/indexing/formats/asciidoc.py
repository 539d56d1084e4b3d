"""AsciiDoc: titles after `=` signs, outside of delimited blocks."""

import re

from web.library.indexing.formats.outline import (
    LONGEST_TITLE,
    Anchors,
    Heading,
    Outline,
    github_slug,
)

_TITLE = re.compile(r"^(={1,6}|#{1,6})\s+(\S.*?)(?:\s+\1)?\s*$")
# Listing, literal, example, sidebar, passthrough, quote, comment, open blocks, tables and fences.
_DELIMITER = re.compile(r"^(?:([-.=*+_/])\1{3,}|--|[|,:!]={3,}|`{3,}|~{4,})(?:\S*)\s*$")
_BLOCK_ANCHOR = re.compile(r"^\[(?:\[([^\],]+)(?:,[^\]]*)?\]|#([^\],.%]+)[^\]]*)\]\s*$")
_BLOCK_ATTRIBUTES = re.compile(r"^\[(?:\[[^\]]*\]|[^\]]*)\]\s*$")
_INLINE_ANCHOR = re.compile(r"\[\[([^\],]+)(?:,[^\]]*)?\]\]|\[#([^\],]+)\]")
_MARKUP = re.compile(r"(?<!\w)([*_`#+]{1,2})(?=\S)(.+?)(?<=\S)\1(?!\w)")
_LINK = re.compile(r"(?:https?://|link:|xref:|<<)[^\s\[,>]*(?:\[|,\s*)([^\]>]*)(?:\]|>>)")


def outline_of(lines: list[str]) -> Outline:
    """Return the titles; the document's own, after one `=`, has level 1."""
    anchors = Anchors()
    headings = []
    delimiter = ""
    for row, line in enumerate(lines):
        if len(line) > LONGEST_TITLE:
            continue
        if delimiter:
            if line.rstrip() == delimiter:
                delimiter = ""
            continue
        if _DELIMITER.match(line):
            delimiter = _closing(line.rstrip())
        elif match := _TITLE.match(line):
            headings.append(_heading(lines, row, match, anchors))
    return Outline(headings=tuple(headings))


def _closing(opening: str) -> str:
    """Return the line that closes a block: a fence may name a language when it opens."""
    match = re.match(r"`{3,}", opening)
    return match[0] if match else opening


def _heading(lines: list[str], row: int, match: re.Match[str], anchors: Anchors) -> Heading:
    text, label = match[2], ""
    if inline := _INLINE_ANCHOR.search(text):
        label = inline[1] or inline[2]
        text = _INLINE_ANCHOR.sub("", text).strip()
    first = row
    while first > 0 and _BLOCK_ATTRIBUTES.match(lines[first - 1]):
        first -= 1
        if not label and (anchor := _BLOCK_ANCHOR.match(lines[first])):
            label = anchor[1] or anchor[2]
    text = _MARKUP.sub(r"\2", _LINK.sub(r"\1", text))
    return Heading(first + 1, text, len(match[1]), anchors.unique(label or github_slug(text)))
