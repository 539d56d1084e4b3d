from datetime import timedelta

import pytest

from tests.web.local_server import Reply
from web.accounts.principals import ANONYMOUS
from web.core.errors import (
    Conflict,
    InvalidInput,
    NotAllowed,
    NotFound,
    TooLarge,
    TooManyRequests,
    Unavailable,
)
from web.library.posts import entries
from web.library.posts.models import Feed, Post
from web.library.selectors.feeds import feeds_due, feeds_listed
from web.library.selectors.generation import index_generation
from web.library.selectors.posts import post_text, posts_search
from web.library.services.feeds import (
    feed_add,
    feed_import,
    feed_remove,
    feed_schedule,
)
from web.library.services.posts import posts_remove, posts_withdraw

XML = {"Content-Type": "application/rss+xml"}


def item(guid="1", title="Sails", body="<p>About sails.</p>", **more):
    parts = {"guid": guid, "title": title, "description": f"<![CDATA[{body}]]>", **more}
    inner = "".join(f"<{name}>{text}</{name}>" for name, text in parts.items() if text)
    return f"<item>{inner}</item>"


def rss(*items, title="Harbour news"):
    return (
        f'<?xml version="1.0"?><rss version="2.0"><channel><title>{title}</title>'
        f"<link>https://news.example/</link>{''.join(items)}</channel></rss>"
    ).encode()


@pytest.fixture
def feed(db, clock, site):
    """A feed, its server, and how to import it."""

    class FeedAtServer:
        id = feed_add(url=site.url("/feed"), tags=["news"])
        server = site

        def says(self, *items, **headers):
            site.routes["/feed"] = Reply(rss(*items), headers={**XML, **headers})
            return self

        def imported(self):
            return feed_import(feed_id=self.id)

        def row(self):
            return Feed.objects.get(pk=self.id)

    return FeedAtServer()


def found(query=""):
    return [p.post.slug for p in posts_search(principal=ANONYMOUS, query=query).places]


def test_an_import_makes_posts_that_are_seen_and_found(feed):
    feed.says(
        item(
            link="https://news.example/sails?utm_source=rss",
            author="ann@example.org (Ann)",
            pubDate="Mon, 02 Nov 2026 10:00:00 +0100",
            category="Rigging",
            body="<h2>Main sail</h2><p>It is <b>big</b>. <a href='/map'>Map</a></p>",
        )
    )

    report = feed.imported()

    assert (report.created, report.updated, report.kept) == (1, 0, 0)
    assert found("main sail") == ["sails"]
    text = post_text(principal=ANONYMOUS, slug="sails")
    assert text.text == "## Main sail\n\nIt is **big**. [Map](https://news.example/map)"
    assert text.post.source == "Harbour news"
    assert text.post.source_url == "https://news.example/sails?utm_source=rss"
    assert text.post.tags == ("news", "rigging")
    assert text.post.published_at.isoformat() == "2026-11-02T09:00:00+00:00"
    assert "Ann" in text.post.author


def test_the_same_feed_again_changes_nothing(feed):
    feed.says(item("1"), item("2", "Masts")).imported()
    before = index_generation()

    report = feed.imported()

    assert (report.created, report.updated, report.kept) == (0, 0, 2)
    assert Post.objects.count() == 2
    assert index_generation() == before


def test_a_feed_that_did_not_change_is_not_read_again(feed):
    feed.says(item(), ETag='"1"', **{"Last-Modified": "Mon, 02 Nov 2026 10:00:00 GMT"}).imported()
    feed.server.routes["/feed"] = lambda asked: Reply(
        status=304 if asked.headers.get("If-None-Match") == '"1"' else 500
    )

    report = feed.imported()

    assert report.is_unchanged
    assert feed.server.asked[-1].headers["If-Modified-Since"] == "Mon, 02 Nov 2026 10:00:00 GMT"
    assert feed.row().etag == '"1"'
    assert feed.row().stale_since is None


def test_a_changed_entry_changes_its_post(feed, clock):
    feed.says(item(body="<p>Old words.</p>", pubDate="Mon, 02 Nov 2026 10:00:00 GMT")).imported()
    before = index_generation()
    clock.forward(hours=1)

    report = feed.says(
        item(title="Sails!", body="<p>New text.</p>", pubDate="Mon, 02 Nov 2026 10:00:00 GMT")
    ).imported()

    assert (report.created, report.updated) == (0, 1)
    assert found("new text") == ["sails"]
    assert found("old words") == []
    post = Post.objects.get()
    assert post.title == "Sails!"
    assert post.updated_at == clock.time
    assert index_generation() > before


