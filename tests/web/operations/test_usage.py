"""What was called, as counts, times and queries, and call by call."""

import os
import time
from datetime import date, timedelta

import pytest
from django.contrib.auth import get_user_model

from tests.web.operations.calls import NOON, STAFF, call
from web.accounts.principals import Principal
from web.core.errors import InvalidInput, NotAllowed, NotFound
from web.core.limits import LIMITS
from web.core.paging import cursor_behind
from web.operations.models import ToolCall
from web.operations.selectors import usage
from web.operations.selectors.tool_calls import tool_calls_listed
from web.operations.selectors.usage import percentile, usage_report
from web.operations.services.recording import tool_calls_record
from web.operations.services.retention import records_forget_old

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_noon")]


@pytest.fixture
def mira():
    return get_user_model().objects.create_user("mira")


def record(*calls):
    assert tool_calls_record(calls=calls) == len(calls)


def test_an_empty_installation_has_an_empty_report():
    report = usage_report(principal=STAFF, days=2)
    assert [day.day for day in report.days] == [date(2026, 11, 29), date(2026, 11, 30)]
    assert (report.calls, report.errors, report.callers, report.tools) == (0, 0, 0, ())
    assert (report.top_queries, report.empty_queries, report.searches_are_all) == ((), (), True)


def test_a_report_counts_calls_errors_and_callers_by_tool_and_day(mira):
    yesterday = NOON - timedelta(days=1)
    record(
        call(),
        call(outcome="not_found", user_id=mira.pk, caller=f"user:{mira.pk}"),
        call(tool="read_file", query="", result_count=None, at=yesterday),
        call(at=NOON - timedelta(days=2)),
    )
    report = usage_report(principal=STAFF, days=2)
    assert [(day.calls, day.errors) for day in report.days] == [(1, 0), (2, 1)]
    assert (report.calls, report.errors, report.callers) == (3, 1, 1)
    assert [(tool.tool, tool.calls, tool.errors) for tool in report.tools] == [
        ("search_code", 2, 1),
        ("read_file", 1, 0),
    ]


def test_times_are_percentiles_between_the_values():
    record(*(call(seconds=number / 100) for number in range(1, 102)))
    (tool,) = usage_report(principal=STAFF).tools
    assert tool.p50_seconds == pytest.approx(0.51)
    assert tool.p95_seconds == pytest.approx(0.96)
    assert tool.timed_count == 101
    assert percentile([1.0, 2.0], 0.5) == 1.5
    assert percentile([7.0], 0.95) == 7.0


def test_queries_are_counted_without_regard_to_case_and_those_without_results_apart():
    record(
        call(query="CSRF"),
        call(query=" csrf\n"),
        call(query="sextant", result_count=0),
        call(query="sextant", result_count=0, cached=True),
        call(query="lamp", result_count=0, tool="search_docs"),
        call(query="", result_count=0),
    )
    report = usage_report(principal=STAFF)
    assert {(found.query, found.tool, found.count) for found in report.top_queries} == {
        ("csrf", "search_code", 2),
        ("sextant", "search_code", 2),
        ("lamp", "search_docs", 1),
    }
    assert [(found.query, found.count) for found in report.empty_queries] == [
        ("sextant", 2),
        ("lamp", 1),
    ]
    assert report.searches_read == 5


def test_a_report_says_when_it_counted_only_the_newest_searches(monkeypatch):
    monkeypatch.setattr(usage, "LIMITS", LIMITS.model_copy(update={"max_counted_searches": 2}))
    record(*(call(query=f"q{number}", at=NOON - timedelta(hours=number)) for number in range(4)))
    report = usage_report(principal=STAFF)
    assert [found.query for found in report.top_queries] == ["q0", "q1"]
    assert (report.searches_read, report.searches_are_all) == (2, False)


@pytest.mark.parametrize("days", [0, LIMITS.usage_keep_days + 1])
def test_days_beyond_what_is_kept_are_refused(days):
    with pytest.raises(InvalidInput, match="days must be from 1 to 90"):
        usage_report(principal=STAFF, days=days)


@pytest.mark.parametrize("select", [usage_report, tool_calls_listed])
def test_only_staff_sees_usage(select):
    for principal in (Principal(), Principal(user_id=2, is_member=True)):
        with pytest.raises(NotAllowed):
            select(principal=principal)


