"""Markdown as safe HTML: for posts, previews, READMEs and documentation pages.

What comes out may be put into a page as it is: only elements and attributes of an allow list are
left, nothing is loaded from other hosts, and links tell search engines and sites nothing.
"""

import re
from collections.abc import Mapping, Sequence
from urllib.parse import urljoin

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token

from web.core.fences import lines_and_fences
from web.core.images import html_with_shown_images

_HEADINGS = {f"h{level}" for level in range(1, 7)}
_OTHER_TAGS = (
    "a abbr b blockquote br caption cite code col colgroup dd del details dfn div dl dt em"
    " figcaption figure hr i img ins kbd li mark ol p pre q s samp small span strong sub summary"
    " sup table tbody td tfoot th thead tr u ul var wbr"
)
_ATTRIBUTES = {
    "a": {"href", "title"},
    "abbr": {"title"},
    "code": {"class"},
    "details": {"open"},
    "img": {"src", "alt", "title", "width", "height"},
    "ol": {"start"},
    "td": {"align", "colspan", "rowspan"},
    "th": {"align", "colspan", "rowspan", "scope"},
    **{heading: {"id"} for heading in _HEADINGS},
}


_LONG_LINE = 1000
_SENTENCE_ENDS = re.compile(r"(?<=[.!?]) +(?=[^\W\d_])")
_WORD_ENDS = re.compile(r"(?<! ) ++(?=[^\W\d_])")


def _kept(tag: str, attribute: str, value: str) -> str | None:
    """Return the value of an attribute as it may stay, None to drop it."""
    if tag == "code" and attribute == "class":
        return value if value.startswith("language-") and " " not in value else None
    return value


_CLEANER = nh3.Cleaner(
    tags=_HEADINGS | set(_OTHER_TAGS.split()),
    clean_content_tags={"script", "style", "template", "noscript", "iframe", "object", "svg"},
    attributes=_ATTRIBUTES,
    attribute_filter=_kept,
    url_schemes={"http", "https", "mailto"},
    link_rel="nofollow noopener noreferrer",
)


def markdown_html(
    text: str,
    *,
    anchors: Mapping[int, str] | None = None,
    base_url: str = "",
    outermost_level: int = 0,
) -> str:
    """Return Markdown as safe HTML (CommonMark with tables and strikethrough).

    `anchors` gives headings their ids, by the line (from 1) that they start on. Relative links are
    completed with `base_url`. With `outermost_level` the headings are moved so that the outermost
    of them have this level, below the headings of the page around them. An image that this host
    does not have becomes a link to it, so that reading a page tells nobody about its readers.
    """
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    tokens = parser.parse(text)
    if outermost_level:
        _move_headings(tokens, outermost_level)
    for token in tokens:
        if token.type == "heading_open" and token.map and anchors:
            anchor = anchors.get(token.map[0] + 1)
            if anchor:
                token.attrSet("id", anchor)
        if token.type in {"th_open", "td_open"} and token.attrs:
            token.attrSet("align", str(token.attrGet("style")).removeprefix("text-align:"))
        for child in token.children or ():
            _complete(child, base_url)
    html = parser.renderer.render(tokens, parser.options, {})
    return html_with_shown_images(_CLEANER.clean(html), base_url=base_url)


def markdown_words(text: str) -> str:
    """Return what Markdown says, on one line: no marks, addresses or HTML; of images the text."""
    words = []
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text):
        for child in token.children or ():
            words.append(" " if child.type in {"softbreak", "hardbreak"} else _said(child))
        words.append(" ")
    return " ".join("".join(words).split())


def _said(token: Token) -> str:
    return "" if token.type == "html_inline" else token.content


def soft_wrapped(text: str) -> str:
    """Return Markdown with very long lines of prose broken between sentences; it means the same.

    Who reads by lines can then go on in the middle of a paragraph. Code, tables, headings and HTML
    stay as they are. A new line always begins with a letter, so that it opens no list or heading.
    """
    if all(len(line) <= _LONG_LINE for line in text.split("\n")):
        return text
    lines: list[str] = []
    for line, is_code in lines_and_fences(text):
        if is_code or len(line) <= _LONG_LINE or line.startswith(("    ", "\t", "#", "|", "<")):
            lines.append(line)
        else:
            lines += _broken(line)
    return "\n".join(lines)


def _broken(line: str) -> list[str]:
    """Break a line where sentences end, else between words; a word stays whole."""
    pieces = [line[:0]]
    for sentence in _SENTENCE_ENDS.split(line):
        words = [sentence] if len(sentence) <= _LONG_LINE else _WORD_ENDS.split(sentence)
        for part in words:
            if pieces[-1] and len(pieces[-1]) + len(part) >= _LONG_LINE:
                pieces.append(part)
            else:
                pieces[-1] = f"{pieces[-1]} {part}" if pieces[-1] else part
    return pieces


def _move_headings(tokens: Sequence[Token], outermost_level: int) -> None:
    headings = [token for token in tokens if token.type in {"heading_open", "heading_close"}]
    levels = [int(token.tag[1]) for token in headings]
    for token, level in zip(headings, levels, strict=True):
        token.tag = f"h{min(level - min(levels) + outermost_level, 6)}"


def _complete(token: Token, base_url: str) -> None:
    """Complete a relative address of a link or an image."""
    name = {"link_open": "href", "image": "src"}.get(token.type)
    if name and base_url:
        address = str(token.attrGet(name) or "")
        if address and not address.startswith("#"):
            token.attrSet(name, urljoin(base_url, address))