def test_a_post_stays_when_its_entry_leaves_the_feed(feed):
    feed.says(item("1"), item("2", "Masts")).imported()

    feed.says(item("2", "Masts")).imported()

    assert sorted(found()) == ["masts", "sails"]


def test_entries_without_a_guid_are_known_by_their_address(feed):
    feed.says(item("", link="https://news.example/a?utm_medium=x#top")).imported()

    report = feed.says(item("", link="http://www.news.example/a/")).imported()

    assert (report.created, report.updated) == (0, 1)
    assert Post.objects.count() == 1


def test_entries_without_guid_and_address_are_known_by_title_and_date(feed):
    date = "Mon, 02 Nov 2026 10:00:00 GMT"
    feed.says(item("", pubDate=date)).imported()

    report = feed.says(item("", pubDate=date, body="<p>Changed.</p>")).imported()

    assert (report.created, report.updated) == (0, 1)


def test_a_post_is_known_again_when_the_site_gave_all_its_entries_new_guids(feed):
    feed.says(item("old", link="https://news.example/a")).imported()

    report = feed.says(item("new", link="https://news.example/a")).imported()

    assert (report.created, report.updated) == (0, 1)
    assert Post.objects.get().guid == "new"


def test_two_entries_with_one_address_stay_two_posts(feed):
    feed.says(
        item("1", "One", link="https://news.example/"),
        item("2", "Two", link="https://news.example/"),
    ).imported()
    report = feed.imported()

    assert report.kept == 2
    assert sorted(found()) == ["one", "two"]


def test_a_guid_that_stands_twice_in_a_feed_makes_one_post(feed):
    report = feed.says(item("1", "First"), item("1", "Second")).imported()

    assert report.created == 1
    assert report.skipped == (("repeated in the feed", 1),)


def test_the_same_post_in_two_feeds_is_one(feed, site):
    feed.says(item("1", link="https://news.example/a")).imported()
    other = feed_add(url=site.url("/planet"))
    site.routes["/planet"] = Reply(
        rss(item("x", link="https://news.example/a"), item("y", "Masts")), headers=XML
    )

    report = feed_import(feed_id=other)

    assert report.created == 1
    assert report.skipped == (("another feed has the same post", 1),)


def test_posts_of_a_removed_feed_stay_and_belong_to_it_again_when_it_is_added_anew(feed, site):
    feed.says(item("1", link="https://news.example/a")).imported()
    feed_remove(feed_id=feed.id)
    assert found() == ["sails"]

    again = feed_add(url=site.url("/feed"))
    report = feed_import(feed_id=again)

    assert (report.created, report.updated) == (0, 1)
    assert Post.objects.get().feed_id == again


def test_a_withdrawn_post_stays_withdrawn_when_its_entry_changes(feed):
    feed.says(item()).imported()
    posts_withdraw(ids=[Post.objects.get().pk])

    feed.says(item(body="<p>Changed.</p>")).imported()

    assert found() == []


def test_a_removed_post_comes_back_while_its_entry_is_in_the_feed(feed):
    feed.says(item()).imported()
    posts_remove(ids=[Post.objects.get().pk])

    assert feed.imported().created == 1


def test_an_entry_dated_in_the_future_appears_then(feed, clock):
    feed.says(item(pubDate="Tue, 01 Dec 2026 00:00:00 GMT")).imported()
    assert found() == []

    clock.forward(hours=12)
    assert found() == ["sails"]


def test_an_entry_without_a_date_gets_that_of_its_first_import_and_keeps_it(feed, clock):
    first = clock.time
    feed.says(item()).imported()
    clock.forward(days=1)
    feed.says(item(body="<p>Changed.</p>")).imported()

    assert Post.objects.get().published_at == first


