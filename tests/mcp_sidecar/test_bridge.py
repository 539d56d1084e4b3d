"""The one way from the event loop to Django's threads."""

import asyncio
import contextvars
import threading

import pytest
from django.db import OperationalError, connection, connections, transaction

from mcp_sidecar.bridge import Bridge
from web.core.errors import DeadlineExceeded, NotFound, Unavailable

WORD: contextvars.ContextVar[str] = contextvars.ContextVar("word", default="")


@pytest.fixture
def bridge(django_db_setup):  # a thread of the bridge looks for the database's file
    made = []

    def make(*, threads=2, waiting=1, deadline_seconds=30.0):
        made.append(
            Bridge("test", threads=threads, waiting=waiting, deadline_seconds=deadline_seconds)
        )
        return made[-1]

    yield make
    for one in made:
        one.close()


def thread_name():
    return threading.current_thread().name


async def test_a_function_runs_on_a_thread_with_the_callers_context(bridge):
    WORD.set("carried")
    assert await bridge().run(lambda: WORD.get() + thread_name()[:4], {}) == "carriedtest"


async def test_arguments_and_exceptions_pass_through(bridge):
    def divided(*, number, by):
        return number / by

    one = bridge()
    assert await one.run(divided, {"number": 6, "by": 3}) == 2
    with pytest.raises(ZeroDivisionError):
        await one.run(divided, {"number": 6, "by": 0})
    with pytest.raises(RuntimeError):
        await one.run(lambda: next(iter(())), {})
    await asyncio.to_thread(one.close)
    assert one.is_idle


async def test_calls_run_at_the_same_time(bridge):
    barrier = threading.Barrier(4)
    one = bridge(threads=4)
    await asyncio.gather(*(one.run(barrier.wait, {"timeout": 60}) for _ in range(4)))


async def test_beyond_the_queue_a_call_is_refused_at_once(bridge):
    release = threading.Event()
    one = bridge(threads=2, waiting=1)
    running = [asyncio.create_task(one.run(release.wait, {"timeout": 60})) for _ in range(3)]
    await asyncio.sleep(0)
    assert one.is_full
    with pytest.raises(Unavailable, match="busy"):
        await one.run(thread_name, {})
    release.set()
    assert await asyncio.gather(*running) == [True, True, True]
    await asyncio.to_thread(one.close)
    assert one.is_idle


async def test_a_deadline_ends_the_waiting_and_the_thread_keeps_its_place(bridge, monkeypatch):
    release, started = threading.Event(), threading.Event()

    def slow():
        started.set()
        release.wait(60)

    one = bridge(threads=1, waiting=0, deadline_seconds=60)
    call = asyncio.create_task(one.run(slow, {}))
    assert await asyncio.to_thread(started.wait, 60)
    later = asyncio.get_running_loop().time() + 60
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: later)
    with pytest.raises(DeadlineExceeded, match="deadline exceeded"):
        await call
    assert one.is_full
    release.set()
    await asyncio.to_thread(one.close)
    assert one.is_idle


async def test_a_call_that_nobody_waits_for_any_more_is_not_started(bridge):
    release = threading.Event()
    ran: list[str] = []
    one = bridge(threads=1, waiting=1)
    first = asyncio.create_task(one.run(release.wait, {"timeout": 60}))
    second = asyncio.create_task(one.run(ran.append, {}))
    await asyncio.sleep(0)
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second
    release.set()
    await first
    await asyncio.to_thread(one.close)
    assert (ran, one.is_idle) == ([], True)


async def test_a_timeout_of_the_function_itself_is_its_own(bridge):
    def fail():
        raise TimeoutError("a socket")

    with pytest.raises(TimeoutError, match="a socket"):
        await bridge().run(fail, {})


class TestDatabase:
    @pytest.fixture(autouse=True)
    def _database(self, transactional_db):
        pass

    async def test_sqlites_connection_stays_with_its_thread(self, bridge):
        def ask():
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
            return id(connection.connection)

        one = bridge(threads=1)
        if connection.vendor == "sqlite":
            assert await one.run(ask, {}) == await one.run(ask, {})

    async def test_a_connection_that_failed_is_opened_anew(self, bridge):
        def broken():
            connection.ensure_connection()
            connection.connection.close()
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")

        def asked():
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
                return cursor.fetchone()[0]

        one = bridge(threads=1)
        with pytest.raises(Exception):  # noqa: B017, PT011 - each driver says it differently
            await one.run(broken, {})
        assert await one.run(asked, {}) == 1

    async def test_a_write_is_never_done_twice(self, bridge):
        tries: list[int] = []

        def write():
            tries.append(1)
            connection.ensure_connection()
            connection.connection.close()
            connection.errors_occurred = True
            raise OperationalError("server closed the connection unexpectedly")

        write.__module__ = "web.work.services.items"
        with pytest.raises(Unavailable):
            await bridge(threads=1).run(write, {})
        assert len(tries) == 1

    async def test_a_statement_that_is_wrong_is_no_outage(self, bridge):
        def mistaken():
            with connection.cursor() as cursor:
                cursor.execute("SELECT one FROM nowhere")

        with pytest.raises(Exception, match="nowhere") as raised:
            await bridge().run(mistaken, {})
        assert not isinstance(raised.value, Unavailable)

    async def test_an_expected_failure_leaves_the_connection_usable(self, bridge):
        def fail():
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SELECT 1")
                raise NotFound("It is not there.")

        def is_in_a_block():
            return connection.in_atomic_block

        one = bridge(threads=1)
        with pytest.raises(NotFound):
            await one.run(fail, {})
        assert await one.run(is_in_a_block, {}) is False

    async def test_close_ends_threads_and_connections(self, bridge):
        opened = []

        def ask():
            connection.ensure_connection()
            opened.append(connections["default"])

        one = bridge(threads=1)
        await one.run(ask, {})
        await asyncio.to_thread(one.close)
        assert [found.connection for found in opened] == [None]
