from contextlib import suppress
from datetime import UTC, datetime, timedelta
from unicodedata import normalize
from urllib.parse import unquote
from zoneinfo import ZoneInfo

import pytest

from web.accounts.principals import ANONYMOUS
from web.core.errors import InvalidInput, NotFound
from web.core.limits import LIMITS
from web.library.selectors.posts import post_text, posts_search

GUIDE = """Intro about ships.

## Reading a chart

A portolan shows coasts and harbours.

### Rhumb lines

They cross the sea from a compass rose.

## Keeping a log

Write down the wind.
"""


def search(query="", **arguments):
    return posts_search(principal=ANONYMOUS, query=query, **arguments)


def slugs(query="", **arguments):
    return [place.post.slug for place in search(query, **arguments).places]


def test_search_returns_the_section_that_fits_best(write):
    write("Guide", GUIDE)
    write("Other", "Compass.")

    place = search("rhumb lines compass rose").places[0]

    assert place.post.slug == "guide"
    assert place.heading == "Rhumb lines"
    assert place.trail == ("Reading a chart",)
    assert place.anchor == "rhumb-lines"
    assert "compass rose" in place.excerpt
    text = post_text(principal=ANONYMOUS, slug="guide", start_line=place.start_line)
    assert text.text.startswith("### Rhumb lines")


def test_search_finds_other_forms_of_a_word_and_parts_of_an_identifier(write):
    write("Guide", "Configuring `getUserName` in the settings.")

    assert slugs("configure") == slugs("user name") == slugs("getUserName") == ["guide"]


def test_a_word_in_the_title_weighs_more_than_one_in_the_text(write):
    write("Ships", "On harbours, and harbours.\n" + "wind " * 200)
    write("Harbours", "On ships, once.\n" + "wind " * 200)

    assert slugs("harbours") == ["harbours", "ships"]


def test_a_rare_word_weighs_more_than_a_common_one(write):
    for number in range(9):
        write(f"Post {number}", "The weather and the wind. " * 3)
    write("Special", "An astrolabe.")

    assert slugs("weather astrolabe")[0] == "special"


def test_many_quoted_phrases_are_looked_for_together(write):
    words = [f"{chr(first)}{chr(second)}" for first in range(97, 107) for second in range(97, 107)]
    write("All of them", " ".join(words))
    write("One of them", words[0])
    every = " ".join(f'"{word}"' for word in words)
    assert slugs(every) == ["all-of-them"]
    assert slugs('"aa ab" ' * 60) == ["all-of-them"]


def test_a_quoted_phrase_has_to_stand_so(write):
    write("One", "A compass rose here.")
    write("Two", "A rose and a compass.")

    assert sorted(slugs("compass rose")) == ["one", "two"]
    result = search('"compass rose"')
    assert [place.post.slug for place in result.places] == ["one"]
    assert "exactly so" in result.interpretation


def test_tag_and_since_narrow_a_search(write, clock):
    write("Old", "Harbours.", tags=["news"])
    clock.forward(days=10)
    write("New", "Harbours.", tags=["news"])
    write("Untagged", "Harbours.")

    assert sorted(slugs("harbours", tag="News")) == ["new", "old"]
    assert slugs("harbours tag:news", since=datetime(2026, 12, 5, tzinfo=UTC)) == ["new"]
    assert sorted(slugs(since=datetime(2026, 12, 10, tzinfo=UTC))) == ["new", "untagged"]


def test_since_is_an_instant_in_any_time_zone(write):
    write("Noon", "x")  # 2026-11-30 12:00 UTC
    berlin = datetime(2026, 11, 30, 13, 0, tzinfo=ZoneInfo("Europe/Berlin"))

    assert slugs(since=berlin) == ["noon"]
    assert slugs(since=berlin + timedelta(seconds=1)) == []


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"since": datetime(2026, 11, 30)}, "since"),  # noqa: DTZ001
        ({"query": "a\0b"}, "query"),
        ({"query": "?!"}, "query"),
        ({"tag": "a\0b"}, "tag"),
        ({"query": "x" * 501}, "query"),
        ({"limit": 0}, "limit"),
        ({"limit": LIMITS.max_search_limit + 1}, "limit"),
        ({"cursor": "nonsense"}, "cursor"),
    ],
)
def test_wrong_arguments_are_named(write, arguments, named):
    with pytest.raises(InvalidInput) as caught:
        search(**arguments)

    assert list(caught.value.fields) == [named]