@pytest.mark.parametrize(
    ("status", "error"),
    [(404, NotFound), (410, NotFound), (500, Unavailable), (429, TooManyRequests)],
)
def test_a_feed_that_fails_keeps_its_posts_and_says_since_when(feed, clock, status, error):
    feed.says(item()).imported()
    generations = [index_generation()]
    failed_at = clock.time
    feed.server.routes["/feed"] = Reply(status=status)

    for _ in range(2):
        with pytest.raises(error):
            feed.imported()
        generations.append(index_generation())
        clock.forward(hours=1)

    assert found() == ["sails"]
    assert feed.row().stale_since == failed_at
    assert f"status {status}" in feed.row().error
    assert generations[0] < generations[1] == generations[2]
    shown = post_text(principal=ANONYMOUS, slug="sails").stale_feed
    assert (shown.title, shown.since) == ("Harbour news", failed_at)
    assert shown.reason == f"127.0.0.1 answers with status {status}."  # what to do is for staff
    assert feeds_listed()[0].error.startswith(f"{shown.reason} ")
    is_gone = status == 410  # for good: not asked for again, and nothing newer is missing
    assert feed.row().is_active is not is_gone
    stale = posts_search(principal=ANONYMOUS, query="sails").stale_feeds
    assert stale == (() if is_gone else (shown,))


def test_a_feed_that_was_never_read_is_for_staff_to_look_at(feed):
    feed.server.routes["/feed"] = Reply(status=404)
    with pytest.raises(NotFound):
        feed.imported()

    assert feeds_listed()[0].stale_since is not None
    assert posts_search(principal=ANONYMOUS).stale_feeds == ()  # no post of it is missing


def test_a_feed_that_works_again_is_not_stale_any_more(feed):
    feed.says(item()).imported()
    feed.server.routes["/feed"] = Reply(status=500)
    with pytest.raises(Unavailable):
        feed.imported()
    assert posts_search(principal=ANONYMOUS).stale_feeds
    before = index_generation()

    feed.says(item()).imported()

    assert feed.row().stale_since is None
    assert feed.row().error == ""
    assert posts_search(principal=ANONYMOUS).stale_feeds == ()
    assert index_generation() > before


def test_a_page_that_is_no_feed_is_refused_and_changes_nothing(feed):
    feed.says(item()).imported()
    page = b"<html><link rel=alternate type='application/atom+xml' href='/blog/atom'><p>Hi"
    feed.server.routes["/feed"] = Reply(page, headers={"Content-Type": "text/html"})

    with pytest.raises(InvalidInput, match="not with an RSS or Atom feed") as refused:
        feed.imported()
    assert refused.value.hint == f"The page names as its feed: {feed.server.url('/blog/atom')}"

    assert found() == ["sails"]


def test_a_feed_that_is_too_large_is_refused(feed):
    feed.says(item(body="x" * 6_000_000))

    with pytest.raises(TooLarge):
        feed.imported()


def test_a_post_that_is_too_long_is_left_out_and_counted(feed):
    report = feed.says(item("1", body="word " * 120_000), item("2", "Masts")).imported()

    assert report.created == 1
    assert report.skipped == (("longer than 500,000 characters", 1),)


def test_a_post_nested_too_deeply_is_left_out_and_counted(feed):
    report = feed.says(item("1", body="<ul><li>" * 3000), item("2", "Masts")).imported()

    assert report.created == 1
    assert report.skipped == (("The page is nested too deeply to be read.", 1),)


