"""Calls of the sidecar on their way into the table, also while a sync holds the database."""

import asyncio
import threading

import pytest
from django.contrib.auth import get_user_model
from django.db import connection, connections

from mcp_sidecar import signals
from mcp_sidecar.errors import ProtocolError
from tests.mcp_sidecar.tools.calls import call, text
from web.core.transactions import write_transaction
from web.operations.models import ToolCall
from web.operations.recorder import RECORDER

SECRET = "ptl_c2VjcmV0LXBsYW50ZWQtaGVyZQ"
LONG = 60


@pytest.fixture
def recorded(settings, harbour):
    """Return the recorded calls, oldest first, once all are written."""
    assert signals.flush(timeout_seconds=LONG)  # calls of tests before
    settings.RECORD_CALLS = True

    def rows():
        assert signals.flush(timeout_seconds=LONG)
        assert RECORDER.flush(timeout_seconds=LONG)
        found = list(ToolCall.objects.order_by("id"))
        connections.close_all()
        return found

    yield rows
    rows()


async def test_a_search_is_recorded_with_what_it_found_also_from_the_cache(recorded):
    for _ in range(2):
        await text("search_code", {"query": "make_token"})
    await text("search_code", {"query": "sextant"})
    await text("find_symbol", {"name": "make_token"})
    await text("grep_code", {"pattern": "nowhere at all"}, repository="harbour")
    await call("search_code", {"query": "make_token", "limit": 0})
    await text("list_repositories")
    rows = await asyncio.to_thread(recorded)
    assert [(row.tool, row.query, row.cached) for row in rows] == [
        ("search_code", "make_token", False),
        ("search_code", "make_token", True),
        ("search_code", "sextant", False),
        ("find_symbol", "make_token", False),
        ("grep_code", "nowhere at all", False),
        ("search_code", "", False),
        ("list_repositories", "", False),
    ]
    counts = [row.result_count for row in rows]
    assert counts[0] == counts[1] > 0
    assert counts[2:] == [0, 1, 0, None, 2]
    assert [row.outcome for row in rows][-2:] == ["invalid_arguments", "ok"]
    assert rows[0].arguments == {"query": "make_token"}
    assert (rows[0].caller, rows[0].user_id) == ("anonymous", None)
    assert rows[0].result_size > 0


async def test_a_further_page_is_not_another_search(recorded):
    await call("search_code", {"query": "make_token", "cursor": "MDo"})
    await call("grep_code", {"pattern": "make_token", "cursor": "MDo"}, repository="harbour")
    rows = await asyncio.to_thread(recorded)
    assert [row.query for row in rows] == ["", ""]


async def test_secrets_are_in_no_row(recorded):
    await call("search_code", {"query": f"who uses {SECRET}"})
    await call("search_code", {"query": "x", "password": "hunter2-planted", SECRET: 1})
    with pytest.raises(ProtocolError):
        await call(SECRET, {})
    rows = await asyncio.to_thread(recorded)
    written = str([vars(row) for row in rows])
    assert len(rows) == 3
    assert SECRET not in written
    assert "hunter2" not in written


async def test_recording_can_be_switched_off(recorded, settings):
    settings.RECORD_CALLS = False
    await text("search_code", {"query": "make_token"})
    assert await asyncio.to_thread(recorded) == []


async def test_calls_that_are_made_while_a_sync_writes_are_answered_and_none_is_lost(recorded):
    holds, release = threading.Event(), threading.Event()

    def sync():
        with write_transaction("index"):
            get_user_model().objects.create_user("written-by-the-sync")
            holds.set()
            release.wait(LONG)
        connections.close_all()

    syncing = threading.Thread(target=sync)
    syncing.start()
    try:
        assert await asyncio.to_thread(holds.wait, LONG)
        for number in range(30):
            await text("search_code", {"query": f"token {number}"})
        assert await asyncio.to_thread(signals.flush, timeout_seconds=LONG)
        if connection.vendor == "sqlite":
            assert not await asyncio.to_thread(RECORDER.flush, timeout_seconds=0)
    finally:
        release.set()
        await asyncio.to_thread(syncing.join)
    rows = await asyncio.to_thread(recorded)
    assert [row.query for row in rows] == [f"token {number}" for number in range(30)]
    assert RECORDER.dropped == 0
