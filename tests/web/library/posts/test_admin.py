from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import Permission, User

from tests.web.library.posts.test_feeds import XML, item, rss
from tests.web.local_server import Reply
from web.accounts.models import Profile
from web.library.posts.models import Feed, Post


@pytest.fixture
def editor(client, db, clock):
    user = User.objects.create_superuser("ann", first_name="Ann", last_name="Lee")
    client.force_login(user)
    return user


def form(**fields):
    day, hour = fields.pop("at", ("", ""))
    return {
        "title": "Harbours",
        "body": "Some *text*.",
        "summary": "",
        "tag_names": "News, Sea",
        "status": "published",
        "published_at_0": day,
        "published_at_1": hour,
        "author": "Ann",
        "slug": "",
        **fields,
    }


def test_an_editor_writes_a_post(client, editor):
    page = client.get("/admin/posts/post/add/").content.decode()
    assert 'value="Ann Lee"' in page
    assert 'data-preview-url="/admin/posts/post/preview/"' in page

    response = client.post("/admin/posts/post/add/", form())

    assert response.status_code == 302
    post = Post.objects.get()
    assert (post.slug, post.body, post.author) == ("harbours", "Some *text*.\n", "Ann")
    assert set(post.tags.values_list("name", flat=True)) == {"news", "sea"}
    assert "Harbours" in client.get("/blog/").content.decode()


def test_an_editor_changes_a_post(client, editor, write):
    saved = write("Harbours", tags=["news"])
    url = f"/admin/posts/post/{saved.id}/change/"
    assert 'value="news"' in client.get(url).content.decode()

    client.post(url, form(title="Coasts", tag_names="", slug="harbours"))

    post = Post.objects.get()
    assert post.title == "Coasts"
    assert not post.tags.exists()


def test_a_date_is_read_and_shown_in_the_editors_time_zone(client, editor, clock):
    """R82: half past midnight in Berlin is the day before in UTC."""
    Profile.objects.create(user=editor, time_zone="Europe/Berlin")

    client.post("/admin/posts/post/add/", form(at=("2026-12-01", "00:30:00")))

    post = Post.objects.get()
    assert post.published_at.isoformat() == "2026-11-30T23:30:00+00:00"
    page = client.get(f"/admin/posts/post/{post.pk}/change/").content.decode()
    assert 'value="2026-12-01"' in page
    assert 'value="00:30:00"' in page
    assert "Europe/Berlin" in page
    assert "Dec. 1, 2026, 12:30 a.m." in client.get("/admin/posts/post/").content.decode()


@pytest.mark.parametrize("hour", ["00:30:00.250000", "01:30:00"])
def test_a_date_that_is_left_as_it_is_stays_also_in_the_hour_that_comes_twice(
    client, editor, write, hour
):
    Profile.objects.create(user=editor, time_zone="Europe/Berlin")
    instant = datetime.fromisoformat(f"2026-10-25T{hour}+00:00")
    saved = write("Harbours", published_at=instant)
    url = f"/admin/posts/post/{saved.id}/change/"
    assert 'value="02:30:00"' in client.get(url).content.decode()

    assert client.post(url, form(title="Coasts", at=("2026-10-25", "02:30:00"))).status_code == 302

    post = Post.objects.get()
    assert (post.title, post.published_at) == ("Coasts", instant)
    page = client.post(url, form(at=("2026-03-29", "02:30:00"))).content.decode()
    assert "may be ambiguous or it may not exist" in page.replace("&#x27;", "'")


def test_what_the_service_refuses_is_shown_at_its_field_and_nothing_is_lost(client, editor, write):
    write("First", slug="taken")

    page = client.post(
        "/admin/posts/post/add/", form(slug="taken", tag_names="x" * 60, body="My long work.")
    ).content.decode()

    assert "A tag has 50 characters at most" in page
    assert "My long work." in page
    page = client.post("/admin/posts/post/add/", form(slug="taken")).content.decode()
    assert "Another post has this slug" in page
    assert Post.objects.count() == 1


def test_posts_are_published_withdrawn_and_removed_by_actions(client, editor, write):
    saved = write("Harbours", status="draft")

    def act(action, **more):
        return client.post(
            "/admin/posts/post/",
            {"action": action, "_selected_action": [saved.id], **more},
            follow=True,
        ).content.decode()

    assert "Published: 1." in act("publish")
    assert Post.objects.get().status == "published"
    assert "Withdrawn: 1." in act("withdraw")
    assert Post.objects.get().status == "draft"
    act("delete_selected", post="yes")
    assert not Post.objects.exists()


