import gzip
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.web.local_server import Reply, serving
from web.accounts.principals import ANONYMOUS
from web.core.errors import InvalidInput, PortolanError, Unavailable
from web.core.limits import LIMITS
from web.library.git.objects import ObjectStore
from web.library.models import Repository
from web.library.selectors.documents import document_text, documents_listed
from web.library.selectors.repositories import repository_overview
from web.library.services.repositories import RepositoryFields, repository_add
from web.library.services.sync import repository_sync

HTML = {"Content-Type": "text/html; charset=utf-8"}
WORDS = "Some words that fill the page until it looks like one that people wrote by hand. " * 3


class Clock:
    def __init__(self):
        self.time = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)

    def __call__(self):
        return self.time


class Site:
    """A site on loopback, in the catalogue as `docs`."""

    def __init__(self, server, clock):
        self.server, self._clock = server, clock

    def page(self, path, title, text=WORDS, **headers):
        body = f"<title>{title}</title><main><h1>{title}</h1><p>{text}</p></main>".encode()
        self.server.routes[path] = Reply(body, headers={**HTML, **headers})

    def lists(self, *paths, **changed):
        urls = "".join(
            f"<url><loc>{self.server.url(path)}</loc>"
            f"{f'<lastmod>{changed[path]}</lastmod>' if path in changed else ''}</url>"
            for path in paths
        )
        self.gives("/sitemap.xml", f"<urlset xmlns='{NAMESPACE}'>{urls}</urlset>".encode())

    def gives(self, path, body, kind="application/xml", **more):
        self.server.routes[path] = Reply(body, headers={"Content-Type": kind}, **more)

    def add(self, path="/sitemap.xml", part=""):
        repository_add(
            name="docs",
            url=f"site+{self.server.url(path)}{part}",
            fields=RepositoryFields(documentation_globs=["*"]),
        )
        return self

    def sync(self, later=timedelta(hours=1), *, force=False):
        self._clock.time += later
        self.server.asked.clear()
        return repository_sync(name="docs", force=force)

    @property
    def asked(self):
        return [asked.path for asked in self.server.asked]

    def paths(self):
        return [d.path for d in documents_listed(principal=ANONYMOUS).documents]

    def text(self, path):
        return document_text(principal=ANONYMOUS, repository="docs", path=path)


NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


@pytest.fixture
def site(transactional_db, settings, tmp_path, monkeypatch):
    settings.DATA_DIR = tmp_path
    settings.FETCH_PRIVATE_HOSTS = frozenset({"127.0.0.1"})
    clock = Clock()
    monkeypatch.setattr("web.core.clock._now", clock)
    hasty = LIMITS.model_copy(update={"site_pause_seconds": 0.0})
    monkeypatch.setattr("web.library.sites.crawl.LIMITS", hasty)
    with serving() as server:
        yield Site(server, clock)


def test_the_pages_of_a_sitemap_become_documents(site):
    site.page("/guide/", "Guide", WORDS + "<h2>Rhumb lines</h2><p>They cross the sea.")
    site.page("/install.html", "Install")
    site.lists("/guide/", "/install.html")

    report = site.add().sync()

    assert report.outcome == "updated"
    assert site.paths() == ["README.md", "guide/index.md", "install.html.md"]
    guide = site.text("guide/index.md")
    assert guide.title == "Guide"
    assert "## Rhumb lines\n\nThey cross the sea." in guide.text
    assert guide.url == site.server.url("/guide/")
    assert [each.heading for each in guide.sections] == ["Guide", "Rhumb lines"]
    assert "2 pages of the site" in site.text("README.md").text


def test_the_links_of_an_llms_txt_become_documents(site):
    site.gives(
        "/llms.txt",
        b"# Harbours\n\n> All about them.\n\n- [Guide](/guide.md): how\n"
        b"- [Else](https://elsewhere.example/x.md)\n",
        "text/plain",
    )
    site.gives("/guide.md", b"# Guide\n\nRead *this*.\n", "text/markdown")

    site.add("/llms.txt?key=k3y-of-ann").sync()

    assert site.paths() == ["README.md", "guide.md"]
    assert site.text("guide.md").text == "# Guide\n\nRead *this*."
    readme = site.text("README.md").text
    told = f"{readme} {repository_overview(principal=ANONYMOUS, repository='docs')}"
    assert "llms.txt" in told
    assert "k3y" not in told
    assert "> All about them." in readme
    assert "- 1: not of this part of the site" in readme


