"""Which pages a site has, as its sitemap or its llms.txt says."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import urljoin

from lxml import etree
from markdown_it import MarkdownIt

from web.core.addresses import WebAddress, web_address
from web.core.errors import InvalidInput
from web.core.fetching import Fetched, inflated
from web.core.limits import LIMITS
from web.library.sites.address import SiteAddress

LISTING_TYPES = (
    "application/xml",
    "text/xml",
    "application/gzip",
    "application/x-gzip",
    "application/octet-stream",
    "text/*",
)
_GZIP = b"\x1f\x8b"


@dataclass(slots=True)
class Listing:
    """The pages, each once and in order: address by what the sitemap says of its last change.

    `introduction` is the text of an llms.txt. `skipped` are addresses left out, by reason.
    """

    pages: dict[str, str] = field(default_factory=dict)
    introduction: str = ""
    skipped: Counter[str] = field(default_factory=Counter)


def read_listing(site: SiteAddress, get: Callable[[str], Fetched]) -> Listing:
    """Return the pages of a site; `get` fetches a listing.

    Indexes of sitemaps are followed, LIMITS.max_sitemaps in all. Raises InvalidInput for what is
    neither a sitemap nor an llms.txt, and when no page is listed.
    """
    listing = Listing()
    waiting, read = [site.listing.url], set[str]()
    while waiting:
        url = waiting.pop(0)
        if url in read:
            continue
        if len(read) >= LIMITS.max_sitemaps:
            listing.skipped[f"sitemaps beyond the first {LIMITS.max_sitemaps}"] += 1
            continue
        read.add(url)
        fetched = get(url)
        text = _unpacked(fetched.body)
        if text.lstrip().startswith(b"<"):
            waiting += _read_sitemap(text, site, listing)
        else:
            _read_llms(text, fetched.url, site, listing)
    if not listing.pages:
        reasons = ", ".join(f"{reason}: {count}" for reason, count in listing.skipped.items())
        raise InvalidInput(
            f"No page of the site is listed there{f' ({reasons})' if reasons else ''}.",
            hint="Give the address of a sitemap.xml or an llms.txt, and the right part behind #.",
            fields={"url": "lists no page of the site"},
        )
    return listing


def _unpacked(body: bytes) -> bytes:
    if not body.startswith(_GZIP):
        return body
    return inflated(body, max_bytes=LIMITS.max_fetched_bytes)


def _read_sitemap(text: bytes, site: SiteAddress, listing: Listing) -> list[str]:
    """Add the pages of a sitemap (sitemaps.org); return the further sitemaps it names."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=False
    )
    try:
        root = etree.fromstring(text.lstrip(), parser)
    except etree.XMLSyntaxError:
        raise _not_a_listing() from None
    kind = etree.QName(root).localname
    if kind not in {"urlset", "sitemapindex"} or root.getroottree().docinfo.doctype:
        raise _not_a_listing()
    further = []
    for element in root:
        address = (element.findtext("{*}loc") or "").strip()
        if kind == "sitemapindex":
            further += _same_site([address], site, listing)
        else:
            _add(address, (element.findtext("{*}lastmod") or "").strip()[:40], site, listing)
    return further


def _read_llms(text: bytes, url: str, site: SiteAddress, listing: Listing) -> None:
    """Add the pages that the links of an llms.txt lead to (https://llmstxt.org)."""
    listing.introduction = text.decode("utf-8", "replace").replace("\0", "")
    for address in _links(listing.introduction):
        try:
            absolute = urljoin(url, address)
        except ValueError:
            absolute = address
        _add(absolute, "", site, listing)


def _links(text: str) -> Iterator[str]:
    for token in MarkdownIt("commonmark").parse(text):
        for child in token.children or ():
            if child.type == "link_open":
                yield str(child.attrGet("href") or "")


def _add(address: str, changed: str, site: SiteAddress, listing: Listing) -> None:
    page = _parsed(address, listing)
    if page is None:
        return
    if not site.covers(page):
        listing.skipped["not of this part of the site"] += 1
    elif page.url not in listing.pages:
        if len(listing.pages) >= LIMITS.max_site_pages:
            listing.skipped[f"beyond the first {LIMITS.max_site_pages:,} pages"] += 1
        else:
            listing.pages[page.url] = changed


def _same_site(addresses: list[str], site: SiteAddress, listing: Listing) -> list[str]:
    whole = SiteAddress(site.listing, "/")
    found = []
    for address in addresses:
        page = _parsed(address, listing)
        if page is not None and whole.covers(page):
            found.append(page.url)
        elif page is not None:
            listing.skipped["sitemaps of another host"] += 1
    return found


def _parsed(address: str, listing: Listing) -> WebAddress | None:
    try:
        return web_address(address)
    except InvalidInput:
        listing.skipped["not a web address"] += 1
        return None


def _not_a_listing() -> InvalidInput:
    return InvalidInput(
        "This is neither a sitemap nor an llms.txt.",
        hint="Give the address of a sitemap.xml or an llms.txt.",
        fields={"url": "is neither a sitemap nor an llms.txt"},
    )
