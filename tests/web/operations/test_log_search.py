"""Searching the log of all processes: in files, and in the table where there is PostgreSQL."""

import json
import logging
import os
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from tests.web.operations.calls import NOON, STAFF
from web.accounts.principals import Principal
from web.core.errors import InvalidInput, NotAllowed, NotFound
from web.core.limits import LIMITS
from web.core.logs import JsonLines
from web.core.paging import cursor_behind
from web.core.redaction import hide
from web.operations.logs import search
from web.operations.logs.table import lines_written
from web.operations.selectors.logs import log_entries_found

pytestmark = pytest.mark.django_db
SIDECAR = "sidecar.host.12"


def line(message, *, seconds=0.0, level="INFO", logger="web.core", process="sidecar:12", **more):
    """A line of the log, `seconds` after noon, as its JSON."""
    at = (NOON + timedelta(seconds=seconds)).isoformat(timespec="milliseconds")
    fields = {
        "time": at,
        "level": level,
        "logger": logger,
        "message": message,
        "request_id": "",
        "process": process,
        "caller": "",
        "tool": "",
    }
    return json.dumps(fields | more, separators=(",", ":"))


def append(path, *lines):
    """Write lines into a file, at the end of the day whose noon they are of."""
    with path.open("a") as log:
        log.writelines(f"{text}\n" for text in lines)
    os.utime(path, times=(NOON.timestamp() + 40_000,) * 2)


@pytest.fixture
def write(settings, tmp_path):
    """Write lines as a process does: into its file, or into the table."""
    settings.DATA_DIR = tmp_path
    (tmp_path / "log").mkdir()

    def written(*lines, file=SIDECAR):
        if connection.vendor == "postgresql":
            lines_written([("host", text.encode()) for text in lines])
            return
        append(tmp_path / "log" / f"{file}.jsonl", *lines)

    return written


def found(**arguments):
    page = log_entries_found(principal=STAFF, **arguments)
    return [entry.message for entry in page.entries]


def pages(**arguments):
    """All messages, page by page."""
    seen, cursor = [], None
    while True:
        page = log_entries_found(principal=STAFF, cursor=cursor, **arguments)
        seen += [entry.message for entry in page.entries]
        cursor = page.next_cursor
        if cursor is None:
            return seen


def test_lines_of_all_processes_come_newest_first(write):
    write(line("one", seconds=1), line("four", seconds=4))
    write(line("two", seconds=2, process="worker:9"), file="worker.host.9")
    write(line("three", seconds=3, process="web:1"), file="web.host.1")
    assert found() == ["four", "three", "two", "one"]


def test_a_line_is_told_with_all_its_fields(write):
    more = {"request_id": "r-1", "caller": "user:7", "tool": "add", "milliseconds": 0.5}
    write(line("failed", level="ERROR", exception="Traceback\nValueError: x", **more))
    (entry,) = log_entries_found(principal=STAFF).entries
    assert entry.at == NOON
    assert (entry.level, entry.logger, entry.process) == ("ERROR", "web.core", "sidecar:12")
    assert (entry.request_id, entry.caller, entry.tool) == ("r-1", "user:7", "add")
    assert entry.exception == "Traceback\nValueError: x"
    assert entry.fields["milliseconds"] == 0.5


@pytest.mark.parametrize(
    ("query", "messages"),
    [
        ("SECOND line", ["the second line"]),
        ('"second line"', ["the second line"]),
        ('"line second"', []),
        ("r-77", ["the first"]),
        ("user:7", ["the first"]),
        ("keyerror", ["the first"]),
        ("sextant", ["the first"]),
        ("100%", []),
        ("t_e", []),
        ("größe", ["Die Größe"]),
    ],
)
def test_all_words_and_phrases_must_occur_somewhere_in_a_line(write, query, messages):
    write(
        line("the second line"),
        line(
            "the first",
            request_id="r-77",
            caller="user:7",
            exception="KeyError: 3",
            arguments={"query": "sextant"},
        ),
        line("Die Größe"),
    )
    assert found(query=query) == messages


def test_a_level_is_the_least(write):
    names = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
    write(*(line(name, level=name, seconds=n) for n, name in enumerate(names)))
    assert found(level="WARNING") == ["CRITICAL", "ERROR", "WARNING"]
    assert found(level="info") == ["CRITICAL", "ERROR", "WARNING", "INFO"]
    with pytest.raises(InvalidInput, match="DEBUG, INFO"):
        found(level="LOUD")


