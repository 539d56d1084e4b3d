"""Results are kept until the index changes, and never given to whom they are not for."""

import asyncio

import pytest
from django.core.cache import cache

from mcp_sidecar import caching
from tests.mcp_sidecar import probes
from web.library.models import IndexState


@pytest.fixture
async def words(client, state):
    """Call the counting tool; return how often it ran."""

    async def call(word, **more):
        await client.text("probe_echo", {"word": word}, **more)
        return state.calls.count(word)

    return call


async def test_the_same_call_runs_once(words):
    assert await words("a") == 1
    assert await words("a") == 1
    assert await words("b") == 1


async def test_arguments_that_mean_the_same_are_the_same(client, state):
    await client.call("probe_echo", {"word": ""})
    await client.call("probe_echo", {})
    await client.call("probe_echo", {"word": None})
    await client.call("probe_echo", {"toolCallId": "1"})
    assert state.calls == [""]


async def test_a_new_index_generation_runs_it_again(words):
    assert await words("a") == 1
    await IndexState.objects.aupdate_or_create(pk=1, defaults={"generation": 77})
    assert await words("a") == 2


async def test_each_endpoint_keeps_its_own(words, repositories):
    assert await words("a") == 1
    assert await words("a", path="/mcp/probes/repositories/alpha") == 2
    assert await words("a", path="/mcp/probes/repositories/beta") == 3
    assert await words("a", path="/mcp/probes/repositories/beta") == 3


async def test_errors_are_not_kept(client, state):
    for _ in range(2):
        assert (await client.call("probe_fail", {"word": "not_found"}))["isError"]


async def test_a_token_among_the_arguments_is_neither_repeated_nor_kept(client, words):
    token = "ptl_" + "Ab3" * 14 + "x"
    assert token not in await client.text("probe_echo", {"word": f"look for {token}"})
    result = await client.call("probe_row", {"word": token})
    assert result["structuredContent"]["title"] == "ptl_[redacted]"
    assert token not in str(result)
    assert await words(token) == 1
    assert await words(token) == 2


@pytest.mark.parametrize("name", ["probe_write", "probe_query", "probe_github"])
def test_tools_that_write_or_reach_github_are_never_kept(name):
    contract = next(tool.contract for tool in probes.TOOLS if tool.contract.name == name)
    assert not caching.may_be_cached(contract)


async def test_a_structured_result_is_kept_whole(client):
    first = await client.call("probe_row", {"word": "é"})
    assert await client.call("probe_row", {"word": "é"}) == first
    assert first["structuredContent"]["names"] == ["a", "b"]


async def test_a_cache_that_does_not_answer_makes_calls_slower_and_never_wrong(
    words, monkeypatch, caplog
):
    class Broken:
        def get(self, *_):
            raise ConnectionError("redis at secret-host is away")

        set = get

    monkeypatch.setattr(caching, "_store", Broken)
    assert await words("a") == 1
    assert await words("a") == 2
    assert "the cache does not answer (ConnectionError)" in caplog.text
    assert "secret-host" not in caplog.text


async def test_something_else_under_the_key_counts_as_nothing(words, monkeypatch):
    monkeypatch.setattr(caching, "key_of", lambda *_args, **_more: "taken")
    await asyncio.to_thread(cache.set, "taken", "not a result")
    assert await words("a") == 1
