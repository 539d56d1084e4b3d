"""What Prometheus is told: of calls, refusals, the cache, the pools, the library and the queue."""

import asyncio
import os
import signal
from contextlib import suppress

import httpx
import pytest
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from mcp_sidecar import signals
from tests.mcp_sidecar.processes import running
from tests.messages import PING
from web.library.models import Repository


def samples_of(text):
    return {
        (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def scraped(http):
    response = await http.get("/metrics")
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/plain; version=")
    return samples_of(response.text)


async def difference(http, act):
    """What `act` adds to each number."""
    await asyncio.to_thread(signals.flush)
    before = await scraped(http)
    await act()
    await asyncio.to_thread(signals.flush)
    after = await scraped(http)
    return {key: value - before.get(key, 0) for key, value in after.items()}


async def test_tool_calls_count_by_server_tool_and_outcome(client, repositories):
    async def act():
        await client.call("probe_echo", {"word": "x"})
        await client.call("probe_echo", {"word": "x"})
        await client.call("probe_fail", {"word": "not_found"})
        await client.ask("tools/call", {"name": "made-up-by-the-caller"})

    added = await difference(client.http, act)
    server = "portolan-probes"
    # Labels in the order of their names: outcome, server, tool.
    assert added["portolan_tool_calls_total", "ok", server, "probe_echo"] == 2
    assert added["portolan_tool_calls_total", "not_found", server, "probe_fail"] == 1
    assert added["portolan_tool_calls_total", "unknown_tool", server, "(unknown)"] == 1
    assert added["portolan_tool_call_seconds_count", "ok", server, "probe_echo"] == 2
    assert added["portolan_tool_call_seconds_bucket", "+Inf", "ok", server, "probe_echo"] == 2
    assert added["portolan_messages_total", "tools/call", "ok", server] == 3
    assert added["portolan_messages_total", "tools/call", "-32601", server] == 1
    assert added["portolan_result_cache_total", "miss"] == 1
    assert added["portolan_result_cache_total", "hit"] == 1
    assert not any("made-up" in part for key in added for part in key)


async def test_methods_that_nobody_knows_are_one(client):
    async def act():
        for number in range(3):
            await client.ask(f"made/up/{number}")

    added = await difference(client.http, act)
    assert added["portolan_messages_total", "(unknown)", "-32601", "portolan-probes"] == 3


async def test_refusals_count_by_status(client):
    async def act():
        await client.post("/mcp", PING, authorization="Bearer nonsense")
        await client.post("/mcp", PING, host="foreign.example")
        await client.post("/mcp", PING, origin="https://foreign.example")
        await client.post("/mcp", b"x" * 1_100_000)
        await client.post("/mcp", b"{")
        await client.http.get("/mcp")
        await client.post("/mcp/repositories/none", PING)

    added = await difference(client.http, act)
    for status in ("401", "421", "403", "413", "400", "405", "404"):
        assert added["portolan_http_refused_total", status] == 1, status


async def test_calls_that_run_and_wait_show_in_the_pool(client, state):
    await client.http.get("/metrics")
    slow = asyncio.create_task(client.call("probe_wait", {"number": 600}))
    await client.call("probe_started")
    during = await scraped(client.http)
    assert during["portolan_pool_running", "tool"] >= 1
    assert during["portolan_pool_waiting", "tool"] == 0
    assert during["portolan_pool_threads", "tool"] >= 1
    await client.call("probe_release")
    await slow
    assert during["portolan_process_resident_memory_bytes",] > 10_000_000
    assert during["portolan_process_open_files",] > 3
    assert during["portolan_workers",] == 1


async def test_the_library_shows_by_state_and_without_names(client, repositories):
    await Repository.objects.filter(name="alpha").aupdate(synced_at=timezone.now())
    await Repository.objects.filter(name="beta").aupdate(
        synced_at=timezone.now(), stale_since=timezone.now(), sync_error="no route"
    )
    text = (await client.http.get("/metrics")).text
    found = samples_of(text)
    states = {name: found["portolan_repositories", name] for name in ("fresh", "stale", "new")}
    assert states == {"fresh": 1, "stale": 1, "new": 1}
    assert found["portolan_repositories_failing",] == 1
    assert found["portolan_database_up",] == 1
    assert found["portolan_tasks", "waiting"] == 0
    assert found["portolan_index_oldest_seconds",] >= 0
    assert not {"alpha", "beta", "hidden"} & set(text.replace('"', " ").split())


async def test_it_speaks_openmetrics_to_who_asks(client):
    accept = {"accept": "application/openmetrics-text; version=1.0.0"}
    response = await client.http.get("/metrics", headers=accept)
    assert response.headers["content-type"].startswith("application/openmetrics-text")
    assert response.text.endswith("# EOF\n")


async def test_calls_that_were_dropped_show(client, monkeypatch):
    async def act():
        monkeypatch.setattr(signals, "MAX_WAITING", 0)
        await client.ask("ping")
        await client.ask("ping")
        monkeypatch.undo()
        await client.ask("ping")

    added = await difference(client.http, act)
    assert added["portolan_calls_not_recorded_total",] == 2


@pytest.mark.services
async def test_any_worker_answers_for_all(migrated):
    with running(migrated, "--workers", "3") as sidecar:
        one_each = httpx.Limits(max_keepalive_connections=0)  # so that it may be any worker's
        async with httpx.AsyncClient(
            base_url=sidecar.url, trust_env=False, timeout=60, limits=one_each
        ) as http:
            await until(http, lambda found: found["portolan_workers",] == 3)
            for _ in range(60):
                await http.post("/mcp", json=PING)
            found = await until(http, lambda found: pings(found) >= 60)
            assert pings(found) == 60
            workers = pids(found)
            assert len(workers) == 3
            killed = workers.pop()
            os.kill(int(killed), signal.SIGKILL)
            found = await until(http, lambda found: killed not in pids(found))
            assert pings(found) == 60


def pings(found):
    return found.get(("portolan_messages_total", "ping", "ok", "portolan-project"), 0)


def pids(found):
    return {key[1] for key in found if key[0] == "portolan_process_open_files"}


async def until(http, is_reached):
    """Scrape until the workers have told of themselves."""
    for _ in range(600):
        with suppress(httpx.TransportError):  # of the worker that was killed
            found = await scraped(http)
            if is_reached(found):
                return found
        await asyncio.sleep(0.1)
    raise AssertionError("never reached")
