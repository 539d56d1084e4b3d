"""HTML of other people as Markdown: what feeds and sites say, without scripts, style or chrome."""

import re
from collections.abc import Callable, Iterable
from urllib.parse import urljoin

from bs4 import BeautifulSoup, Tag
from bs4.dammit import UnicodeDammit

from web.core.converter import markdown_of
from web.core.errors import InvalidInput

_NOISE = {
    *("script", "style", "template", "noscript", "iframe", "object", "embed", "svg"),
    *("link", "input", "select", "textarea"),
}
_CHROME = {"nav", "header", "footer", "aside", "button", "dialog"}
_CHROME_ROLES = {"navigation", "search", "banner", "contentinfo"}
_CHROME_CLASSES = {"headerlink", "sphinxsidebar", "related", "breadcrumbs", "toc", "edit-this-page"}
# What a page may be about, the surest first; looked for in one walk over the page.
_MAIN: tuple[Callable[[Tag], bool], ...] = (
    lambda element: element.name == "article" and element.find_parent("main") is not None,
    lambda element: element.get("role") == "main",
    lambda element: element.name == "main",
    lambda element: element.name == "article",
    lambda element: element.get("id") == "content",
    lambda element: "content" in element.get_attribute_list("class"),
)
_NO_INDEX = re.compile(r"\b(?:noindex|none)\b", re.IGNORECASE)
_LEAST_WORDS = 20
_FEED_TYPES = {"application/rss+xml", "application/atom+xml"}
_TITLE_SUFFIX = re.compile(r"\s+[-|·»\u2013\u2014]\s+[^-|·»\u2013\u2014]+$")


def html_markdown(html: str, *, base_url: str = "") -> str:
    """Return a fragment of HTML as Markdown; relative links are completed with `base_url`.

    Raises InvalidInput as `markdown_of` does.
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

    Of bytes the encoding is `charset`, or what the page itself declares. Raises InvalidInput as
    `markdown_of` does, when it has no text, and when it wants not to be indexed.
    """
    soup = _soup(html, charset)
    if soup.find("meta", attrs={"name": "robots", "content": _NO_INDEX}):
        raise InvalidInput("The page wants not to be indexed.")
    title = _title(soup)
    _drop(soup, _is_chrome)
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
    _drop(soup, lambda element: element.name in _NOISE)
    return soup


def _drop(root: Tag, is_unwanted: Callable[[Tag], bool]) -> None:
    """Take elements out; from the last on, so that none is looked for among its siblings."""
    waiting = [root]
    while waiting:
        parent = waiting.pop()
        for index in range(len(parent.contents) - 1, -1, -1):
            child = parent.contents[index]
            if not isinstance(child, Tag):
                continue
            if is_unwanted(child):
                child.extract(_self_index=index)
            else:
                waiting.append(child)


def _is_chrome(element: Tag) -> bool:
    """Say whether an element leads through a site, in place of being what its page is about."""
    attributes = element.attrs
    return element.name in _CHROME or (
        bool(attributes)
        and (
            "hidden" in attributes
            or attributes.get("aria-hidden") == "true"
            or attributes.get("role") in _CHROME_ROLES
            or not _CHROME_CLASSES.isdisjoint(element.get_attribute_list("class"))
        )
    )


def _main(soup: BeautifulSoup) -> Tag:
    """Return the element that holds what the page is about; the first rule that gives text."""
    found: list[list[Tag]] = [[] for _ in _MAIN]
    for element in soup.descendants:
        if isinstance(element, Tag):
            for one, is_main in zip(found, _MAIN, strict=True):
                if len(one) <= 1 and is_main(element):
                    one.append(element)
    for one in found:
        if len(one) == 1 and len(one[0].get_text(" ").split()) >= _LEAST_WORDS:
            return one[0]
    return soup.body or soup  # of little text all of it, but for the head


def _title(soup: BeautifulSoup) -> str:
    headings = soup.find_all("h1", limit=2)
    if len(headings) == 1:
        _drop(headings[0], lambda element: "headerlink" in element.get_attribute_list("class"))
        text = " ".join(headings[0].get_text().split())
        if text:
            return text
    text = " ".join(soup.title.get_text().split()) if soup.title else ""
    return _TITLE_SUFFIX.sub("", text)


def _markdown(root: Tag, base_url: str) -> str:
    if base_url:
        _complete(root.find_all(["a", "img"]), base_url)
    lines = [line.rstrip() for line in markdown_of(root).split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


def _complete(elements: Iterable[Tag], base_url: str) -> None:
    for element in elements:
        name = "href" if element.name == "a" else "src"
        address = str(element.get(name) or "")
        if address and not address.startswith("#"):
            try:
                element[name] = urljoin(base_url, address)
            except ValueError:
                del element[name]