def test_indexes_of_sitemaps_and_packed_ones_are_followed(site):
    site.page("/a", "Page A")
    site.page("/b", "Page B")
    one = f"<urlset><url><loc>{site.server.url('/a')}</loc></url></urlset>".encode()
    two = f"<urlset><url><loc>{site.server.url('/b')}</loc></url></urlset>".encode()
    site.gives("/one.xml", one)
    site.gives("/two.xml.gz", gzip.compress(two), "application/gzip")
    index = "".join(
        f"<sitemap><loc>{url}</loc></sitemap>"
        for url in (
            *(site.server.url("/one.xml"), site.server.url("/two.xml.gz")),
            *(site.server.url("/sitemap.xml"), "https://elsewhere.example/sitemap.xml"),
        )
    )
    site.gives("/sitemap.xml", f"<sitemapindex>{index}</sitemapindex>".encode())

    site.add().sync()

    assert site.paths() == ["README.md", "a.md", "b.md"]
    assert "- 1: sitemaps of another host" in site.text("README.md").text


def test_only_the_wanted_part_of_a_site_is_fetched(site):
    site.page("/docs/a", "Page A")
    site.page("/shop/b", "Page B")
    site.lists("/docs/a", "/shop/b")

    site.add(part="#/docs/").sync()

    assert site.paths() == ["README.md", "docs/a.md"]
    assert "/shop/b" not in site.asked


def test_robots_txt_is_heeded(site):
    site.page("/a", "Page A")
    site.page("/private/b", "Page B")
    site.page("/c.pdf", "Page C")
    site.lists("/a", "/private/b", "/c.pdf")
    site.gives(
        "/robots.txt", b"User-agent: *\nDisallow: /private/\nDisallow: /*.pdf$\n", "text/plain"
    )

    site.add().sync()

    assert site.paths() == ["README.md", "a.md"]
    assert site.asked == ["/robots.txt", "/sitemap.xml", "/a"]
    assert "- 2: kept from us by robots.txt" in site.text("README.md").text


def test_requests_keep_the_pause_that_robots_txt_asks_for(site, monkeypatch):
    from web.library.sites.crawl import crawl_site

    site.page("/a", "Page A")
    site.page("/b", "Page B")
    site.lists("/a", "/b")
    site.gives("/robots.txt", b"User-agent: Portolan\nCrawl-delay: 3\n", "text/plain")
    site.add()
    pauses = []

    crawl_site(
        Repository.objects.get().pk,
        url=f"site+{site.server.url('/sitemap.xml')}",
        on_progress=print,
        pause=pauses.append,
    )

    assert pauses == [3.0, 3.0, 3.0]


@pytest.mark.parametrize("status", [404, 403])
def test_a_site_without_robots_txt_allows_all(site, status):
    site.page("/a", "Page A")
    site.lists("/a")
    site.gives("/robots.txt", b"", status=status)

    site.add().sync()

    assert "a.md" in site.paths()


def test_a_site_whose_robots_txt_fails_is_left_alone(site):
    site.page("/a", "Page A")
    site.lists("/a")
    site.gives("/robots.txt", b"", status=500)
    site.add()

    with pytest.raises(Unavailable):
        site.sync()
    assert site.asked == ["/robots.txt"]


def test_a_second_crawl_asks_conditionally_and_changes_nothing(site):
    site.page("/a", "Page A", ETag='"1"')
    site.lists("/a")
    site.add().sync()
    site.server.routes["/a"] = lambda asked: Reply(
        status=304 if asked.headers.get("If-None-Match") == '"1"' else 500
    )

    report = site.sync()

    assert report.outcome == "unchanged"
    assert "/a" in site.asked
    assert "a.md" in site.paths()


def test_a_page_that_the_sitemap_calls_unchanged_is_not_asked_for_within_a_day(site):
    site.page("/a", "Page A")
    changed = {"/a": "2026-11-01"}
    site.lists("/a", **changed)
    site.add().sync()

    site.sync()
    assert "/a" not in site.asked

    site.sync(timedelta(days=1))
    assert "/a" in site.asked