def test_a_logger_and_a_process_are_named_whole_or_by_their_first_part(write):
    write(
        line("a", seconds=2, logger="web.library.git"),
        line("b", seconds=1, logger="web.library_of_others"),
    )
    write(line("c", process="worker:9"), file="worker.host.9")
    assert found(logger="web.library") == ["a"]
    assert found(process="sidecar") == ["a", "b"]
    assert found(process="sidecar:12") == ["a", "b"]
    assert found(process="sidecar:1") == []
    assert found(process="worker") == ["c"]
    with pytest.raises(NotFound, match="Processes are: sidecar, worker"):
        found(process="sidcar")
    misspelled = r"Did you mean: web.library, .*\? Loggers are: web.core, web.library.git, "
    with pytest.raises(NotFound, match=misspelled):
        found(logger="web.libary")
    assert found(logger="web.library", process="worker") == []
    assert found(logger="django.db") == []  # there is one, which has no lines


def test_lines_are_of_a_time(write):
    write(*(line(str(second), seconds=second) for second in range(5)))
    since, until = NOON + timedelta(seconds=1), NOON + timedelta(seconds=3)
    assert found(since=since) == ["4", "3", "2", "1"]
    assert found(until=until) == ["3", "2", "1", "0"]
    assert found(since=since, until=until) == ["3", "2", "1"]


def test_pages_show_every_line_once_also_those_of_one_instant(write):
    write(*(line(f"a{number}", seconds=number // 4) for number in range(20)))
    write(
        *(line(f"b{number}", seconds=number // 4, process="web:1") for number in range(20)),
        file="web.host.1",
    )
    seen = pages(limit=3)
    assert len(seen) == 40
    assert set(seen) == {f"{letter}{number}" for letter in "ab" for number in range(20)}
    assert log_entries_found(principal=STAFF, limit=40).next_cursor is None


def test_a_page_goes_on_where_the_last_one_ended_though_more_is_logged(write):
    write(*(line(str(second), seconds=second) for second in range(6)))
    page = log_entries_found(principal=STAFF, limit=2)
    write(line("later", seconds=9))
    rest = log_entries_found(principal=STAFF, limit=2, cursor=page.next_cursor)
    assert [entry.message for entry in (*page.entries, *rest.entries)] == ["5", "4", "3", "2"]


def test_a_search_ends_at_its_bound_says_how_far_it_got_and_goes_on_from_there(write, monkeypatch):
    bounds = {"max_log_search_bytes": 1_000, "max_log_search_lines": 5}
    monkeypatch.setattr(search, "LIMITS", LIMITS.model_copy(update=bounds))
    write(line("needle"), *(line("hay", seconds=second) for second in range(1, 20)))
    page = log_entries_found(principal=STAFF, query="needle")
    assert page.entries == ()
    assert NOON < page.searched_back_to < NOON + timedelta(seconds=19)
    assert pages(query="needle") == ["needle"]


def test_what_no_log_wrote_is_passed_over(write, tmp_path):
    broken = ["", "no json", '{"time":"never"}', line("cut")[:-9], "\udcff", '{"time":"2026"}']
    write(line("a"), *(text.encode("utf-8", "replace").decode() for text in broken), line("b"))
    assert sorted(found()) == ["a", "b"]


def test_a_secret_that_became_known_later_is_not_shown(write):
    planted = "c2VjcmV0LXBsYW50ZWQtbGF0ZQ"
    write(line(f"used {planted}", exception=planted, more=[planted]))
    hide(planted)
    page = log_entries_found(principal=STAFF)
    assert "used [redacted]" in str(page)
    assert planted not in str(page)


def test_what_a_process_logs_is_found(write):
    record = logging.LogRecord("portolan.x", logging.ERROR, __file__, 1, "it %s", ("broke",), None)
    record.detail = {"nul": "\0", "half": "\ud800"}
    write(JsonLines(process="sidecar").format(record))
    (entry,) = log_entries_found(principal=STAFF, query="broke").entries
    assert entry.message == "it broke"
    assert abs(entry.at - datetime.now(UTC)) < timedelta(minutes=10)


def test_only_staff_may_read_the_log():
    for principal in (Principal(), Principal(user_id=2, is_member=True)):
        with pytest.raises(NotAllowed):
            log_entries_found(principal=principal)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": LIMITS.max_log_limit + 1}, "limit"),
        ({"query": "x" * (LIMITS.max_query_characters + 1)}, "query"),
        ({"cursor": "MTIuMw"}, "cursor"),
    ],
)
def test_arguments_that_do_not_fit_are_named(write, arguments, problem):
    with pytest.raises(InvalidInput) as refused:
        found(**arguments)
    assert problem in refused.value.fields


@pytest.mark.parametrize(
    "place", ["", "1", "1.", ".1", "-1.2", "1.2.3", "9" * 18 + ".1", "1." + "9" * 40, "nan.1"]
)
def test_a_made_up_cursor_is_refused(write, place):
    names = ("query", "level", "logger", "process", "since", "until")
    cursor = cursor_behind(place, filters=dict.fromkeys(names))
    with pytest.raises(InvalidInput, match="cursor"):
        found(cursor=cursor)


def test_an_installation_without_a_log_has_no_lines(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    assert found() == []
    with pytest.raises(NotFound, match="no lines yet"):
        found(logger="web.libary")
