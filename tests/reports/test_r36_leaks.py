"""R31 and R36: three workers under calls, refusals and clients that leave; nothing stays behind."""

import asyncio
import os
import resource
from collections import Counter

import pytest

from mcp_sidecar.bridge import LOOK_UP_THREADS
from tests.mcp_sidecar.processes import running
from tests.mcp_sidecar.test_metrics import samples_of
from tests.messages import PING, call
from tests.raw_http import Link, post, request, send_once
from tests.reports.postgres import migrated_database
from web.core.limits import LIMITS

pytestmark = pytest.mark.services
WORKERS = 3
LINKS = 24
AT_ONCE = 1000
IDLE_TASKS = 7  # serving, publishing, and the question itself
MORE_FILES = 2  # of the question itself
LOOP_THREADS = min(32, (os.cpu_count() or 1) + 4)  # asyncio's own, for `to_thread`
OWN_THREADS = 4  # the loop, receivers of signals, recorded calls, lines of the log table
MOST_THREADS = LIMITS.max_concurrent_calls + LOOK_UP_THREADS + LOOP_THREADS + OWN_THREADS
MOST_GROWTH_BYTES = 5 * 2**20
HALF = post(b'{"jsonrpc":', length=1000)


REFUSED = {
    400: post(b"{"),
    401: post(PING, authorization="Bearer nonsense"),
    403: post(PING, origin="https://foreign.example"),
    404: post(PING, path="/mcp/repositories/none"),
    405: request("GET", "/mcp", {"host": "127.0.0.1"}),
    406: post(PING, accept="text/html"),
    413: post(b"", length=LIMITS.max_body_bytes * 100),
    415: post(PING, content_type="text/plain"),
    421: post(PING, host="foreign.example"),
    429: post(PING, x_forwarded_for="192.0.2.99"),
}


@pytest.fixture(scope="module", autouse=True)
def _open_files():
    """As many as the connections need here and, inherited, in a sidecar."""
    limits = soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, AT_ONCE * 2)), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, limits)


@pytest.fixture(scope="module")
def database():
    with migrated_database() as fresh:
        yield fresh


@pytest.fixture(scope="module")
def settings(database):
    return {
        "PORTOLAN_DATABASE_URL": database.url,
        "PORTOLAN_MAX_ANONYMOUS_MESSAGES_PER_MINUTE": "5000",
        "PORTOLAN_MAX_WRONG_TOKENS_PER_MINUTE": "0",
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory, settings):
    return tmp_path_factory.mktemp("leaks")


@pytest.fixture(scope="module")
def sidecar(folder, settings):
    with running(folder, "--workers", str(WORKERS), **settings) as started:
        yield started


async def scraped(sidecar):
    """What one worker tells of all, asked over a connection of its own."""
    reader, writer = await asyncio.open_connection("127.0.0.1", sidecar.port)
    fields = {"host": "127.0.0.1", "connection": "close"}
    writer.write(request("GET", "/metrics", fields))
    _head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    await writer.wait_closed()
    return samples_of(body.decode())


async def processes(sidecar, before=None):
    """What each worker says of itself, once all are at rest and as they were `before`."""
    for _ in range(1000):
        found = await scraped(sidecar)
        workers = {key[1]: {} for key in found if key[0] == "portolan_process_threads"}
        for pid, state in workers.items():
            for name in ("threads", "loop_tasks", "open_files", "resident_memory_bytes"):
                state[name] = found[f"portolan_process_{name}", pid]
        busy = found["portolan_pool_running", "tool"] + found["portolan_pool_waiting", "tool"]
        if len(workers) == WORKERS and not busy and at_rest(workers, before or {}):
            return workers
    raise AssertionError(f"the workers do not come to rest: {workers}")


def at_rest(workers, before):
    """Whether no worker answers anything but perhaps the question for its metrics."""
    return all(
        state["loop_tasks"] <= IDLE_TASKS
        and (pid not in before or state["open_files"] <= before[pid]["open_files"] + MORE_FILES)
        for pid, state in workers.items()
    )


