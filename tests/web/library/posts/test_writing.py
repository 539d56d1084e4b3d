from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from web.accounts.principals import ANONYMOUS
from web.core.errors import Conflict, InvalidInput, NotFound
from web.library.posts.models import Post
from web.library.selectors.generation import index_generation
from web.library.selectors.posts import post_text, posts_latest, posts_search
from web.library.services.posts import (
    PostFields,
    post_save,
    posts_publish,
    posts_release_due,
    posts_remove,
    posts_withdraw,
)


def found(query="", **filters):
    result = posts_search(principal=ANONYMOUS, query=query, **filters)
    return [place.post.slug for place in result.places]


def test_a_published_post_is_seen_and_found_at_once(write):
    before = index_generation()

    saved = write("Release of Portolan", "# Charts\n\nHarbours and coasts.\n", tags=["News"])

    assert saved.is_visible
    assert saved.slug == "release-of-portolan"
    assert found("harbours") == [saved.slug]
    assert posts_latest(limit=5)[0].tags == ("news",)
    assert index_generation() > before


def test_a_draft_is_neither_seen_nor_found(write):
    before = index_generation()

    saved = write("Secret plans", "Harbours.", status="draft")

    assert not saved.is_visible
    assert found("harbours") == found() == []
    with pytest.raises(NotFound):
        post_text(principal=ANONYMOUS, slug=saved.slug)
    assert index_generation() == before


def test_a_changed_post_is_found_by_its_new_words_only(write):
    saved = write(body="Harbours.")
    before = index_generation()

    post_save(post_id=saved.id, fields=PostFields("A post", "Lighthouses.", status="published"))

    assert found("harbours") == []
    assert found("lighthouses") == [saved.slug]
    assert index_generation() > before


def test_a_withdrawn_post_disappears_and_comes_back_with_its_date(write, clock):
    saved = write(body="Harbours.")
    published_at = posts_latest(limit=1)[0].published_at
    clock.forward(days=1)

    assert posts_withdraw(ids=[saved.id]) == 1
    assert found("harbours") == []

    assert posts_publish(ids=[saved.id]) == 1
    assert found("harbours") == [saved.slug]
    assert posts_latest(limit=1)[0].published_at == published_at


def test_a_removed_post_leaves_nothing_to_find(write):
    saved = write(body="Harbours.")

    assert posts_remove(ids=[saved.id]) == 1

    assert found("harbours") == []
    assert not Post.objects.exists()


def test_a_post_appears_when_its_date_comes_in_whatever_time_zone_it_was_written(write, clock):
    """R82: 00:30 in Berlin on the first of December is 23:30 UTC on the day before."""
    berlin = datetime(2026, 12, 1, 0, 30, tzinfo=ZoneInfo("Europe/Berlin"))
    saved = write(body="Harbours.", published_at=berlin)
    assert not saved.is_visible

    clock.time = berlin - timedelta(seconds=1)
    assert found("harbours") == []

    clock.time = berlin
    assert found("harbours") == [saved.slug]
    assert posts_latest(limit=1)[0].published_at.isoformat() == "2026-11-30T23:30:00+00:00"


def test_the_generation_is_raised_once_for_a_post_whose_time_has_come(write, clock):
    write(published_at=clock.time + timedelta(hours=1))
    before = index_generation()
    assert posts_release_due() == 0
    assert index_generation() == before

    clock.forward(hours=1)

    assert posts_release_due() == 1
    raised = index_generation()
    assert raised > before
    assert posts_release_due() == 0
    assert index_generation() == raised


def test_a_post_moved_into_the_future_disappears_until_then(write, clock):
    saved = write(body="Harbours.")
    before = index_generation()
    later = clock.time + timedelta(hours=1)

    post_save(
        post_id=saved.id,
        fields=PostFields("A post", "Harbours.", status="published", published_at=later),
    )

    assert found("harbours") == []
    assert index_generation() > before
    clock.forward(hours=1)
    assert posts_release_due() == 1


def test_a_scheduled_post_is_put_into_the_queue_of_the_worker(write, clock, settings):
    settings.TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}
    from django_tasks_db.models import DBTaskResult

    first, second = clock.time + timedelta(hours=1), clock.time + timedelta(hours=2)
    write("Later", published_at=second)
    write("Sooner", published_at=first)
    write("As soon", published_at=first)

    queued = DBTaskResult.objects.order_by("run_after")
    assert list(queued.values_list("run_after", flat=True)) == [first, second]

    clock.time = first
    queued.all().delete()
    assert posts_release_due() == 2
    assert list(queued.values_list("run_after", flat=True)) == [second]


def test_the_slug_is_made_from_the_title_and_kept(write):
    first = write("Ahoy, World!")
    assert first.slug == "ahoy-world"
    changed = post_save(post_id=first.id, fields=PostFields("Other", "x", status="published"))
    assert changed.slug == "ahoy-world"


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Ahoy, World! 6.1", "ahoy-world-61"),
        ("Über Zürich: ½", "uber-zurich-12"),
        ("Große Łodzie's Törn", "große-łodzies-törn"),
        ("Über 北京 6.1", "über-北京-6-1"),
        ("日本語\uff1a「ドキュメント」を検索", "日本語-ドキュメント-を検索"),
        ("Новости: Выпуск №5", "новости-выпуск-no5"),
        ("हिन्दी में खोज", "हिन्दी-में-खोज"),  # vowel signs are marks
        ("ภาษาไทย", "ภาษาไทย"),
        ("مرحبا\u202e، بحر", "مرحبا-بحر"),
        ("が", "が"),
        ("🚢 →", "post"),
        ("北" * 200, "北" * 92),
    ],
)
def test_a_slug_is_readable_in_every_script_and_unique(write, title, slug):
    first, second = write(title), write(title)

    assert [first.slug, second.slug] == [slug, f"{slug}-2"]
    assert post_text(principal=ANONYMOUS, slug=slug).post.slug == slug


def test_a_slug_of_another_post_is_a_conflict_and_changes_nothing(write):
    write("First", slug="taken")

    with pytest.raises(Conflict) as caught:
        write("Second", slug="taken")

    assert "slug" in caught.value.fields
    assert Post.objects.count() == 1


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"title": "  "}, "title"),
        ({"title": "x" * 301}, "title"),
        ({"title": "a\0b"}, "title"),
        ({"body": "a\0b"}, "body"),
        ({"body": "x" * 500_001}, "body"),
        ({"slug": "not a slug"}, "slug"),
        ({"slug": "../x"}, "slug"),
        ({"slug": "a\u202eb"}, "slug"),
        ({"slug": "北" * 101}, "slug"),
        ({"status": "gone"}, "status"),
        ({"published_at": datetime(2026, 1, 1)}, "published_at"),  # noqa: DTZ001
        ({"tags": ["x" * 51]}, "tags"),
        ({"tags": ["a,b"]}, "tags"),
        ({"tags": map(str, range(21))}, "tags"),
    ],
)
def test_wrong_fields_are_named_and_nothing_is_written(write, fields, named):
    with pytest.raises(InvalidInput) as caught:
        write(**{"title": "A post", **fields})

    assert list(caught.value.fields) == [named]
    assert not Post.objects.exists()


def test_tags_are_kept_in_lowercase_and_once(write):
    write(tags=["Django", " django ", "Long  Name"])

    assert posts_latest(limit=1)[0].tags == ("django", "long name")


def test_a_post_without_text_is_found_by_its_title(write):
    saved = write("Harbours", "")

    assert found("harbour") == [saved.slug]
