"""How much a caller may send: whose messages count together, and what is told beyond that."""

import asyncio
import itertools
import math
from contextlib import asynccontextmanager

import httpx
import pytest
from django.core.cache import cache

from mcp_sidecar.servers.lesson import LESSON
from mcp_sidecar.servers.project import PROJECT
from mcp_sidecar.transport.application import Application
from mcp_sidecar.transport.rate_counts import MOST_KEYS, Count
from mcp_sidecar.transport.rate_limits import MOST_IN_LINE, address_of
from tests.mcp_sidecar.test_tokens import METADATA, bearer, made
from tests.messages import INITIALIZED, PING, PONG
from web.core.limits import LIMITS


class Clock:
    """A clock that stands still until told."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def sidecar(*, accounts=0, addresses=0, wrong_tokens=0):
    """Return a way to get a client of a given address, of one sidecar with these limits."""
    update = {
        "max_messages_per_minute": accounts,
        "max_anonymous_messages_per_minute": addresses,
        "max_wrong_tokens_per_minute": wrong_tokens,
    }
    app = Application((PROJECT, LESSON), limits=LIMITS.model_copy(update=update))
    clients = []

    def client(address="192.0.2.1"):
        transport = httpx.ASGITransport(app, client=(address, 4711))
        clients.append(httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8001"))
        return clients[-1]

    cache.clear()
    async with app.running():
        yield client
        for one in clients:
            await one.aclose()


async def statuses(http, times, *, path="/mcp", body=PING, **headers):
    return [(await http.post(path, json=body, headers=headers)).status_code for _ in range(times)]


async def test_an_address_is_refused_beyond_its_limit_and_no_other(transactional_db):
    async with sidecar(addresses=5) as client:
        assert await statuses(client("192.0.2.1"), 7) == [200] * 5 + [429] * 2
        assert await statuses(client("192.0.2.2"), 5) == [200] * 5


async def test_the_refusal_says_what_to_do_and_when_in_a_form_that_clients_show(transactional_db):
    async with sidecar(addresses=1) as client:
        http = client()
        await http.post("/mcp", json=PING)
        origin = {"origin": "http://127.0.0.1:8080"}
        refused = await http.post("/mcp", json=PING, headers=origin)
    seconds = int(refused.headers["retry-after"])
    assert 1 <= seconds <= 120
    assert refused.headers["content-type"] == "application/json"
    assert refused.headers["access-control-allow-origin"] == origin["origin"]
    assert refused.json() == {
        "jsonrpc": "2.0",
        "id": None,
        "error": {
            "code": -32011,
            "message": "Too many messages: this address may send 1 in a minute. Wait "
            f"{seconds} seconds, then send it again. Sign in, or send a token, for a limit of "
            "your own.",
            "data": {"code": "too_many_requests", "retry_after_seconds": seconds},
        },
    }


async def test_the_python_sdk_shows_what_the_refusal_says(transactional_db):
    from fastmcp import Client
    from fastmcp.client.transports import StreamableHttpTransport

    async with sidecar(addresses=4) as client:
        http = client()

        def factory(**options):
            options.pop("follow_redirects", None)
            return httpx.AsyncClient(transport=http._transport, **options)

        transport = StreamableHttpTransport(
            "http://127.0.0.1:8001/mcp/lesson", httpx_client_factory=factory
        )
        async with Client(transport) as one:
            await statuses(http, 4)
            with pytest.raises(Exception, match=r"Wait \d+ seconds"):
                await one.list_tools()


async def test_all_tokens_of_an_account_count_together_wherever_they_come_from(transactional_db):
    async with sidecar(accounts=4, addresses=1) as client:
        _, first, _ = await made("ann")
        _, second, _ = await made("ann")
        _, other, _ = await made("ben")
        assert await statuses(client("192.0.2.1"), 3, **bearer(first)) == [200] * 3
        assert await statuses(client("192.0.2.2"), 2, **bearer(second)) == [200, 429]
        assert await statuses(client("192.0.2.1"), 2, **bearer(other)) == [200] * 2


async def test_a_batch_counts_its_messages(transactional_db):
    async with sidecar(addresses=5) as client:
        http = client()
        batch = [PING, INITIALIZED, PING]
        assert (await http.post("/mcp", json=batch)).json() == [PONG, PONG]
        assert await statuses(http, 1, body=batch) == [429]
        assert await statuses(http, 2) == [200, 429]  # the batch that was refused took one


async def test_every_endpoint_counts(transactional_db):
    async with sidecar(addresses=3) as client:
        http = client()
        assert await statuses(http, 1, path="/mcp/lesson/") == [200]
        assert await statuses(http, 1, path="/mcp/repositories/none") == [404]
        assert (await http.get(f"{METADATA}/mcp")).status_code == 200
        assert (await http.get(f"{METADATA}/mcp")).status_code == 429
        assert (await http.get(f"{METADATA}/mcp")).headers["access-control-allow-origin"] == "*"
        assert await statuses(http, 1, path="/mcp/repositories/none") == [429]
        assert (await http.get("/health")).status_code == 200


async def test_readiness_is_never_refused(transactional_db):
    async with sidecar(addresses=1) as client:
        http = client()
        for _ in range(3):
            checks = (await http.get("/ready")).json()["checks"]
            assert checks["endpoint"] == "ok"


async def test_wrong_tokens_count_against_the_address_and_harm_no_right_one(transactional_db):
    async with sidecar(wrong_tokens=3) as client:
        http = client()
        _, secret, _ = await made("ann")
        wrong = [bearer(f"ptl_{number:040}") for number in range(5)]
        tried = [(await statuses(http, 1, **header))[0] for header in wrong]
        assert tried == [401] * 3 + [429] * 2
        refused = await http.post("/mcp", json=PING, headers=wrong[0])
        assert "Make sure that the token is complete" in refused.json()["error"]["message"]
        # Neighbours behind the same address work on: with a token, without, with one of GitHub's.
        assert await statuses(http, 2, **bearer(secret)) == [200] * 2
        assert await statuses(http, 1) == [200]
        assert await statuses(http, 2, **bearer(f"ghp_{0:036}")) == [200] * 2
        assert await statuses(client("192.0.2.2"), 1, **wrong[0]) == [401]


async def test_an_address_that_guesses_takes_one_thread(transactional_db, monkeypatch):
    from mcp_sidecar import auth

    looked_up, most = [], []
    principal_for_token = auth.principal_for_token

    def counted(**arguments):
        looked_up.append(arguments["token"])
        most.append(len(looked_up))
        try:
            return principal_for_token(**arguments)
        finally:
            looked_up.remove(arguments["token"])

    monkeypatch.setattr(auth, "principal_for_token", counted)
    async with sidecar(wrong_tokens=1) as client:
        http = client()
        _, secret, _ = await made("ann")
        assert await statuses(http, 1, **bearer("ptl_first")) == [401]
        guesses = [bearer(f"ptl_{number:040}") for number in range(2 * MOST_IN_LINE)]
        answers = await asyncio.gather(*(statuses(http, 1, **guess) for guess in guesses))
        assert set(itertools.chain(*answers)) == {429}
        assert len(most) == 1 + MOST_IN_LINE
        assert max(most) == 1
        assert await statuses(http, 1, **bearer(secret)) == [200]


async def test_zero_is_no_limit(transactional_db):
    async with sidecar() as client:
        assert set(await statuses(client(), 100)) == {200}


def test_a_window_slides():
    clock = Clock()
    count = Count(60, clock=clock)
    assert [count.at_once("a") for _ in range(60)] == [0.0] * 60
    wait = count.at_once("a")
    assert wait == pytest.approx(61)
    clock.now += 60
    assert count.at_once("a") == pytest.approx(1)  # all 60 are still less than a minute ago
    clock.now += 30.5
    assert [count.at_once("a") for _ in range(30)] == [0.0] * 30
    assert count.at_once("a") > 0
    clock.now += 1000
    assert [count.at_once("a") for _ in range(60)] == [0.0] * 60


def test_after_the_wait_that_was_told_there_is_room():
    for taken, later in ((10, 0.0), (7, 45.0), (3, 59.0)):
        clock = Clock()
        count = Count(10, clock=clock)
        assert count.at_once("a", taken) == 0.0
        clock.now += later
        count.at_once("a", 10 - taken)
        wait = count.at_once("a", 4)
        assert wait > 0
        clock.now += wait - 0.01
        assert count.at_once("a", 4) > 0
        clock.now += 0.02
        assert count.at_once("a", 4) == 0.0


def test_more_than_a_limit_at_once_is_taken_for_the_whole_limit():
    count = Count(5, clock=Clock())
    assert count.at_once("a", 9) == 0.0
    assert count.at_once("a") > 0


def test_a_flood_of_addresses_is_forgotten_from_its_start():
    count = Count(1)
    for number in range(MOST_KEYS + 10):
        assert count.at_once(str(number)) == 0.0
    assert len(count._windows) == MOST_KEYS
    assert count.at_once(str(MOST_KEYS)) > 0


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("unknown" * 30, "unreadable"),
        ("192.0.2.07", "unreadable"),
        ("_secret7", "unreadable"),
    ],
)
def test_an_address_of_ipv6_is_its_network(host, address):
    assert address_of({"client": (host, 1)}) == address


def test_a_request_over_no_network_has_no_address():
    assert address_of({}) == address_of({"client": None}) == address_of({"client": ("", 0)}) == ""


def test_the_wait_is_told_in_whole_seconds():
    from mcp_sidecar.transport.rate_limits import too_many

    for wait, seconds in ((0.01, 1), (1.5, 2), (60.0, 60)):
        refusal = too_many("Too many", wait_seconds=wait)
        assert dict(refusal.headers)[b"retry-after"] == b"%d" % seconds
        assert refusal.data == {"code": "too_many_requests", "retry_after_seconds": math.ceil(wait)}
