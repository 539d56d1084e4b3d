"""HTML of other people as Markdown: what feeds and sites say, without scripts, style or chrome."""

import re
from collections.abc import Iterable
from urllib.parse import urljoin

from bs4 import BeautifulSoup, Tag
from bs4.dammit import UnicodeDammit
from bs4.element import NavigableString
from markdownify import MarkdownConverter

from web.core.errors import InvalidInput

_NOISE = (
    "script, style, template, noscript, iframe, object, embed, svg, link, input, select, textarea"
)
_CHROME = (
    "nav, header, footer, aside, button, dialog, [hidden], [aria-hidden=true], [role=navigation],"
    " [role=search], [role=banner], [role=contentinfo], .headerlink, .sphinxsidebar, .related,"
    " .breadcrumbs, .toc, .edit-this-page"
)
_MAIN = ("main article", "[role=main]", "main", "article", "#content", ".content", "body")
_NO_INDEX = re.compile(r"\b(?:noindex|none)\b", re.IGNORECASE)
_LEAST_WORDS = 20
_FEED_TYPES = {"application/rss+xml", "application/atom+xml"}
_TAG_LIKE = re.compile(r"<(?=[A-Za-z/!?])")
_OUTER_UNDERSCORES = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])")
_LANGUAGE = re.compile(r"(?:language|lang|highlight|highlight-source)-([\w+#.-]+)")
_BARE_BAR = re.compile(r"(?<!\\)\|")
# What the converter would read again from each blank in it.
_LONG_BLANK = re.compile(r"(?<![\t ])[\t ]{100}[\t ]+")
_TITLE_SUFFIX = re.compile(r"\s+[-|·»\u2013\u2014]\s+[^-|·»\u2013\u2014]+$")


class _Converter(MarkdownConverter):
    """Escapes only what would be read as markup, so that the text stays as people wrote it."""

    def escape(self, text: str, parent_tags: set[str]) -> str:
        """Escape tags, and underscores that do not stand inside a word."""
        text = _TAG_LIKE.sub(r"\\<", super().escape(text, parent_tags))  # type: ignore[misc]
        return _OUTER_UNDERSCORES.sub(lambda match: match[0].replace("_", r"\_"), text)

    def convert_pre(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Leave out the empty lines around a block of code, and the blanks behind it."""
        start = len(text) - len(text.lstrip(" \n"))
        text = text[text.rfind("\n", 0, start) + 1 :].rstrip(" \n")
        return str(super().convert_pre(el, text, parent_tags))  # type: ignore[misc]

    def convert_td(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Keep a bar inside a cell from ending it."""
        text = _BARE_BAR.sub(r"\|", text)
        return str(super().convert_td(el, text, parent_tags))  # type: ignore[misc]

    def convert_th(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Keep a bar inside a heading cell from ending it."""
        text = _BARE_BAR.sub(r"\|", text)
        return str(super().convert_th(el, text, parent_tags))  # type: ignore[misc]


def html_markdown(html: str, *, base_url: str = "") -> str:
    """Return a fragment of HTML as Markdown; relative links are completed with `base_url`.

    Raises InvalidInput when it is nested too deeply to be read.
    """
    return _markdown(_soup(html), base_url)


def html_text(html: str) -> str:
    """Return the text of a fragment of HTML, without markup, on one line."""
    return " ".join(_soup(html).get_text().split())


def linked_feeds(html: bytes, *, base_url: str) -> tuple[str, ...]:
    """Return the addresses of the RSS and Atom feeds that a page names as its own, in its order."""
    found = BeautifulSoup(html, "lxml").select("link[rel~=alternate][href]")
    links = [link for link in found if str(link.get("type", "")).strip().lower() in _FEED_TYPES]
    return tuple(dict.fromkeys(urljoin(base_url, str(link["href"])) for link in links))


def page_markdown(html: str | bytes, *, base_url: str, charset: str = "") -> tuple[str, str]:
    """Return title and main content (Markdown) of a whole page, without its navigation.

    Of bytes the encoding is `charset`, or what the page itself declares. Raises InvalidInput when
    it is nested too deeply to be read, has no text, or wants not to be indexed.
    """
    soup = _soup(html, charset)
    if soup.find("meta", attrs={"name": "robots", "content": _NO_INDEX}):
        raise InvalidInput("The page wants not to be indexed.")
    title = _title(soup)
    for element in soup.select(_CHROME):
        element.decompose()
    body = _markdown(_main(soup), base_url)
    if not body.strip():
        raise InvalidInput("The page has no text.")
    if title and not re.search(r"^# ", body, flags=re.MULTILINE):
        body = f"# {title}\n\n{body}"
    return title, body


def _soup(html: str | bytes, charset: str = "") -> BeautifulSoup:
    if isinstance(html, bytes):
        declared = [charset] if charset else []
        html = (
            UnicodeDammit(html, known_definite_encodings=declared, is_html=True).unicode_markup
            or ""
        )
    soup = BeautifulSoup(html.replace("\0", ""), "lxml")
    for element in soup.select(_NOISE):
        element.decompose()
    return soup


def _main(soup: BeautifulSoup) -> Tag:
    """Return the element that holds what the page is about; the first rule that gives text."""
    for selector in _MAIN:
        found = soup.select(selector)
        if len(found) == 1 and len(found[0].get_text(" ").split()) >= _LEAST_WORDS:
            return found[0]
    return soup.body or soup  # of little text all of it, but for the head


def _title(soup: BeautifulSoup) -> str:
    headings = soup.find_all("h1")
    if len(headings) == 1:
        for link in headings[0].select(".headerlink"):
            link.decompose()
        text = " ".join(headings[0].get_text().split())
        if text:
            return text
    text = " ".join(soup.title.get_text().split()) if soup.title else ""
    return _TITLE_SUFFIX.sub("", text)


def _markdown(root: Tag, base_url: str) -> str:
    if base_url:
        _complete(root.find_all(["a", "img"]), base_url)
    _shorten_blanks(root)
    try:
        text = _converter().convert_soup(root)
    except RecursionError:
        raise InvalidInput("The page is nested too deeply to be read.") from None
    lines = [line.rstrip() for line in text.split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


def _converter() -> _Converter:
    return _Converter(
        heading_style="atx",
        bullets="-",
        escape_underscores=False,
        code_language_callback=_language,
        strip_pre=None,
    )


def _shorten_blanks(root: Tag) -> None:
    """Make one blank of very many, as they are shown, but in code."""
    for text in root.find_all(string=_LONG_BLANK):
        if type(text) is NavigableString and text.find_parent("pre") is None:
            text.replace_with(_LONG_BLANK.sub(" ", text))


def _complete(elements: Iterable[Tag], base_url: str) -> None:
    for element in elements:
        name = "href" if element.name == "a" else "src"
        address = str(element.get(name) or "")
        if address and not address.startswith("#"):
            try:
                element[name] = urljoin(base_url, address)
            except ValueError:
                del element[name]


def _language(element: Tag) -> str:
    """Return the language that a code block declares, in itself or around it."""
    for candidate in (element.find("code"), element, *list(element.parents)[:2]):
        if not isinstance(candidate, Tag):
            continue
        for name in candidate.get_attribute_list("class"):
            match = _LANGUAGE.fullmatch(name or "")
            if match and match[1] not in {"default", "none", "text"}:
                return match[1]
    return ""
