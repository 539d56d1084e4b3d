"""What the platform is told of each call, and that being told harms none."""

import asyncio
import json
import logging
import threading

import pytest

from mcp_sidecar import signals
from mcp_sidecar.signals import mcpserver_called, mcpserver_tool_called
from web.core.logs import JsonLines


@pytest.fixture
def told():
    """The keyword arguments of every signal, by the signal's name."""
    received = {"called": [], "tool": []}

    def on_message(sender, **values):
        received["called"].append(values)

    def on_tool(sender, **values):
        received["tool"].append(values)

    mcpserver_called.connect(on_message)
    mcpserver_tool_called.connect(on_tool)
    yield received
    mcpserver_called.disconnect(on_message)
    mcpserver_tool_called.disconnect(on_tool)


async def flushed():
    assert await asyncio.to_thread(signals.flush)


async def test_every_accepted_message_is_told(client, told):
    await client.ask("ping", x_request_id="r-1")
    await client.ask("nope")
    await client.post("/mcp/probes", {"jsonrpc": "2.0", "method": "notifications/initialized"})
    await client.post("/mcp/probes", {"jsonrpc": "2.0", "method": "notifications/cancelled"})
    await client.post("/mcp/probes", b"{bad")
    await client.ask("server/discover", version="2026-07-28")
    await flushed()
    ping, nope, initialized, discover = told["called"]
    assert ping["server"] == "portolan-probes"
    assert ping["endpoint"] == "/mcp/probes/"
    assert (ping["method"], ping["caller"], ping["error"]) == ("ping", "anonymous", None)
    assert ping["request_id"] == "r-1"
    assert ping["seconds"] >= 0
    assert (nope["method"], nope["error"]) == ("nope", -32601)
    assert initialized["method"] == "notifications/initialized"
    assert discover["method"] == "server/discover"


async def test_every_tool_call_is_told_with_its_outcome(client, told, repositories):
    await client.call("probe_echo", {"word": "abc"})
    await client.call("probe_echo", {"word": "abc"})
    await client.call("probe_echo", {"word": [1]})
    await client.call("probe_fail", {"word": "not_found"})
    await client.ask("tools/call", {"name": "probe_fail", "arguments": {"word": "assertion"}})
    await client.ask("tools/call", {"name": "nope"})
    await client.call("probe_echo", path="/mcp/probes/repositories/alpha")
    await flushed()
    outcomes = [(call["tool"], call["outcome"], call["cached"]) for call in told["tool"]]
    assert outcomes == [
        ("probe_echo", "ok", False),
        ("probe_echo", "ok", True),
        ("probe_echo", "invalid_arguments", False),
        ("probe_fail", "not_found", False),
        ("probe_fail", "internal_error", False),
        ("nope", "unknown_tool", False),
        ("probe_echo", "ok", False),
    ]
    first, last = told["tool"][0], told["tool"][-1]
    assert first["arguments"] == {"word": "abc"}
    assert first["result_size"] == 3
    assert last["endpoint"] == "/mcp/probes/repositories/alpha/"
    assert len(told["called"]) == 7


async def test_the_way_without_the_lane_tells_the_same(transactional_db, state, told):
    from tests.mcp_sidecar.conftest import Client, application, http_client

    told_by_lane = {}
    for has_lane in (True, False):
        app = application(has_lane=has_lane)
        async with app.running(), http_client(app) as http:
            client = Client(http)
            await client.ask("ping")
            await client.ask("nope")
            await client.call("probe_fail", {"word": "not_found"})
            await client.ask("tools/call", {"name": "nope"})
            await client.post("/mcp/lesson", {"jsonrpc": "2.0", "id": 1, "method": "initialize"})
            await flushed()
        told_by_lane[has_lane] = json.loads(json.dumps(told, default=str))
        for calls in (*told_by_lane[has_lane].values(), *told.values()):
            for call in calls:
                for name in ("seconds", "request_id", "signal"):
                    call.pop(name, None)
        told["called"].clear()
        told["tool"].clear()
    assert told_by_lane[True] == told_by_lane[False]
    assert len(told_by_lane[True]["called"]) == 5


async def test_secrets_are_taken_out_of_arguments(client, told):
    await client.call("probe_echo", {"word": "ghp_0123456789abcdefghij0123456789"})
    await client.call("probe_echo", {"password": "hunter2", "word": "token=abcdefgh"})
    await flushed()
    text = json.dumps([call["arguments"] for call in told["tool"]])
    for secret in ("0123456789", "hunter2", "abcdefgh"):
        assert secret not in text


async def test_of_very_large_arguments_only_the_names_are_told(client, told):
    await client.call("probe_echo", {"word": "x" * 100_000})
    await flushed()
    assert told["tool"][0]["arguments"] == {"word": "(too large to note)"}


async def test_a_receiver_that_fails_harms_no_call_and_no_other(client, told, caplog):
    def broken(sender, **values):
        raise RuntimeError("broken receiver")

    mcpserver_tool_called.connect(broken)
    try:
        assert await client.text("probe_echo", {"word": "x"}) == "x"
        await flushed()
    finally:
        mcpserver_tool_called.disconnect(broken)
    assert len(told["tool"]) == 1
    assert [record.levelno for record in caplog.records if record.exc_info] == [logging.ERROR]


async def test_a_slow_receiver_delays_no_answer(client):
    release, entered = threading.Event(), threading.Event()

    def slow(sender, **values):
        entered.set()
        release.wait(60)

    mcpserver_called.connect(slow)
    try:
        assert (await client.ask("ping"))["result"] == {}
        await asyncio.to_thread(entered.wait, 60)
        assert (await client.ask("ping"))["result"] == {}
    finally:
        release.set()
        await flushed()
        mcpserver_called.disconnect(slow)


async def test_what_the_queue_cannot_take_is_dropped_and_counted(client, told, monkeypatch, caplog):
    release, entered = threading.Event(), threading.Event()

    def slow(sender, **values):
        entered.set()
        release.wait(60)

    monkeypatch.setattr(signals, "MAX_WAITING", 3)
    mcpserver_called.connect(slow)
    try:
        await client.ask("ping")
        await asyncio.to_thread(entered.wait, 60)
        for _ in range(8):
            await client.ask("ping")
    finally:
        release.set()
        await flushed()
        mcpserver_called.disconnect(slow)
    await client.ask("ping")
    await flushed()
    assert len(told["called"]) == 5
    assert "5 calls were not recorded" in caplog.text


async def test_each_call_is_one_line_of_the_log(client, caplog):
    with caplog.at_level(logging.INFO, logger="portolan.calls"):
        await client.call("probe_echo", {"word": "a\nb"})
        await flushed()
    records = [record for record in caplog.records if record.name == "portolan.calls"]
    lines = [json.loads(JsonLines(process="test").format(record)) for record in records]
    assert lines[0]["tool"] == "probe_echo"
    assert (lines[0]["outcome"], lines[0]["arguments"]) == ("ok", {"word": "a\nb"})
    assert (lines[1]["method"], lines[1]["caller"]) == ("tools/call", "anonymous")
    assert lines[0]["milliseconds"] >= 0
    assert lines[0]["request_id"] == lines[1]["request_id"]
