from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.web.library.posts.test_feeds import XML, item, rss
from tests.web.local_server import Reply
from web.accounts.principals import ANONYMOUS
from web.library.posts.models import Feed, Post, PostSection
from web.library.selectors.posts import post_text, posts_search


def run(*arguments):
    out, err = StringIO(), StringIO()
    try:
        call_command(*arguments, stdout=out, stderr=err)
    except CommandError as error:
        return f"{out.getvalue()}{err.getvalue()}{error}", 1
    return f"{out.getvalue()}{err.getvalue()}", 0


def test_add_feed_imports_its_posts(db, clock, site):
    site.routes["/feed"] = Reply(rss(item("1"), item("2", "Masts")), headers=XML)

    said, code = run("add_feed", site.url("/feed"), "--tag", "News", "--interval", "30")

    assert code == 0
    assert "Harbour news: 2 new, 0 changed, 0 as before." in said
    assert Post.objects.filter(tags__name="news").count() == 2
    assert Feed.objects.get().interval_minutes == 30


@pytest.mark.django_db
@pytest.mark.parametrize("given", ["stdin", "file", "argument"])
def test_an_address_that_holds_a_key_is_shown_nowhere(site, tmp_path, monkeypatch, given):
    site.routes["/feed"] = Reply(rss(item(), title=""), headers=XML)
    address = site.url("/feed?key=k3y-of-ann")
    file = tmp_path / "address"
    file.write_text(f"{address}\n")
    monkeypatch.setattr("sys.stdin", StringIO(file.read_text()))
    arguments = {"stdin": [], "file": ["--file", str(file)], "argument": [address]}[given]

    said, code = run("add_feed", *arguments)

    assert code == 0
    assert ("list of processes" in said) is (given == "argument")
    said += run("add_feed", address)[0] + run("list_feeds")[0] + run("import_feeds", "9")[0]
    said += post_text(principal=ANONYMOUS, slug="sails").post.source
    assert "127.0.0.1: 1 new" in said
    assert "k3y" not in said


def test_add_feed_says_what_is_wrong_in_one_sentence(db, clock, site):
    assert run("add_feed", "file:///etc/passwd") == (
        "The address must start with http:// or https://. Only public http and https addresses "
        "are fetched. PORTOLAN_FETCH_PRIVATE_HOSTS names hosts of your own network that may be as "
        "well.",
        1,
    )
    said, code = run("add_feed", site.url("/feed"))
    assert "answers with status 404" in said
    assert f"manage.py remove_feed {Feed.objects.get().pk}" in said
    assert code == 1
    again = run("add_feed", site.url("/feed"))[0]
    number = Feed.objects.get().pk
    assert f"there already. Import it: manage.py import_feeds {number};" in again
    assert "interval" in run("add_feed", site.url("/other"), "--interval", "1")[0]


def test_import_feeds_goes_on_after_a_failure_and_tells_it(db, clock, site):
    site.routes["/good"] = Reply(rss(item()), headers=XML)
    run("add_feed", site.url("/bad"), "--no-import", "--title", "Bad")
    run("add_feed", site.url("/good"), "--no-import")

    said, code = run("import_feeds")

    assert code == 1
    assert "Bad: 127.0.0.1 answers with status 404." in said
    assert "Harbour news: 1 new" in said
    assert said.endswith("1 failed.")


def test_import_feeds_imports_those_named_or_due(db, clock, site):
    site.routes["/one"] = Reply(rss(item("1", "One"), title="First"), headers=XML)
    site.routes["/two"] = Reply(rss(item("2", "Two"), title="Second"), headers=XML)
    run("add_feed", site.url("/one"))
    clock.forward(minutes=30)
    run("add_feed", site.url("/two"))
    clock.forward(minutes=30)

    assert "First" in (said := run("import_feeds", "--due")[0])
    assert "Second" not in said
    assert run("import_feeds", "--due") == ("No feed is due.\n", 0)
    assert "Second" in (said := run("import_feeds", site.url("/two"))[0])
    assert "First" not in said
    assert "There is no feed" in run("import_feeds", "https://x.example/")[0]


def test_list_feeds_shows_how_they_stand_and_remove_feed_leaves_the_posts(db, clock, site):
    assert "manage.py add_feed URL" in run("list_feeds")[0]
    site.routes["/good"] = Reply(rss(item()), headers=XML)
    run("add_feed", site.url("/good"))
    run("add_feed", site.url("/bad"), "--title", "Bad")

    heading, *rows = run("list_feeds")[0].splitlines()
    bad = next(row for row in rows if site.url("/bad") in row)
    good = next(row for row in rows if site.url("/good") in row)

    assert heading.split() == ["Number", "Title", "Address", "Posts", "State"]
    assert "stale since" in bad
    assert "127.0.0.1 answers with status 404" in bad
    number, *rest = good.split()
    assert rest[:5] == ["Harbour", "news", site.url("/good"), "1", "imported"]
    assert run("remove_feed", number)[0].endswith("Posts that stay: 1.\n")
    assert Post.objects.count() == 1
    assert "Feeds: " in run("remove_feed", site.url("/good"))[0]


@pytest.mark.django_db
def test_import_feeds_without_feeds_says_how_to_add_one():
    assert "manage.py add_feed URL" in run("import_feeds")[0]


@pytest.mark.django_db
def test_index_posts_makes_posts_findable_that_lost_their_sections(write):
    write(title="Found", body="The quaggamuffin grazes.\n", tags=("zoo",))
    PostSection.objects.all().delete()
    assert not posts_search(principal=ANONYMOUS, query="quaggamuffin").places
    assert "1 posts" in run("index_posts")[0]
    (place,) = posts_search(principal=ANONYMOUS, query="quaggamuffin").places
    assert place.post.tags == ("zoo",)
