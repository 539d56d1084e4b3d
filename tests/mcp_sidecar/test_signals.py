"""What the platform is told of each call, and that being told harms none."""

import asyncio
import json
import logging
import threading

import pytest

from mcp_sidecar import receivers, signals
from mcp_sidecar.signals import (
    MessageCall,
    ToolCall,
    mcpserver_called,
    mcpserver_calls,
    mcpserver_tool_called,
)
from tests.messages import INITIALIZED
from web.core.logs import JsonLines, ProcessFile, lines_together


@pytest.fixture
def told():
    """The keyword arguments of every signal, by the signal's name."""
    signals.flush(timeout_seconds=60)
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


@pytest.fixture
def received():
    """The keyword arguments of every `mcpserver_calls`."""
    told = []

    def on_calls(sender, **values):
        told.append(values)

    signals.flush(timeout_seconds=60)
    mcpserver_calls.connect(on_calls)
    yield told
    mcpserver_calls.disconnect(on_calls)


async def flushed():
    assert await asyncio.to_thread(signals.flush)


async def test_every_accepted_message_is_told(client, told):
    await client.ask("ping", x_request_id="r-1")
    await client.ask("nope")
    await client.post("/mcp/probes", INITIALIZED)
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
                for name in ("seconds", "at", "request_id", "signal"):
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


async def test_calls_are_told_together_in_their_order(client, received):
    await client.call("probe_echo", {"word": "ghp_0123456789abcdefghij0123456789"})
    await client.ask("ping")
    await flushed()
    calls = [call for values in received for call in values["calls"]]
    assert [type(call) for call in calls] == [ToolCall, MessageCall, MessageCall]
    assert [call.method for call in calls[1:]] == ["tools/call", "ping"]
    assert calls[0].request_id == calls[1].request_id
    assert calls[0].at <= calls[2].at
    assert "0123456789" not in str(calls[0].arguments)
    assert {values["dropped"] for values in received} == {0}


def test_many_calls_are_told_a_thousand_at_a_time(received, monkeypatch):
    monkeypatch.setattr(signals, "MAX_WAITING", 100_000)
    call = MessageCall("s", "/mcp/", "ping", "anonymous", 0.0, None, "r", 0.0)
    for number in range(5000):
        signals.note(call._replace(request_id=str(number)))
    assert signals.flush(timeout_seconds=60)
    calls = [call for values in received for call in values["calls"]]
    assert [call.request_id for call in calls] == [str(number) for number in range(5000)]
    assert max(len(values["calls"]) for values in received) <= signals.MAX_TOLD_AT_ONCE
    assert len(received) < 50


def test_what_was_dropped_is_told_with_the_next_calls(received, monkeypatch):
    call = MessageCall("s", "/mcp/", "ping", "anonymous", 0.0, None, "r", 0.0)
    monkeypatch.setattr(signals, "MAX_WAITING", 0)
    signals.note(call)
    monkeypatch.setattr(signals, "MAX_WAITING", 10)
    signals.note(call)
    assert signals.flush(timeout_seconds=60)
    assert sum(values["dropped"] for values in received) == 1


def test_lines_of_many_calls_are_whole_and_say_when_they_were_made(tmp_path, monkeypatch):
    file = ProcessFile(
        folder=str(tmp_path), process="test", max_bytes=40_000, max_files=9, keep_days=1
    )
    file.setFormatter(JsonLines(process="test"))
    monkeypatch.setattr(logging.getLogger(), "handlers", [file])
    call = MessageCall("s", "/mcp/", "ping", "anonymous", 0.5, None, "r", 1_700_000_000.25)
    calls = tuple(call._replace(request_id=f"r-{number}") for number in range(300))
    receivers.log_calls(None, calls=calls, dropped=0)
    file.close()
    texts = [path.read_text() for path in tmp_path.glob("*.jsonl*")]
    lines = [json.loads(line) for text in texts for line in text.splitlines()]
    assert {line["request_id"] for line in lines} == {call.request_id for call in calls}
    assert {line["time"] for line in lines} == {"2023-11-14T22:13:20.250+00:00"}
    assert len(texts) > 1


def test_a_warning_among_many_lines_is_written_at_once(tmp_path, monkeypatch):
    file = ProcessFile(
        folder=str(tmp_path), process="test", max_bytes=40_000, max_files=9, keep_days=1
    )
    monkeypatch.setattr(logging.getLogger(), "handlers", [file])
    with lines_together():
        file.handle(logging.makeLogRecord({"msg": "one", "levelno": logging.INFO}))
        (path,) = tmp_path.glob("*.jsonl")
        assert path.read_text() == ""
        file.handle(logging.makeLogRecord({"msg": "two", "levelno": logging.WARNING}))
        assert path.read_text() == "one\ntwo\n"
    file.close()


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