def test_calls_are_listed_newest_first_page_by_page_whatever_arrives_meanwhile():
    record(*(call(request_id=f"r-{n}", at=NOON - timedelta(minutes=n // 2)) for n in range(7)))
    seen, cursor = [], None
    while True:
        page = tool_calls_listed(principal=STAFF, tool="search_code", limit=3, cursor=cursor)
        seen += [entry.request_id for entry in page.calls]
        record(call(request_id="later", at=NOON + timedelta(seconds=1)))
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == ["r-1", "r-0", "r-3", "r-2", "r-5", "r-4", "r-6"]
    assert page.total_count == 9


def test_calls_are_filtered_by_user_outcome_and_time(mira):
    own = {"user_id": mira.pk, "caller": f"user:{mira.pk}"}
    record(
        call(request_id="a", **own),
        call(request_id="b", outcome="not_found"),
        call(request_id="c", outcome="internal_error", at=NOON - timedelta(days=1), **own),
    )

    def listed(**filters):
        page = tool_calls_listed(principal=STAFF, **filters)
        assert page.total_count == len(page.calls)
        return {entry.request_id for entry in page.calls}

    assert listed(user="mira") == {"a", "c"}
    assert listed(user="anonymous") == {"b"}
    assert listed(outcome="error") == {"b", "c"}
    assert listed(outcome="not_found") == {"b"}
    assert listed(since=NOON - timedelta(hours=1)) == {"a", "b"}
    assert tool_calls_listed(principal=STAFF, user="mira").calls[0].user == "mira"
    with pytest.raises(NotFound, match="list_users"):
        listed(user="nobody")
    with pytest.raises(NotFound, match="internal_error, not_found, ok"):
        listed(outcome="eror")
    with pytest.raises(NotFound, match=r"tool 'serach_code'.* days: search_code"):
        listed(tool="serach_code")
    assert listed(tool="search_code", user="anonymous", outcome="ok") == set()
    mira.delete()
    assert listed(user="anonymous") == {"b"}


@pytest.mark.parametrize("cursor", ["x", "bm8", "é"])
def test_a_cursor_of_elsewhere_is_refused(cursor):
    with pytest.raises(InvalidInput, match="cursor"):
        tool_calls_listed(principal=STAFF, cursor=cursor)


@pytest.mark.parametrize(
    "place", ["", "1", "1-", "-1", "nan-1", "inf-1", "1e300-1", "9" * 20 + "-1", "1-" + "9" * 40]
)
def test_a_made_up_cursor_is_refused(place):
    names = ("tool", "user", "outcome", "since")
    cursor = cursor_behind(place, filters=dict.fromkeys(names))
    with pytest.raises(InvalidInput, match="cursor"):
        tool_calls_listed(principal=STAFF, cursor=cursor)


def test_what_a_row_cannot_hold_is_cut_or_escaped():
    hostile = "a\0b\ud800\u2028" + "x" * 1000
    record(
        call(tool=hostile, query=hostile, arguments={"q\0": ["\0", {"\ud800": float("nan")}]}),
        call(arguments={"query": "x" * 5_000, "limit": 3}, request_id="r-2"),
    )
    newest, first = tool_calls_listed(principal=STAFF).calls
    assert first.tool.startswith("a\\x00b\\ud800")
    assert first.arguments == {"q\\x00": ["\\x00", {"\\ud800": "nan"}]}
    assert set(newest.arguments) == {"query", "limit"}
    assert newest.arguments["query"] == "(too long to record)"


def test_a_call_that_the_database_refuses_takes_no_other_with_it(caplog):
    calls = [call(), call(result_size=-1, tool="broken"), call()]
    assert tool_calls_record(calls=calls) == 2
    assert ToolCall.objects.count() == 2
    assert "a call of broken cannot be recorded" in caplog.text


def test_old_calls_and_log_files_are_forgotten(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    record(call(), call(at=NOON - timedelta(days=LIMITS.usage_keep_days, seconds=1)))
    folder = settings.DATA_DIR / "log"
    folder.mkdir()
    for name, days in (("nginx.2026-01-01.jsonl", LIMITS.log_keep_days + 1), ("web.jsonl", 0)):
        (folder / name).touch()
        written = time.time() - days * 86400
        os.utime(folder / name, (written, written))
    assert records_forget_old() == 1
    assert ToolCall.objects.get().at == NOON
    assert [path.name for path in folder.iterdir()] == ["web.jsonl"]
