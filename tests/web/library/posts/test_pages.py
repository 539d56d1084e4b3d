import xml.etree.ElementTree as ET
from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from web.accounts.principals import ANONYMOUS
from web.library.posts.models import Post
from web.library.selectors.posts import post_text

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def editor(db):
    return User.objects.create_superuser("ann", password="x")


def test_the_blog_lists_visible_posts_newest_first(client, write, clock):
    write("Older", tags=["news"])
    clock.forward(days=1)
    write("Newer")
    write("Draft", status="draft")
    write("Later", published_at=clock.time + timedelta(days=1))

    page = client.get("/blog/").content.decode()

    assert page.index("Newer") < page.index("Older")
    assert "Draft" not in page
    assert "Later" not in page
    assert 'datetime="2026-11-30T12:00:00+00:00"' in page
    assert '<a href="/blog/tags/news/">news</a> (1)' in page


def test_the_blog_shows_the_beginning_of_a_post_without_the_marks_of_markdown(client, write):
    write(
        "Ahoy",
        body="# Tools\n\nThe **first** `sextant_x` is\n[here](https://x.org/), a < b.\n\n- one",
    )

    page = client.get("/blog/").content.decode()

    assert "<p>The first sextant_x is here, a &lt; b. one</p>" in page


def test_the_home_page_shows_the_latest_posts(client, write):
    assert "Latest posts" not in client.get("/").content.decode()

    write("Ahoy")

    assert '<a href="/blog/ahoy/">Ahoy</a>' in client.get("/").content.decode()


def test_an_empty_blog_says_so(client, db):
    assert "There are no posts yet." in client.get("/blog/").content.decode()


def test_a_long_blog_is_turned_page_by_page(client, write, clock):
    for number in range(25):
        write(f"Post-{number}.")
        clock.forward(hours=1)

    first = client.get("/blog/").content.decode()
    link = first.split('<a href="?cursor=')[1].split('"')[0]
    second = client.get(f"/blog/?cursor={link}").content.decode()

    assert "Post-24." in first
    assert "Post-4." not in first
    assert "Post-4." in second
    assert "Older posts" not in second
    assert client.get("/blog/?cursor=nonsense").status_code == 404


def test_a_tag_has_its_page(client, write):
    write("One", tags=["ci/cd"])
    write("Two")

    page = client.get("/blog/tags/ci/cd/").content.decode()

    assert "One" in page
    assert "Two" not in page
    assert client.get("/blog/tags/unknown/").status_code == 404
    assert client.get("/blog/tags/a%00b/").status_code == 404


def test_a_post_has_its_page_with_headings_below_its_title(client, write):
    write("Guide <1>", "# Part\n\n<script>x</script>\n\n## Sub part\n\nText.\n", author="Ann & Co")

    page = client.get("/blog/guide-1/").content.decode()

    assert "<h1>Guide &lt;1&gt;</h1>" in page
    assert '<h2 id="part">Part</h2>' in page
    assert '<h3 id="sub-part">Sub part</h3>' in page
    assert "by Ann &amp; Co" in page
    assert "<script" not in page


def test_a_page_needs_nothing_from_elsewhere(client, write):
    write("Guide", "![x](https://elsewhere.example/x.png)\n\n[link](https://elsewhere.example/)\n")

    response = client.get("/blog/guide/")

    assert "default-src 'none'" in response.headers["Content-Security-Policy"]
    assert 'src="https://elsewhere' not in response.content.decode()
    assert " style=" not in response.content.decode()


def test_images_that_are_not_there_are_text_for_every_reader(client, write, settings):
    write("Guide", "![a mast](mast.png)\n")
    missing = "/blog/guide/mast.png"

    page = client.get("/blog/guide/").content.decode()
    feed = ET.fromstring(client.get("/blog/feed.xml").content)  # noqa: S314 - our own
    told = post_text(principal=ANONYMOUS, slug="guide").text

    link = (
        f'<a class="missing-image" href="{missing}" rel="nofollow noopener noreferrer">a mast</a>'
    )
    assert link in page
    assert link in feed.findtext(f"{ATOM}entry/{ATOM}content")
    assert told == f"[a mast]({settings.PUBLIC_URL}{missing})"


@pytest.mark.parametrize("status", ["draft", "published"])
def test_a_draft_and_a_later_post_are_shown_to_editors_only(client, write, clock, editor, status):
    write("Plans", status=status, published_at=clock.time + timedelta(days=1))
    assert client.get("/blog/plans/").status_code == 404

    client.force_login(User.objects.create_user("bob"))
    assert client.get("/blog/plans/").status_code == 404

    client.force_login(editor)
    response = client.get("/blog/plans/")
    assert "Only you and other editors see this" in response.content.decode()
    assert "no-store" in response.headers["Cache-Control"]


def test_the_feed_holds_the_posts_whole(client, write, clock, settings):
    write("Guide", "## Part\n\nSome *text*.\n", tags=["news"], author="Ann")

    response = client.get("/blog/feed.xml")
    feed = ET.fromstring(response.content)  # noqa: S314 - our own

    assert response.headers["Content-Type"] == "application/atom+xml; charset=utf-8"
    entry = feed.find(f"{ATOM}entry")
    assert entry.findtext(f"{ATOM}title") == "Guide"
    assert entry.findtext(f"{ATOM}id") == f"{settings.PUBLIC_URL}/blog/guide/"
    assert entry.findtext(f"{ATOM}published") == "2026-11-30T12:00:00+00:00"
    assert "<em>text</em>" in entry.findtext(f"{ATOM}content")
    assert entry.find(f"{ATOM}category").get("term") == "news"


@pytest.mark.parametrize("title", ["One", "日本語のタイトル", "हिन्दी"])
def test_links_to_a_post_lead_there(client, write, settings, title):
    write(title)
    entry = ET.fromstring(client.get("/blog/feed.xml").content).find(f"{ATOM}entry")  # noqa: S314
    address = entry.find(f"{ATOM}link").get("href")

    path = address.removeprefix(settings.PUBLIC_URL)
    for page in ("/", "/blog/"):
        assert f'<a href="{path}">{title}</a>' in client.get(page).content.decode()
    assert f"<h1>{title}</h1>" in client.get(path).content.decode()
    assert client.get("/blog/a%00b/").status_code == 404


@pytest.mark.parametrize("title", ["One", "日本語"])
def test_the_feed_is_sent_again_only_when_it_changed(client, write, title):
    write(title)
    etag = client.get("/blog/feed.xml").headers["ETag"]

    assert client.get("/blog/feed.xml", headers={"If-None-Match": etag}).status_code == 304

    write("Two")
    assert client.get("/blog/feed.xml", headers={"If-None-Match": etag}).status_code == 200


def test_our_own_feed_can_be_imported(client, write, clock, site, settings):
    from tests.web.local_server import Reply
    from web.library.services.feeds import feed_add, feed_import

    write("Guide", "## Part\n\nSome *text*.\n")
    served = client.get("/blog/feed.xml").content
    site.routes["/feed"] = Reply(served, headers={"Content-Type": "application/atom+xml"})

    report = feed_import(feed_id=feed_add(url=site.url("/feed")))

    assert report.created == 1
    assert Post.objects.get(guid=f"{settings.PUBLIC_URL}/blog/guide/").body == (
        "## Part\n\nSome *text*.\n"
    )