def test_a_forced_crawl_is_made_at_once_and_asks_for_every_page_as_if_it_were_new(site):
    site.page("/a", "Page A", ETag='"1"')
    site.lists("/a", **{"/a": "2026-11-01"})
    site.add().sync()
    site.page("/a", "Page A", "Changed behind the validators. " * 9, ETag='"1"')

    site.sync(timedelta(seconds=1))
    assert site.asked == []

    site.sync(timedelta(seconds=1), force=True)
    assert "/a" in site.asked
    [asked] = [asked for asked in site.server.asked if asked.path == "/a"]
    assert "If-None-Match" not in asked.headers
    assert "Changed behind the validators." in site.text("a.md").text


def test_a_page_that_fails_in_a_forced_crawl_keeps_its_last_text(site):
    site.page("/a", "Page A")
    site.page("/b", "Page B")
    site.page("/c", "Page C")
    site.lists("/a", "/b", "/c")
    site.add().sync()
    site.server.routes["/a"] = Reply(status=500)

    site.sync(timedelta(seconds=1), force=True)

    assert site.paths() == ["README.md", "a.md", "b.md", "c.md"]


def test_changed_new_and_removed_pages_are_seen(site):
    site.page("/a", "Page A")
    site.page("/b", "Page B")
    site.lists("/a", "/b")
    site.add().sync()

    site.page("/a", "Page A", "Changed. " * 20)
    site.page("/c", "Page C")
    site.lists("/a", "/c")
    report = site.sync()

    assert report.outcome == "updated"
    assert site.paths() == ["README.md", "a.md", "c.md"]
    assert "Changed." in site.text("a.md").text


def test_a_site_is_not_crawled_again_at_once(site):
    site.page("/a", "Page A")
    site.lists("/a")
    site.add().sync()

    report = site.sync(later=timedelta(minutes=5))

    assert report.outcome == "unchanged"
    assert site.asked == []


def test_a_page_that_fails_keeps_its_last_text(site):
    for name in "abc":
        site.page(f"/{name}", f"Page {name}")
    site.lists("/a", "/b", "/c")
    site.add().sync()
    site.server.routes["/a"] = Reply(status=503)

    report = site.sync()

    assert report.outcome == "unchanged"
    assert "Page a" in site.text("a.md").text


def test_a_site_that_is_down_is_marked_as_stale_and_keeps_its_pages(site):
    for name in "abcd":
        site.page(f"/{name}", f"Page {name}")
    site.lists("/a", "/b", "/c", "/d")
    site.add().sync()
    for name in "abcd":
        site.server.routes[f"/{name}"] = Reply(status=503)

    with pytest.raises(Unavailable, match="Most pages of the site cannot be fetched"):
        site.sync()

    assert len(site.paths()) == 5
    assert site.text("a.md").freshness.stale_since is not None


@pytest.mark.parametrize(
    ("status", "refused", "asked", "minutes"),
    [
        (401, "/sitemap.xml", 2, 5),
        (403, "pages", 22, 5),  # the first 20 of them
        (429, "/sitemap.xml", 2, 10),
        (429, "pages", 18, 10),  # the larger half
    ],
)
def test_a_site_that_refuses_is_left_alone_for_a_while(site, status, refused, asked, minutes):
    paths = [f"/{number}" for number in range(30)]
    site.lists(*paths)
    for path in paths if refused == "pages" else [refused]:
        site.gives(path, b"", status=status)
        site.server.routes[path].headers["Retry-After"] = "600"
    site.add()

    with pytest.raises(PortolanError):
        site.sync()

    assert len(site.asked) == asked
    row = Repository.objects.get()
    assert row.sync_retry_at - row.sync_refused_at == timedelta(minutes=minutes)


