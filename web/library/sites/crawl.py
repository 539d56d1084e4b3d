"""One crawl of a site: read the list, fetch what may have changed, commit what is there.

Requests come one after the other with a pause between them, conditional where the server gave
validators, and never to what robots.txt (RFC 9309) keeps from us. What is left out is counted and
written into the README.md of the mirror.
"""

import logging
import time
from collections import Counter
from collections.abc import Callable

from protego import Protego

from web.core import clock
from web.core.addresses import web_address
from web.core.errors import (
    InvalidInput,
    NotAllowed,
    NotFound,
    PortolanError,
    TooLarge,
    TooManyRequests,
    Unavailable,
)
from web.core.fetching import USER_AGENT, Fetched, fetch
from web.core.html import page_markdown
from web.core.limits import LIMITS
from web.core.markup import soft_wrapped
from web.core.redaction import redacted
from web.library.git.remotes import RemoteRefs
from web.library.sites.address import README, SiteAddress, page_path, parse_site
from web.library.sites.listing import LISTING_TYPES, Listing, read_listing
from web.library.sites.store import KnownPage, Memory, SiteStore

logger = logging.getLogger(__name__)

PAGE_TYPES = (
    "text/html",
    "application/xhtml+xml",
    "text/markdown",
    "text/x-markdown",
    "text/plain",
)
_REFUSED = "not for everyone"
_AGENT = USER_AGENT.partition("/")[0]
_LONGEST_DELAY_SECONDS = 10.0
# A page that the sitemap calls unchanged is asked for again after this time all the same.
_TRUSTED_SECONDS = 24 * 3600
# More failures than this share of the pages mean that the site is down, not that pages are gone.
_MOST_FAILING = 0.5
# A site that refuses so many pages, and has given none, wants a sign-in.
_MOST_REFUSED = 20


def crawl_site(
    repository_id: int,
    *,
    url: str,
    on_progress: Callable[[str, int], None],
    pause: Callable[[float], None] = time.sleep,
    force: bool = False,
) -> RemoteRefs:
    """Bring the mirror of a site up to date and return its one branch, as a remote would.

    The caller holds the mirror's lock. A site is crawled at most every LIMITS.min_site_minutes,
    sooner when its address was changed; with `force` at once, and every page is asked for as if it
    were new. `on_progress` gets what is done and how many percent.
    Raises InvalidInput for a listing that is none, and what went wrong when the listing or most of
    the pages cannot be had; the mirror stays as it was then.
    """
    store = SiteStore(repository_id)
    memory = store.memory()
    now = clock.now()
    age = now.timestamp() - memory.crawled_at
    if not force and memory.listing == url and 0 <= age < LIMITS.min_site_minutes * 60:
        return store.refs()
    crawl = _Crawl(parse_site(url), memory, store, pause, force=force)
    listing = crawl.read()
    pages = crawl.pages(listing, on_progress)
    files = {page.path: page.oid for page in pages.values()}
    files.setdefault(README, store.add(_readme(url, listing, len(pages))))
    store.commit(files, message=f"Crawl of {redacted(url)}", at=now)
    store.remember(Memory(listing=url, crawled_at=now.timestamp(), pages=pages))
    return store.refs()