def test_the_preview_shows_safe_html(client, editor):
    response = client.post(
        "/admin/posts/post/preview/", {"body": "# Hi\n\n*there*<script>x</script>"}
    )

    assert response.content.decode() == "<h2>Hi</h2>\n<p><em>there</em></p>\n"


@pytest.mark.parametrize(
    ("slug", "address", "shown"),
    [
        ("harbours", "a.png", "/blog/harbours/a.png"),
        ("", "../other/", "/blog/other/"),
        ("港", "/static/a.png", "/static/a.png"),
        ("not a/slug", "#part", "#part"),
        ("..", "a.png", "/blog/post/a.png"),
    ],
)
def test_the_preview_leads_where_the_page_will_lead(client, editor, slug, address, shown):
    body = {"body": f"[x]({address})", "slug": slug}

    html = client.post("/admin/posts/post/preview/", body).content.decode()

    assert f'href="{shown}"' in html


@pytest.mark.parametrize("permission", [None, "view_post", "add_post"])
def test_the_preview_is_for_those_who_may_write(client, db, permission):
    user = User.objects.create_user("bob", is_staff=True)
    if permission:
        user.user_permissions.add(Permission.objects.get(codename=permission))
    client.force_login(user)

    status = client.post("/admin/posts/post/preview/", {"body": "x"}).status_code

    assert status == (200 if permission == "add_post" else 403)
    assert client.get("/admin/posts/post/preview/").status_code == 405
    client.logout()
    assert client.post("/admin/posts/post/preview/", {"body": "x"}).status_code == 302


def test_an_imported_post_keeps_its_text_and_can_be_renamed_and_withdrawn(client, editor, site):
    site.routes["/feed"] = Reply(rss(item()), headers=XML)
    client.post(
        "/admin/posts/feed/add/",
        {"url": site.url("/feed"), "interval_minutes": 60, "is_active": "on", "tag_names": "news"},
    )
    post = Post.objects.get()  # the worker of the tests works at once
    assert set(post.tags.values_list("name", flat=True)) == {"news"}

    url = f"/admin/posts/post/{post.pk}/change/"
    assert 'name="body"' not in client.get(url).content.decode()
    client.post(url, {"status": "draft", "body": "Mine.", "tag_names": "", "slug": "帆"})

    post.refresh_from_db()
    assert (post.status, post.slug) == ("draft", "帆")
    assert "About sails" in post.body
    assert post.tags.exists()


def test_a_feed_is_changed_imported_and_removed(client, editor, site, clock):
    site.routes["/feed"] = Reply(rss(item()), headers=XML)
    client.post(
        "/admin/posts/feed/add/",
        {"url": site.url("/feed"), "interval_minutes": 60, "is_active": "on"},
    )
    feed = Feed.objects.get()
    url = f"/admin/posts/feed/{feed.pk}/change/"
    client.post(url, {"title": "Our news", "interval_minutes": 30, "tag_names": "a"})
    feed.refresh_from_db()
    assert (feed.title, feed.interval_minutes, feed.tags, feed.is_active) == (
        *("Our news", 30, ["a"]),
        False,
    )

    site.routes["/feed"] = Reply(status=500)
    client.post("/admin/posts/feed/", {"action": "import_now", "_selected_action": [feed.pk]})
    assert "stale since 2026-11-30 12:00 UTC" in client.get("/admin/posts/feed/").content.decode()

    client.post(f"/admin/posts/feed/{feed.pk}/delete/", {"post": "yes"})
    assert not Feed.objects.exists()
    assert Post.objects.count() == 1


def test_an_address_that_is_never_fetched_is_refused_at_its_field(client, editor):
    page = client.post(
        "/admin/posts/feed/add/", {"url": "file:///etc/passwd", "interval_minutes": 60}
    ).content.decode()

    assert "must start with http:// or https://" in page
    assert not Feed.objects.exists()


def test_a_scheduled_post_is_marked_as_not_seen(client, editor, write, clock):
    write("Later", published_at=clock.time + timedelta(days=1))

    assert "icon-no" in client.get("/admin/posts/post/").content.decode()
