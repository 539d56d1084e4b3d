from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from mcp_sidecar.contract.rendering.freshness import (
    MAX_REPOSITORIES_NAMED,
    Freshness,
    age,
    searched,
    state,
    what_to_try,
    with_ages,
)
from tests.contract.samples import FRESH, STALE

NOW = datetime(2026, 11, 5, 9, 15, tzinfo=UTC)
FRESHNESS = Freshness.of(FRESH)
EMPTY = replace(FRESH, commit="", committed_at=None, indexed_at=None)


def test_state_names_repository_ref_commit_and_instants():
    assert state(FRESHNESS) == (
        "repository `django` at `main`, commit 1a2b3c4d of 2026-11-02 10:31 UTC, "
        "indexed 2026-11-05 09:12 UTC."
    )


def test_stale_repository_says_since_when_and_why():
    assert ("STALE since 2026-11-06 00:00 UTC because `the remote does not answer`") in state(
        Freshness.of(STALE)
    )


def test_repository_without_a_commit_says_so():
    bare = Freshness.of(EMPTY)
    assert state(bare) == "repository `django`: nothing is indexed yet."


def test_repository_that_was_never_indexed_is_not_called_stale_but_failing():
    never = replace(STALE, commit="", committed_at=None, indexed_at=None)
    assert state(Freshness.of(never)) == (
        "repository `wagtail`: nothing is indexed yet, syncs fail since 2026-11-06 00:00 UTC "
        "because `the remote does not answer`."
    )


def test_list_without_rows_advises_other_filters_only_where_something_is_indexed():
    bare = Freshness.of(EMPTY)
    assert what_to_try([FRESHNESS, bare], "Try: another path.") == "Try: another path."
    assert "after the first sync" in what_to_try([bare], "Try: another path.")


def test_ages_are_added_to_the_head_only():
    text = f"Read from {state(FRESHNESS)}\n\n```\n2026-11-05 09:12 UTC\n```"
    assert with_ages(text, NOW) == (
        "Read from repository `django` at `main`, commit 1a2b3c4d of 2026-11-02 10:31 UTC "
        "(2 days ago), indexed 2026-11-05 09:12 UTC (3 minutes ago).\n\n"
        "```\n2026-11-05 09:12 UTC\n```"
    )


def test_ages_are_added_once():
    text = with_ages(f"Read from {state(FRESHNESS)}", NOW)
    assert with_ages(text, NOW + timedelta(hours=3)) == text


def test_text_that_only_looks_like_an_instant_is_left_alone():
    assert with_ages("at 2026-99-99 77:88 UTC.", NOW) == "at 2026-99-99 77:88 UTC."


@pytest.mark.parametrize(
    ("gone", "words"),
    [
        (timedelta(seconds=59), "just now"),
        (timedelta(seconds=-30), "just now"),
        (timedelta(hours=-1), "in the future"),
        (timedelta(seconds=60), "1 minute ago"),
        (timedelta(minutes=59), "59 minutes ago"),
        (timedelta(minutes=60), "1 hour ago"),
        (timedelta(hours=47), "1 day ago"),
        (timedelta(days=45), "45 days ago"),
        (timedelta(days=100), "3 months ago"),
        (timedelta(days=800), "2 years ago"),
    ],
)
def test_age_is_told_in_whole_units(gone, words):
    assert age(NOW - gone, NOW) == words


def test_search_over_one_repository_names_its_state():
    assert searched([FRESHNESS], []) == [f"Searched {state(FRESHNESS)}"]


def test_search_over_several_names_those_shown_and_those_not_up_to_date():
    other = Freshness.of(replace(FRESH, repository="flask"))
    stale = Freshness.of(STALE)
    never = Freshness.of(replace(EMPTY, repository="new"))
    assert searched([other, stale, FRESHNESS, never], ["django"]) == [
        "Searched 3 repositories:",
        f"- {state(FRESHNESS)}",
        f"- {state(stale)}",
        f"- {state(never)}",
    ]
    assert searched([other, never], [])[0] == "Searched 1 repository:"


def test_search_over_very_many_stays_short():
    many = [Freshness.of(replace(STALE, repository=f"r{number}")) for number in range(500)]
    lines = searched(many, [])
    assert len(lines) == MAX_REPOSITORIES_NAMED + 2
    assert "490 more" in lines[-1]


def test_search_without_any_index_says_so():
    nothing = "Searched nothing: no repository of this call is indexed yet"
    assert searched([], []) == [f"{nothing}."]
    never = Freshness.of(EMPTY)
    assert searched([never, never], []) == [f"{nothing}:", *[f"- {state(never)}"] * 2]