def test_what_is_left_out_is_counted_with_its_reason(site):
    site.page("/a", "Page A")
    site.page("/big", "Big", "x" * 3_000_000)
    site.gives("/image", b"x", "image/png")
    site.gives("/secret", b"x", status=403)
    site.server.routes["/away"] = Reply(status=302, headers={"Location": "/other"})
    site.page("/other", "Other")
    site.server.routes["/noindex"] = Reply(
        b"<meta name=robots content='NOINDEX,follow'><p>x", headers=HTML
    )
    site.server.routes["/empty"] = Reply(b"<script>app()</script>", headers=HTML)
    site.lists(
        *("/a", "/big", "/image", "/secret", "/away", "/other", "/noindex", "/empty", "/gone"),
        "/double//slash",
        "/.git/config",
    )
    site.page("/double//slash", "Double")

    site.add().sync()

    assert site.paths() == ["README.md", "a.md", "other.md"]
    readme = site.text("README.md").text
    for line in (
        "- 2: listed, but not there",
        "- 1: an address that makes no path",
        "- 1: larger than 2,097,152 bytes",
        "- 1: neither HTML nor text",
        "- 1: not for everyone",
        "- 1: the same page twice",
        "- 1: The page wants not to be indexed",
        "- 1: The page has no text",
    ):
        assert line in readme


def test_pages_beyond_the_bound_are_counted(site, monkeypatch):
    few = LIMITS.model_copy(update={"max_site_pages": 2})
    monkeypatch.setattr("web.library.sites.listing.LIMITS", few)
    for name in "abc":
        site.page(f"/{name}", f"Page {name}")
    site.lists("/a", "/b", "/c")

    site.add().sync()

    assert site.paths() == ["README.md", "a.md", "b.md"]
    assert "- 1: beyond the first 2 pages" in site.text("README.md").text


def test_entities_of_a_sitemap_load_nothing(site):
    site.page("/a", "Page A")
    site.gives(
        "/sitemap.xml",
        f"<!DOCTYPE urlset [<!ENTITY x SYSTEM '{site.server.url('/stolen')}'>]>"
        f"<urlset><url><loc>{site.server.url('/a')}?&x;</loc></url></urlset>".encode(),
    )
    site.add()

    with pytest.raises(InvalidInput, match="neither a sitemap nor"):
        site.sync()
    assert "/stolen" not in site.asked


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"<html><body>Hi", "text/html"),
        (b"<urlset><url>", "application/xml"),
        (b"<rss version='2.0'/>", "application/xml"),
        (b"<urlset></urlset>", "application/xml"),
        (b"nothing listed here", "text/plain"),
        (gzip.compress(b"<urlset></urlset>", mtime=0)[:-6], "application/gzip"),
    ],
)
def test_what_is_no_listing_is_refused_and_recorded(site, body, kind):
    site.gives("/sitemap.xml", body, kind)
    site.add()

    with pytest.raises(PortolanError):
        site.sync()
    assert Repository.objects.get().stale_since is not None


def test_a_listing_on_a_private_address_is_refused(site, settings):
    """R92: the rules of feeds hold for sites."""
    site.add()
    settings.FETCH_PRIVATE_HOSTS = frozenset()

    with pytest.raises(InvalidInput, match="not public"):
        site.sync()
    assert site.asked == []


def test_a_page_in_another_encoding_is_read(site):
    site.server.routes["/a"] = Reply(
        f"<meta charset=iso-8859-1><title>Häfen</title><main><p>Bücher {WORDS}</main>".encode(
            "iso-8859-1"
        ),
        headers={"Content-Type": "text/html"},
    )
    site.lists("/a")

    site.add().sync()

    assert "Bücher" in site.text("a.md").text
    assert site.text("a.md").title == "Häfen"


def test_each_crawl_that_changes_something_is_a_commit(site):
    site.page("/a", "Page A")
    site.lists("/a")
    site.add().sync()
    site.page("/a", "Page A", "Changed. " * 20)
    site.sync()
    site.sync()

    store = ObjectStore(Repository.objects.get().pk)
    head = store.refs()["refs/heads/site"]
    assert len(store.commits(commit=head, limit=10)) == 2


def test_the_command_adds_a_site_and_indexes_it(site, monkeypatch):
    site.page("/docs/a", "Page A")
    site.page("/b", "Page B")
    site.lists("/docs/a", "/b")
    out = StringIO()

    address = StringIO(f"{site.server.url('/sitemap.xml?key=k3y-of-ann')}\n")
    monkeypatch.setattr("sys.stdin", address)
    call_command("add_site_source", "docs", "--part", "/docs/", stdout=out, stderr=out)

    assert "Added docs." in out.getvalue()
    assert "k3y" not in out.getvalue()
    assert site.paths() == ["README.md", "docs/a.md"]
    with pytest.raises(CommandError, match="must start with http"):
        call_command("add_site_source", "other", "file:///etc/passwd", stderr=StringIO())
