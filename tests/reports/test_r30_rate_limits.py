"""R30: a rate limit that all share by mistake, or that a header evades."""

from dataclasses import replace

import httpx
import pytest

from deploy.proxy import write_configuration
from tests.deploy.stack import Stack
from tests.mcp_sidecar.processes import running
from tests.messages import PING
from tests.services import RedisServer

pytestmark = pytest.mark.services
LIMIT = 5


def pings(url, times, *, address="127.0.0.1", **headers):
    """The statuses of some pings from an address of this machine, each on a new connection."""
    found = []
    for number in range(times):
        transport = httpx.HTTPTransport(local_address=address)
        with httpx.Client(transport=transport, trust_env=False, timeout=60) as http:
            forwarded = {name: text.format(number) for name, text in headers.items()}
            answer = http.post(f"{url}/mcp/", json=PING, headers=forwarded)
        found.append(answer.status_code)
        if answer.status_code == 429:
            assert int(answer.headers["retry-after"]) >= 1
    return found


@pytest.fixture(scope="module")
def stack(tmp_path_factory):
    """Web, sidecar and nginx with a small limit."""
    folder = tmp_path_factory.mktemp("limited")
    limit = {"PORTOLAN_MAX_ANONYMOUS_MESSAGES_PER_MINUTE": str(LIMIT)}
    with Stack(folder, public_url="http://127.0.0.1", **limit).running() as started:
        yield started


def test_no_header_evades_the_limit_and_another_client_is_served(stack):
    rotating = {"x-forwarded-for": "198.51.100.{0}", "forwarded": "for=198.51.100.{0}"}
    assert pings(stack.url, 8, **rotating) == [200] * LIMIT + [429] * 3
    assert pings(stack.url, 1, address="127.0.0.2") == [200]


def test_behind_a_trusted_proxy_the_address_is_counted_from_the_right(migrated):
    networks = {
        "PORTOLAN_MAX_ANONYMOUS_MESSAGES_PER_MINUTE": str(LIMIT),
        "PORTOLAN_TRUSTED_PROXIES": "127.0.0.1,10.0.0.0/8",
    }
    with running(migrated, **networks) as sidecar:
        # What the client wrote itself stands left; the proxy in front added the rest.
        chain = {"x-forwarded-for": "203.0.113.{0}, 192.0.2.7, 10.1.2.3"}
        assert pings(sidecar.url, LIMIT + 1, **chain) == [200] * LIMIT + [429]
        other = {"x-forwarded-for": "192.0.2.7, 192.0.2.8, 10.1.2.3"}
        assert pings(sidecar.url, 1, **other) == [200]


def test_sidecars_share_the_limit_through_redis_and_live_without_it(migrated):
    redis = RedisServer()
    redis.start()
    settings = {
        "PORTOLAN_REDIS_URL": redis.url,
        "PORTOLAN_REDIS_ANSWER_SECONDS": "60",
        "PORTOLAN_MAX_ANONYMOUS_MESSAGES_PER_MINUTE": str(LIMIT),
    }
    try:
        with running(migrated, **settings) as one, running(migrated, **settings) as other:
            assert pings(one.url, 3) == [200] * 3
            assert pings(other.url, 3) == [200, 200, 429]
            assert pings(one.url, 1) == [429]
            redis.stop()
            for sidecar in (one, other):
                assert pings(sidecar.url, LIMIT + 1, address="127.0.0.2") == [200] * LIMIT + [429]
            log = one.log.read_text()
            assert log.count("each sidecar counts rate limits for itself") == 2
    finally:
        redis.stop()


def test_nginx_behind_another_proxy_tells_its_clients_apart(stack):
    proxy = replace(stack.proxy, front_proxies=("127.0.0.3", "10.0.0.0/8"))
    stack.nginx.stop()
    write_configuration(proxy)
    stack.nginx.start()
    chain = {"x-forwarded-for": "203.0.113.{0}, 192.0.2.7, 10.1.2.3"}
    front = {"address": "127.0.0.3"}
    assert pings(stack.url, LIMIT + 1, **chain, **front) == [200] * LIMIT + [429]
    assert pings(stack.url, 1, **{"x-forwarded-for": "192.0.2.8"}, **front) == [200]
    # Who is no such proxy is not believed.
    assert pings(stack.url, LIMIT + 1, address="127.0.0.4", **chain) == [200] * LIMIT + [429]


async def test_of_many_requests_few_ask_redis(live_redis):
    count, asked = live_redis
    taken = [await count.take("a") for _ in range(5000)]
    assert taken == [0.0] * 5000
    assert await count.take("a") > 0
    assert len(asked) <= 50 + 2


async def test_two_processes_grant_no_more_than_the_limit_and_a_lease_each(live_redis):
    from mcp_sidecar.transport.rate_counts import Count

    count, _asked = live_redis
    other = Count(count.per_minute, shared=count._shared)
    granted = 0
    for _ in range(6000):
        granted += (await count.take("b")) == 0.0
        granted += (await other.take("b")) == 0.0
    assert 5000 - 100 <= granted <= 5000


async def test_what_is_left_of_a_lease_stays_when_a_batch_needs_more(live_redis):
    count, asked = live_redis
    assert await count.take("c", 60) == 0.0
    assert await count.take("c", 90) == 0.0  # of a hundred that were granted, 40 are left
    assert await count.take("c", 50) == 0.0
    assert len(asked) == 2


async def test_redis_is_asked_again_after_a_while(monkeypatch, caplog):
    from mcp_sidecar.transport import rate_sharing

    patient(monkeypatch)
    redis = RedisServer()
    shared = rate_sharing.RedisCount(redis.url)
    monkeypatch.setattr(rate_sharing, "PAUSE_SECONDS", 0.0)
    try:
        assert await shared("a", 5, 1, 1) is None
        assert await shared("a", 5, 1, 1) is None
        redis.start()
        assert (await shared("a", 5, 1, 1)).amount == 1
    finally:
        await shared.close()
        redis.stop()
    messages = [record.getMessage() for record in caplog.records]
    assert [message.partition(" ")[2][:10] for message in messages] == ["does not a", "answers ag"]


def patient(monkeypatch):
    """Wait for Redis as long as this machine takes."""
    from mcp_sidecar.transport import rate_sharing

    limits = rate_sharing.LIMITS.model_copy(update={"redis_answer_seconds": 60.0})
    monkeypatch.setattr(rate_sharing, "LIMITS", limits)


@pytest.fixture
async def live_redis(monkeypatch):
    """A count of 5000 a minute in a fresh Redis, and the list of what it was asked."""
    from mcp_sidecar.transport.rate_counts import Count
    from mcp_sidecar.transport.rate_sharing import RedisCount

    patient(monkeypatch)
    redis = RedisServer()
    redis.start()
    shared, asked = RedisCount(redis.url), []

    async def counted(*arguments):
        asked.append(arguments)
        return await shared(*arguments)

    yield Count(5000, shared=counted), asked
    await shared.close()
    redis.stop()
