"""Addresses of sites: `site+https://host/sitemap.xml` or `…/llms.txt`, `#/docs/` for a part only.

How a page of the site is called in the mirror, and back, is here as well.
"""

from dataclasses import dataclass
from urllib.parse import quote, unquote

from web.core.addresses import WebAddress, web_address
from web.core.errors import InvalidInput

PREFIX = "site+"
README = "README.md"
"""The page of the mirror that says what was crawled, unless the site has one of that name."""
_LONGEST_PATH_BYTES = 1000
_TEXT_SUFFIXES = (".md", ".mdx", ".txt", ".rst", ".adoc")


@dataclass(frozen=True, slots=True)
class SiteAddress:
    """`listing` is the sitemap or llms.txt; `part` how paths of wanted pages begin."""

    listing: WebAddress
    part: str

    @property
    def origin(self) -> str:
        """Scheme and host, without a slash behind."""
        return f"{self.listing.scheme}://{self.listing.authority}"

    def covers(self, page: WebAddress) -> bool:
        """Say whether a page belongs to the site: the same host (also with www.), and the part."""
        same = page.host.removeprefix("www.") == self.listing.host.removeprefix("www.")
        return same and page.port == self.listing.port and page.target.startswith(self.part)


def is_site(url: str) -> bool:
    """Say whether the address of a source is that of a site."""
    return url.strip().startswith(PREFIX)


def parse_site(url: str) -> SiteAddress:
    """Return the address in its parts; nothing is looked up.

    Raises InvalidInput for what is never fetched, and for a part that does not begin with a slash.
    """
    listing, _, part = url.strip().removeprefix(PREFIX).partition("#")
    part = quote(part or "/", safe="/%:@!$&'()*+,;=~-._")
    if not part.startswith("/"):
        raise InvalidInput(
            "The part of the site does not begin with a slash.",
            hint="Write it as in site+https://docs.example.org/sitemap.xml#/guide/",
            fields={"url": "the part begins with a slash"},
        )
    return SiteAddress(listing=web_address(listing), part=part)


def page_path(target: str) -> str | None:
    """Return where the mirror keeps the page with this path and query; None where it cannot.

    A page of HTML gets `.md` behind its path, `/guide/` is `guide/index.md`; text keeps its name.
    """
    path, _, query = target.partition("?")
    segments = []
    for segment in path.removeprefix("/").split("/"):
        plain = unquote(segment, errors="replace")
        segments.append(segment if "/" in plain or "?" in plain else plain)
    if segments[-1] == "":
        segments[-1] = "index"
    if query:
        segments[-1] += f"?{query}"
    if any(segment in {"", ".", ".."} or segment.lower() == ".git" for segment in segments):
        return None
    found = "/".join(segments)
    found = found if found.lower().endswith(_TEXT_SUFFIXES) else f"{found}.md"
    if not found.isprintable() or len(found.encode()) > _LONGEST_PATH_BYTES or "\\" in found:
        return None
    return found


def page_url(url: str, path: str) -> str:
    """Return the web address of a page in the mirror of the site `url`.

    Of Markdown that the site offers itself it is that of the page it stands for, as llms.txt has
    it (https://llmstxt.org): the same address without `.md`. That of the mirror's own README.md
    is the listing of the pages.
    """
    if path == README:
        return parse_site(url).listing.url
    name, _, query = path.removesuffix(".md").partition("?")
    if name == "index" or name.endswith("/index"):
        name = name.removesuffix("index")
    quoted = quote(name, safe="/%:@!$&'()*+,;=~-._")
    return f"{parse_site(url).origin}/{quoted}{'?' + query if query else ''}"
