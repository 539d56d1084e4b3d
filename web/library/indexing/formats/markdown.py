"""Markdown, also MyST: headings by markdown-it, for which fences, comments and lists hold none.

Only the block rules run over a document; inline rules see the headings alone.
"""

import re
from html import unescape

from markdown_it import MarkdownIt
from markdown_it.token import Token

from web.library.indexing.formats.outline import (
    LONGEST_TITLE,
    Anchors,
    Heading,
    Outline,
    github_slug,
)

_PARSER = MarkdownIt("commonmark").disable(["reference", "hr"])
_FRONT_MATTER_END = re.compile(r"^(?:---|\.\.\.)\s*$")
_FRONT_MATTER_TITLE = re.compile(r"^title\s*:(.+)$")
_MAX_FRONT_MATTER_LINES = 200
_LABEL = re.compile(r"^\(([^()\s]+)\)=\s*$")
_NAMED_ANCHOR = re.compile(
    r"^\s*<a\s+(?:name|id)\s*=\s*[\"']([^\"']+)[\"'][^>]*>\s*+(?:</a>\s*+)?$"
)
_EXPLICIT_ID = re.compile(r"\{\s*#([\w:.-]+)[^{}]*\}\s*$")
_HTML_HEADING = re.compile(r"<(/?)h([1-6])\b[^<>]*>", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_DIRECTIVE_START = re.compile(r"^(:{3,})\s*\{[^}]+\}")


def outline_of(lines: list[str]) -> Outline:
    """Return the headings (ATX, underlined, and HTML at the outermost level) and the title."""
    body, title = _without_front_matter(lines)
    body = _without_directives(body)
    # A lone carriage return would be a line break to the parser, but is none to git.
    source = "\n".join(body).replace("\r", " ")
    tokens: list[Token] = []
    _PARSER.block.parse(source, _PARSER, {}, tokens)
    anchors = Anchors()
    headings = []
    for index, token in enumerate(tokens):
        if token.map is None or token.level != 0:
            continue
        if token.type == "heading_open" and len(tokens[index + 1].content) <= LONGEST_TITLE:
            text, explicit = _inline_text(tokens[index + 1].content)
            level = int(token.tag[1:])
            first, label = _with_labels(body, token.map[0])
            anchor = anchors.unique(explicit or label or github_slug(text))
            headings.append(Heading(first + 1, text, level, anchor))
        elif token.type == "html_block":
            headings += _html_headings(body, token.map[0], token.content, anchors)
    return Outline(headings=tuple(headings), title=title)


def _without_front_matter(lines: list[str]) -> tuple[list[str], str]:
    """Return the lines with the YAML block at the start made empty, and the title it states."""
    if not lines or lines[0].rstrip() != "---":
        return lines, ""
    title = ""
    for number, line in enumerate(lines[1:_MAX_FRONT_MATTER_LINES], start=1):
        if _FRONT_MATTER_END.match(line):
            return [""] * (number + 1) + lines[number + 1 :], title
        if match := _FRONT_MATTER_TITLE.match(line):
            title = match[1].strip().strip("\"'")
    return lines, ""


def _without_directives(lines: list[str]) -> list[str]:
    """Empty what stands in `:::{directive}` blocks: its headings are not the document's."""
    if not any(line.startswith(":::") for line in lines):
        return lines
    kept, fence = [], ""
    for line in lines:
        if not fence and (match := _DIRECTIVE_START.match(line)):
            fence = match[1]
            kept.append("")
        elif fence:
            kept.append("")
            if line.startswith(fence) and not line.strip().strip(":"):
                fence = ""
        else:
            kept.append(line)
    # A block that is never closed was not one.
    return lines if fence else kept


def _with_labels(lines: list[str], row: int) -> tuple[int, str]:
    """Return the row where the labels above a heading begin, and the label closest to it."""
    first, label = row, ""
    for above in range(row - 1, -1, -1):
        line = lines[above]
        if match := _LABEL.match(line):
            first, label = above, label or match[1]
        elif _NAMED_ANCHOR.match(line):
            first = above
        elif line.strip():
            break
    return first, label


def _html_headings(lines: list[str], row: int, content: str, anchors: Anchors) -> list[Heading]:
    content = _COMMENT.sub(lambda match: "\n" * match[0].count("\n"), content)
    found: list[Heading] = []
    opened: re.Match[str] | None = None
    labelled = -1
    for tag in _HTML_HEADING.finditer(content):
        if not tag[1]:
            opened = tag
        elif opened is not None and opened[2] == tag[2]:
            inside = content[opened.end() : tag.start()]
            text = " ".join(unescape(_TAG.sub("", inside)).split())
            if 0 < len(text) <= LONGEST_TITLE:
                line = row + content.count("\n", 0, opened.start())
                # A label belongs to the first heading of its line.
                first, label = _with_labels(lines, line) if line != labelled else (line, "")
                labelled = line
                anchor = anchors.unique(label or github_slug(text))
                found.append(Heading(first + 1, text, int(tag[2]), anchor))
            opened = None
    return found


def _inline_text(source: str) -> tuple[str, str]:
    """Return what a reader sees of a heading, and the id in braces behind it."""
    explicit = ""
    if match := _EXPLICIT_ID.search(source):
        explicit, source = match[1], source[: match.start()].rstrip()
    if not re.search(r"[`*_\[<&\\!]", source):
        return source.strip(), explicit
    parts = []
    for token in _PARSER.parseInline(source)[0].children or ():
        if token.type in {"text", "code_inline"}:
            parts.append(token.content)
        elif token.type in {"softbreak", "hardbreak"}:
            parts.append(" ")
    return " ".join("".join(parts).split()), explicit