class _Crawl:
    def __init__(
        self,
        site: SiteAddress,
        memory: Memory,
        store: SiteStore,
        pause: Callable[[float], None],
        *,
        force: bool,
    ) -> None:
        self._force = force
        self._site = site
        self._known = memory.pages
        self._store = store
        self._pause = pause
        self._robots = Protego.parse("")
        self._delay = LIMITS.site_pause_seconds
        self._has_asked = False

    def read(self) -> Listing:
        """Return the pages that are listed and that robots.txt lets us fetch."""
        self._read_robots()
        listing = read_listing(self._site, self._listing)
        for page in list(listing.pages):
            if not self._robots.can_fetch(page, _AGENT):
                del listing.pages[page]
                listing.skipped["kept from us by robots.txt"] += 1
        if not listing.pages:
            raise InvalidInput("The site's robots.txt keeps its pages from us.")
        return listing

    def pages(
        self, listing: Listing, on_progress: Callable[[str, int], None]
    ) -> dict[str, KnownPage]:
        """Return the pages that are there, fetched where they may have changed."""
        found: dict[str, KnownPage] = {}
        paths: set[str] = set()
        failures: Counter[str] = Counter()
        for number, (url, changed) in enumerate(listing.pages.items()):
            on_progress("pages", 100 * number // len(listing.pages))
            try:
                page = self._page(url, changed)
            except NotFound:
                listing.skipped["listed, but not there"] += 1
                continue
            except (InvalidInput, NotAllowed, TooLarge) as error:
                listing.skipped[_reason(error)] += 1
                if not found and listing.skipped[_REFUSED] >= _MOST_REFUSED:
                    break
                continue
            except PortolanError as error:
                failures[error.message] += 1
                self._check(error, failures, len(listing.pages))
                if url not in self._known:
                    listing.skipped["did not answer"] += 1
                    continue
                page = self._known[url]
            if page.path in paths:
                listing.skipped["the same page twice"] += 1
                continue
            paths.add(page.path)
            found[url] = page
        if not found and listing.skipped[_REFUSED]:
            raise NotAllowed(
                "The site refuses to show its pages.", hint="Only what everyone may read is read."
            )
        if not found:
            raise Unavailable("No page of the site could be read.", hint="Look at the site.")
        return found

    def _check(self, error: PortolanError, failures: Counter[str], total: int) -> None:
        if failures.total() <= max(total * _MOST_FAILING, 1):
            return
        reason = failures.most_common(1)[0][0]
        said, hint = f"Most pages of the site cannot be fetched: {reason}", "Sync again later."
        if isinstance(error, TooManyRequests):
            wait = error.retry_after_seconds
            raise TooManyRequests(said, retry_after_seconds=wait, hint=hint)
        raise Unavailable(said, hint=hint)

    def _page(self, url: str, changed: str) -> KnownPage:
        known = None if self._force else self._known.get(url)
        now = clock.now().timestamp()
        is_same = known is not None and changed != "" and changed == known.changed
        if known is not None and is_same and now - known.fetched_at < _TRUSTED_SECONDS:
            return known
        fetched = self._get(
            url,
            PAGE_TYPES,
            max_bytes=LIMITS.max_site_page_bytes,
            etag=known.etag if known else "",
            last_modified=known.last_modified if known else "",
        )
        if fetched.is_unchanged and known is not None:
            validators = {"etag": known.etag, "last_modified": known.last_modified}
            return KnownPage(known.path, known.oid, **validators, changed=changed, fetched_at=now)
        address = web_address(fetched.url)
        if not self._site.covers(address):
            raise InvalidInput("leads to another part of the web")
        path = page_path(address.target)
        if path is None:
            raise InvalidInput("an address that makes no path")
        return KnownPage(
            path=path,
            oid=self._store.add(_text_of(fetched)),
            etag=fetched.etag,
            last_modified=fetched.last_modified,
            changed=changed,
            fetched_at=now,
        )

    def _read_robots(self) -> None:
        """Read robots.txt; without one all is allowed, with one that fails nothing (RFC 9309)."""
        try:
            text = self._get(f"{self._site.origin}/robots.txt", ("text/*",)).body
        except (NotFound, NotAllowed, InvalidInput):
            text = b""
        self._robots = Protego.parse(text.decode("utf-8", "replace"))
        asked = self._robots.crawl_delay(_AGENT)
        self._delay = min(max(self._delay, float(asked or 0)), _LONGEST_DELAY_SECONDS)

    def _listing(self, url: str) -> Fetched:
        return self._get(url, LISTING_TYPES)

    def _get(self, url: str, content_types: tuple[str, ...], **options: object) -> Fetched:
        if self._has_asked:
            self._pause(self._delay)
        self._has_asked = True
        return fetch(url, content_types=content_types, **options)  # type: ignore[arg-type]


def _text_of(fetched: Fetched) -> str:
    """Return a page as Markdown, or text as it is."""
    if fetched.content_type in {"text/html", "application/xhtml+xml"}:
        _, text = page_markdown(fetched.body, base_url=fetched.url, charset=fetched.charset)
        return soft_wrapped(text)
    text = fetched.body.decode(fetched.charset or "utf-8", "replace")
    if not text.strip():
        raise InvalidInput("empty")
    return text


def _reason(error: PortolanError) -> str:
    if isinstance(error, NotAllowed):
        return _REFUSED
    if isinstance(error, TooLarge):
        return f"larger than {LIMITS.max_site_page_bytes:,} bytes"
    if "which cannot be read here" in error.message:
        return "neither HTML nor text"
    return error.message.rstrip(".")


def _readme(url: str, listing: Listing, count: int) -> str:
    """Return what the mirror holds and what it does not."""
    lines = [
        f"# {parse_site(url).listing.host}",
        "",
        f"{count:,} pages of the site, as {redacted(parse_site(url).listing.url)} lists them.",
    ]
    if listing.skipped:
        lines += ["", "Left out:", ""]
        lines += [f"- {count:,}: {reason}" for reason, count in sorted(listing.skipped.items())]
    if listing.introduction:
        lines += ["", listing.introduction.strip()]
    return "\n".join(lines) + "\n"