def test_entities_do_not_expand_and_load_nothing(feed, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("planted-secret")
    levels = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    feed.server.routes["/feed"] = Reply(
        (
            f'<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY l0 "boom">{levels}'
            f'<!ENTITY file SYSTEM "file://{secret}">'
            f'<!ENTITY web SYSTEM "{feed.server.url("/stolen")}">]>'
            "<rss version='2.0'><channel><title>x</title><item><guid>1</guid>"
            "<title>a &l9; b &file; c &web; d</title></item></channel></rss>"
        ).encode(),
        headers=XML,
    )

    feed.imported()

    title = Post.objects.get().title
    assert "planted-secret" not in title
    assert len(title) < 1000
    assert [asked.path for asked in feed.server.asked] == ["/feed"]


def test_scripts_of_a_feed_reach_no_reader(feed):
    feed.says(item(body="<p onclick='x()'>Hi<script>alert(1)</script></p><iframe src='//x'/>"))
    feed.imported()

    text = post_text(principal=ANONYMOUS, slug="sails").text
    assert text == "Hi"


def test_atom_is_read_with_its_base_and_its_types(feed):
    feed.server.routes["/feed"] = Reply(
        b"""<?xml version="1.0" encoding="utf-8"?>
        <feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://a.example/blog/">
        <title type="html">Ships &amp;amp; sails</title>
        <entry><id>tag:a,1</id><title type="html">&lt;em&gt;New&lt;/em&gt; &amp;amp; old</title>
        <link href="one"/><updated>2026-11-02T10:00:00+01:00</updated>
        <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Go
        <a href="two">on</a></p></div></content></entry>
        <entry><id>tag:a,2</id><title>Plain</title><updated>2026-11-03T10:00:00Z</updated>
        <content type="text">1 &lt; 2</content></entry></feed>""",
        headers={"Content-Type": "application/atom+xml; charset=utf-8"},
    )

    feed.imported()

    first, second = Post.objects.order_by("published_at")
    assert first.title == "New & old"
    assert first.source_url == "https://a.example/blog/one"
    assert "[on](https://a.example/blog/two)" in first.body
    assert first.published_at.isoformat() == "2026-11-02T09:00:00+00:00"
    assert "1 < 2" in second.body
    assert str(feed.row()) == "Ships & sails"


def test_a_feed_in_another_encoding_is_read(feed):
    feed.server.routes["/feed"] = Reply(
        rss(item(title="Bücher über Häfen"))
        .decode()
        .replace('<?xml version="1.0"?>', '<?xml version="1.0" encoding="iso-8859-1"?>')
        .encode("iso-8859-1"),
        headers={"Content-Type": "text/xml"},
    )

    feed.imported()

    assert Post.objects.get().title == "Bücher über Häfen"


def test_a_title_may_be_missing_long_or_full_of_markup(feed):
    feed.says(
        item(
            "1", "", body="<p>Seven seas and one more to sail on before the long winter comes.</p>"
        ),
        item("2", "x" * 1000),
        item("5", "y" * 1001),
        item("3", "a\u202eb"),
        item("4", "&lt;b&gt;Big&lt;/b&gt; &amp;amp; _small_"),
    ).imported()

    titles = set(Post.objects.values_list("title", flat=True))
    assert "Seven seas and one more to sail on before the long winter…" in titles
    assert "x" * 1000 in titles
    assert "y" * 999 + "…" in titles
    assert "ab" in titles
    assert "Big & _small_" in titles


def test_an_entry_that_says_nothing_is_left_out_and_counted(feed):
    report = feed.says(item("1", "", body=""), item("2", "", body="", link="/a"), item()).imported()
    assert report.skipped == (("without title and text", 2),)
    assert found() == ["sails"]


def test_only_the_first_entries_of_a_huge_feed_are_imported(feed, monkeypatch):
    from web.core.limits import LIMITS

    few = LIMITS.model_copy(update={"max_feed_entries": 2})
    monkeypatch.setattr("web.library.posts.entries.LIMITS", few)

    report = feed.says(*(item(str(number), f"Post {number}") for number in range(5))).imported()

    assert report.created == 2
    assert report.skipped == (("beyond the first 2", 3),)


@pytest.mark.parametrize(
    "url",
    [
        *("file:///etc/passwd", "ftp://x.example/", "http://user:pw@x.example/", "x", ""),
        *("http://10.0.0.1/", "http://[::1]/", "http://2130706433/", "http://kb.internal/"),
    ],
)
def test_an_address_that_is_never_fetched_is_refused(db, url):
    with pytest.raises(InvalidInput):
        feed_add(url=url)
    assert not Feed.objects.exists()


def test_a_feed_is_added_once(feed, site):
    with pytest.raises(Conflict):
        feed_add(url=site.url("/feed"))


def test_a_private_address_is_refused_when_it_is_fetched(feed, settings):
    """R92: also where it became private only after the feed was added."""
    settings.FETCH_PRIVATE_HOSTS = frozenset()

    with pytest.raises(InvalidInput, match="not public"):
        feed.imported()
    assert feed.server.asked == []


def test_feeds_are_due_after_their_interval(feed, clock):
    assert [one.id for one in feeds_due()] == [feed.id]
    feed.says(item()).imported()
    assert feeds_due() == ()

    clock.forward(minutes=60)

    assert [one.id for one in feeds_due()] == [feed.id]


def test_a_server_that_wants_to_be_left_alone_is(feed, clock):
    feed.server.routes["/feed"] = Reply(status=429, headers={"Retry-After": "86400"})
    with pytest.raises(TooManyRequests):
        feed.imported()

    clock.forward(hours=23)
    assert feeds_due() == ()
    assert not feed_schedule(feed_id=feed.id)
    clock.forward(hours=1)
    assert [one.id for one in feeds_due()] == [feed.id]


def test_a_server_that_refuses_is_asked_after_pauses_that_grow_to_an_hour(feed, clock):
    Feed.objects.update(interval_minutes=7)
    feed.server.routes["/feed"] = Reply(status=403)
    asked_after = []
    for minute in range(200):
        if feeds_due():
            asked_after.append(minute)
            with pytest.raises(NotAllowed):
                feed.imported()
        clock.forward(minutes=1)

    assert asked_after == [0, 7, 17, 37, 77, 137, 197]
    feed.says(item()).imported()
    assert feed.row().next_fetch_at == clock.time + timedelta(minutes=7)


def test_a_clock_that_is_set_back_silences_no_feed(feed, clock, settings):
    settings.TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}
    from django_tasks_db.models import DBTaskResult

    feed.says(item()).imported()
    feed_schedule(feed_id=feed.id)
    clock.forward(days=-400)

    assert [one.id for one in feeds_due()] == [feed.id]
    assert feed_schedule(feed_id=feed.id)
    runs = DBTaskResult.objects.order_by("run_after").values_list("run_after", flat=True)
    assert runs[0] == clock.time + timedelta(hours=1)