async def refused(sidecar, count):
    """Send that many requests of all kinds that are refused; return the statuses."""
    kinds = list(REFUSED.items())
    seen = Counter()

    async def one_after_the_other(first):
        link = Link(sidecar.port)
        for number in range(first, count, LINKS):
            if number % 11 == 10:
                await link.leave_after(HALF)
                seen["left"] += 1
            else:
                seen[await link.send(kinds[number % len(kinds)][1])] += 1
        await link.close()

    await asyncio.gather(*(one_after_the_other(first) for first in range(LINKS)))
    return seen


async def parallel_calls(sidecar, count):
    """Call a tool that asks the database, each call on a connection of its own."""

    asked = [post(call("probe_query", number=number + 1), "/mcp/probes") for number in range(count)]
    return set(await asyncio.gather(*(send_once(sidecar.port, data) for data in asked)))


async def exhausted(sidecar):
    """Use up the limit of one address, so that it is refused from now on, on each worker."""
    batch = post([PING] * 20, x_forwarded_for="192.0.2.99")
    in_row = 0
    while in_row < 50:
        in_row = in_row + 1 if await send_once(sidecar.port, batch) == 429 else 0


async def warm(sidecar):
    """Use every worker until it has all its threads, and has refused what can be refused."""
    for _ in range(100):
        await refused(sidecar, 1000)
        assert await parallel_calls(sidecar, 60) == {200}
        state = await processes(sidecar)
        if all(worker["threads"] >= LIMITS.max_concurrent_calls for worker in state.values()):
            return state
    raise AssertionError(f"some workers get nothing to do: {state}")


async def test_calls_and_refused_requests_leave_the_workers_as_they_were(sidecar, database):
    await exhausted(sidecar)
    after = await warm(sidecar)
    growth = MOST_GROWTH_BYTES + 1
    for _ in range(5):  # a leak grows each time, a pool or a cache comes to its end
        if growth <= MOST_GROWTH_BYTES:
            break
        before = after
        assert await parallel_calls(sidecar, 60) == {200}
        seen = await refused(sidecar, 10_000)
        assert await parallel_calls(sidecar, 60) == {200}
        after = await processes(sidecar, before)
        assert sum(seen.values()) == 10_000
        assert REFUSED.keys() <= seen.keys()
        assert seen[413] > 500
        assert after.keys() == before.keys()  # no worker died
        assert all(state["threads"] <= MOST_THREADS for state in after.values())
        growth = max(
            state["resident_memory_bytes"] - before[pid]["resident_memory_bytes"]
            for pid, state in after.items()
        )
    assert growth <= MOST_GROWTH_BYTES
    assert await asyncio.to_thread(database.comes_to, WORKERS)


async def test_clients_that_leave_in_the_middle_of_a_body_leave_nothing(sidecar):
    before = await processes(sidecar)
    await asyncio.gather(*(Link(sidecar.port).leave_after(HALF) for _ in range(200)))
    after = await processes(sidecar, before)
    assert after.keys() == before.keys()


async def test_a_thousand_connections_at_once_fill_the_queue_and_nothing_else(folder, settings):
    with running(folder, **{**settings, "PORTOLAN_MAX_ANONYMOUS_MESSAGES_PER_MINUTE": "0"}) as one:
        places = LIMITS.max_concurrent_calls + LIMITS.max_queued_calls
        links = [Link(one.port) for _ in range(AT_ONCE)]
        wait = post(call("probe_wait", number=600), "/mcp/probes")
        tasks = [asyncio.create_task(link.send(wait)) for link in links]
        answered = []
        for finished in asyncio.as_completed(tasks):
            answered.append(await finished)
            if len(answered) == len(links) - places:
                assert set(answered) == {503}
                assert await send_once(one.port, post(PING)) == 200
                release = post(call("probe_release"), "/mcp/probes")
                assert await send_once(one.port, release) == 200
        assert Counter(answered) == {503: len(links) - places, 200: places}
        await asyncio.gather(*(link.close() for link in links))
        ready = request("GET", "/ready", {"host": "127.0.0.1"})
        assert await send_once(one.port, ready) == 200