def test_without_a_query_the_newest_come_first(write, clock):
    for name in ("One", "Two", "Three"):
        write(name)
        clock.forward(hours=1)

    assert slugs() == ["three", "two", "one"]


def test_pages_follow_each_other_without_gap_or_repetition(write, clock):
    for number in range(7):
        write(f"Post {number}", "Harbours.")
        clock.forward(hours=1)
    seen, cursor = [], None
    for _ in range(4):
        result = search("harbours", limit=2, cursor=cursor)
        assert result.total_count == 7
        seen += [place.post.slug for place in result.places]
        cursor = result.next_cursor

    assert cursor is None
    assert sorted(seen) == [f"post-{number}" for number in range(7)]
    first = search("harbours", limit=2)
    with pytest.raises(InvalidInput):
        search("other", cursor=first.next_cursor)


def test_a_search_that_finds_nothing_says_what_was_searched_and_what_to_try(write):
    write("One", "Harbours.", tags=["news"])

    result = search("astrolabe")
    assert (result.searched_count, result.total_count) == (1, 0)
    assert any("other words" in hint for hint in result.hints)
    assert "Tags: news" in search("harbours", tag="nws").hints[0]


def test_filters_of_other_systems_are_said_to_be_words(write):
    write("One", "author Ann")

    result = search("author:Ann")

    assert result.places
    assert result.hints == ("author: is not a filter here and was searched for as a word.",)


def test_without_posts_the_hint_leads_elsewhere(db):
    assert search("harbours").hints == (
        "There are no posts yet; search_docs covers the documentation.",
    )


@pytest.mark.parametrize(
    "query", ["NEAR(a b)", "a AND", "col:x*", '"unclosed', "a OR b)", "^x", "-", "'; DROP TABLE--x"]
)
def test_no_query_reaches_an_engine_as_syntax(write, query):
    write("One", "near a b col x unclosed drop table")

    with suppress(InvalidInput):
        search(query)


def test_a_long_post_is_read_in_parts_that_join(write):
    body = "\n".join(f"Line {number} of the log." for number in range(5000)) + "\n"
    write("Log", body)
    parts, start = [], None
    while True:
        text = post_text(principal=ANONYMOUS, slug="log", start_line=start)
        assert len(text.text) <= LIMITS.max_result_characters
        parts.append(text.text)
        start = text.next_start_line
        if start is None:
            break

    assert len(parts) > 2
    assert "\n".join(parts).strip() == body.strip()


def test_a_post_lists_its_sections(write):
    write("Guide", GUIDE)

    text = post_text(principal=ANONYMOUS, slug="guide")

    assert [(each.heading, each.level) for each in text.sections] == [
        ("Reading a chart", 2),
        ("Rhumb lines", 3),
        ("Keeping a log", 2),
    ]


def test_an_unknown_slug_is_told_the_nearest(write):
    write("Release notes")

    with pytest.raises(NotFound, match="Near: release-notes"):
        post_text(principal=ANONYMOUS, slug="release-note")
    with pytest.raises(NotFound, match="search_posts"):
        post_text(principal=ANONYMOUS, slug="zzz\0")


@pytest.mark.parametrize("title", ["Release notes", "日本語が好き", "डेटा"])
def test_the_address_of_a_post_works_as_its_slug(write, title):
    saved = write(title)
    address = post_text(principal=ANONYMOUS, slug=saved.slug).post.url

    assert address.isascii()
    for meant in (address, unquote(address), normalize("NFD", saved.slug)):
        assert post_text(principal=ANONYMOUS, slug=meant).post.slug == saved.slug


def test_a_line_behind_the_end_is_refused(write):
    write("Release notes")

    with pytest.raises(InvalidInput, match="has 1 lines"):
        post_text(principal=ANONYMOUS, slug="release-notes", start_line=2)