def test_the_worker_looks_at_a_feed_again_and_again(feed, clock, settings):
    settings.TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}
    from django_tasks_db.models import DBTaskResult

    from web.library.posts.tasks import import_feed

    feed.says(item())

    assert import_feed.call(feed_id=feed.id) == "1 created, 0 updated"
    assert import_feed.call(feed_id=feed.id, is_asked_for=True) == "0 created, 0 updated"

    queued = DBTaskResult.objects.get()
    assert queued.run_after == clock.time + timedelta(hours=1)
    assert queued.args_kwargs["kwargs"] == {"feed_id": feed.id}


def test_the_worker_forgets_a_feed_that_is_gone_or_not_active(feed, settings):
    settings.TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}
    from django_tasks_db.models import DBTaskResult

    from web.library.posts.tasks import import_feed

    Feed.objects.update(is_active=False)
    assert import_feed.call(feed_id=feed.id) == "The feed is not due."
    feed_remove(feed_id=feed.id)
    assert import_feed.call(feed_id=feed.id) == "The feed is gone."
    assert not DBTaskResult.objects.exists()


def test_a_failing_feed_is_a_result_of_its_task_not_a_failure(feed):
    from web.library.posts.tasks import import_feed

    feed.server.routes["/feed"] = Reply(status=500)

    assert "status 500" in import_feed.call(feed_id=feed.id)


def limited(monkeypatch, **limits):
    monkeypatch.setattr(entries, "LIMITS", entries.LIMITS.model_copy(update=limits))


def test_a_large_feed_is_read_in_a_process_of_its_own_and_gives_the_same(feed, monkeypatch):
    limited(monkeypatch, max_unconfined_feed_bytes=0, max_feed_entries=2)
    day = "Mon, 02 Nov 2026 10:00:00 GMT"
    feed.says(
        item("1", pubDate=day, author="ann@example.org (Änn)", category="Rigging"),
        item("2", "Masts", body="", link="https://news.example/masts"),
        item("3", "Beyond"),
    )

    report = feed.imported()

    assert (report.created, report.skipped) == (2, (("beyond the first 2", 1),))
    post = post_text(principal=ANONYMOUS, slug="sails").post
    assert (post.author, post.tags) == ("ann@example.org (Änn)", ("news", "rigging"))
    assert post.published_at.isoformat() == "2026-11-02T10:00:00+00:00"
    assert feed.row().feed_title == "Harbour news"


def test_a_feed_made_to_be_read_for_ever_is_given_up(feed, monkeypatch):
    feed.says(item()).imported()
    limited(monkeypatch, max_feed_seconds=1)
    feed.says(item(author="a" * 400_000))

    with pytest.raises(InvalidInput, match="could not be read within 1 seconds") as refused:
        feed.imported()

    assert "PORTOLAN_MAX_FEED_SECONDS" in refused.value.hint
    assert feed.row().stale_since is not None
    assert found() == ["sails"]
