"""Images of texts that people wrote: what cannot be shown becomes what it says, and a link.

Pages show no image of another host (that would tell it about their readers), and of this host only
those that are there. Readers of Markdown get whole addresses.
"""

import posixpath
import re
from collections.abc import Mapping
from html import escape, unescape
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from django.conf import settings
from django.contrib.staticfiles import finders

from web.core.fences import lines_and_fences
from web.core.limits import LIMITS

_LINK_OR_IMAGE = re.compile(r"<(?:a(?=[ >])|/a|img)[^>]*>")
_ATTRIBUTE = re.compile(r""" ([a-z]+)=(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))""", re.IGNORECASE)
_MARKDOWN_IMAGE = re.compile(
    r"`[^`\n]*`"  # in code an image is none
    r"|!\[(?P<words>[^\[\]\n]*)\]"
    rf"\([ \t]*<?(?P<address>[^()<>\s]{{1,{LIMITS.max_url_characters}}})>?"
    r"(?:[ \t]+(?:\"[^\"\n]{0,500}\"|'[^'\n]{0,500}'))?[ \t]*\)"
    rf"|(?P<element><img[ ][^<>\n]{{0,{2 * LIMITS.max_url_characters}}}>)",
    re.IGNORECASE,
)
_NO_MARKS = str.maketrans("", "", "[]\n")


def html_with_shown_images(html: str, *, base_url: str = "") -> str:
    """Return HTML, made safe already, with links in place of the images that cannot be shown.

    Addresses count from `base_url`, on this host unless it names another. A link to what this host
    should have, but has not, is of the class `missing-image`.
    """
    is_in_link = False

    def shown(match: re.Match[str]) -> str:
        nonlocal is_in_link
        tag = match[0]
        if not tag.startswith("<img"):
            is_in_link = not tag.startswith("</")
            return tag
        attributes = _attributes(tag)
        source = attributes.get("src", "")
        address = _completed(source, base_url)
        if _is_served(address):
            return tag.replace(f'src="{escape(source)}"', f'src="{escape(address)}"')
        words = escape(_words(attributes.get("alt", ""), source))
        if is_in_link or not _leads_somewhere(address):
            return words
        kind = "" if _is_foreign(address) else ' class="missing-image"'
        rel = "nofollow noopener noreferrer"
        return f'<a{kind} href="{escape(address)}" rel="{rel}">{words}</a>'

    return _LINK_OR_IMAGE.sub(shown, html)


def markdown_with_shown_images(text: str, *, base_url: str) -> str:
    """Return Markdown with links in place of images, and whole addresses; it has the same lines.

    Images of this host that are there stay images. Code stays as it is.
    """
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(settings.PUBLIC_URL))

    def shown(match: re.Match[str]) -> str:
        attributes = _attributes(match["element"] or "")
        source = match["address"] or attributes.get("src", "")
        if not source:
            return match[0]
        address = _completed(source, base_url)
        words = _words(match["words"] or attributes.get("alt", ""), source).translate(_NO_MARKS)
        if not _leads_somewhere(address):
            return words
        mark = "!" if _is_served(address.removeprefix(origin)) else ""
        return f"{mark}[{words}]({address})"

    return "\n".join(
        line if is_code or line.startswith(("    ", "\t")) else _MARKDOWN_IMAGE.sub(shown, line)
        for line, is_code in lines_and_fences(text)
    )


def _attributes(tag: str) -> Mapping[str, str]:
    return {
        name.lower(): unescape(double or single or bare)
        for name, double, single, bare in _ATTRIBUTE.findall(tag)
    }


def _completed(source: str, base_url: str) -> str:
    # Browsers drop white space and take a backslash for a slash.
    read = re.sub(r"[\x00-\x20]", "", source).replace("\\", "/")
    try:
        return urljoin(base_url, read) if read else ""
    except ValueError:
        return ""


def _words(alternative: str, source: str) -> str:
    """Return what an image says: its text, else the name of its file."""
    path = "" if source.lower().startswith("data:") else source.partition("?")[0]
    return alternative.strip() or unquote(path.rstrip("/").rpartition("/")[2]) or "image"


def _is_foreign(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return True
    return bool(parts.scheme or parts.netloc)


def _leads_somewhere(address: str) -> bool:
    try:
        return bool(address) and urlsplit(address).scheme in {"", "http", "https"}
    except ValueError:
        return False


def _is_served(address: str) -> bool:
    """Say whether this host has an image there: posts keep no files, so it is a static one."""
    if not address or _is_foreign(address):
        return False
    path = posixpath.normpath(unquote(urlsplit(address).path))
    name = path.removeprefix(urlsplit(settings.STATIC_URL).path)
    if name == path or "\0" in name:
        return False
    return (Path(settings.STATIC_ROOT) / name).is_file() or finders.find(name) is not None
