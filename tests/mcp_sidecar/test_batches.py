"""Batches: a list of messages, answered by the list of the responses that are due."""

import pytest

from tests.mcp_sidecar.conftest import HANDSHAKE_VERSIONS, MODERN
from tests.messages import INITIALIZED
from web.core.limits import LIMITS


def ping(identifier):
    return {"jsonrpc": "2.0", "id": identifier, "method": "ping"}


def pong(identifier):
    return {"jsonrpc": "2.0", "id": identifier, "result": {}}


def call(identifier, word):
    params = {"name": "probe_echo", "arguments": {"word": word}}
    return {"jsonrpc": "2.0", "id": identifier, "method": "tools/call", "params": params}


@pytest.mark.parametrize("version", [None, *HANDSHAKE_VERSIONS])
async def test_responses_stand_in_the_order_of_their_messages(client, version):
    headers = {} if version is None else {"mcp_protocol_version": version}
    batch = [ping("b"), INITIALIZED, call(1, "x"), {"jsonrpc": "2.0", "id": 9, "result": {}}]
    response = await client.post("/mcp/probes", [*batch, ping("a")], **headers)
    assert response.status_code == 200
    assert [answer["id"] for answer in response.json()] == ["b", 1, "a"]
    assert response.json()[1]["result"]["content"][0]["text"] == "x"


@pytest.mark.parametrize(
    "batch",
    [
        [INITIALIZED],
        [INITIALIZED, {"jsonrpc": "2.0", "method": "notifications/nope"}],
        [{"jsonrpc": "2.0", "id": 1, "result": {}}],
    ],
)
async def test_where_nothing_is_due_there_is_no_body(client, batch):
    response = await client.post("/mcp/probes", batch)
    assert (response.status_code, response.content) == (202, b"")


async def test_one_bad_message_does_not_spoil_the_others(client):
    bad = [1, {}, {"jsonrpc": "2.0", "id": 3}, {**ping(None)}, ["x"]]
    answers = (await client.post("/mcp/probes", [ping(1), *bad, ping(2)])).json()
    assert answers[0] == pong(1)
    assert answers[-1] == pong(2)
    assert [answer["error"]["code"] for answer in answers[1:-1]] == [-32600] * 5
    assert [answer["id"] for answer in answers[1:-1]] == [None, None, 3, None, None]


async def test_initialize_does_not_belong_into_a_batch(client):
    hello = {"jsonrpc": "2.0", "id": 5, "method": "initialize", "params": {}}
    for path in ("/mcp/probes", "/mcp/lesson"):
        answers = (await client.post(path, [hello, ping(1)])).json()
        assert (answers[0]["id"], answers[0]["error"]["code"]) == (5, -32600)
        assert answers[1] == pong(1)


@pytest.mark.parametrize("size", [0, LIMITS.max_batch_size + 1])
async def test_an_empty_or_larger_batch_is_one_invalid_request(client, state, size):
    response = await client.post("/mcp/probes", [call(n, "x") for n in range(size)])
    answer = response.json()
    assert (response.status_code, answer["error"]["code"], answer["id"]) == (400, -32600, None)
    assert state.calls == []


async def test_a_batch_of_the_limit_is_answered_in_full(client):
    size = LIMITS.max_batch_size
    answers = (await client.post("/mcp/probes", [call(n, str(n)) for n in range(size)])).json()
    assert [answer["result"]["content"][0]["text"] for answer in answers] == [
        str(number) for number in range(size)
    ]


@pytest.mark.parametrize("batch", [[], [ping(1)], [ping(n) for n in range(30)]])
async def test_2026_07_28_knows_no_batches(client, batch):
    response = await client.post("/mcp/probes", batch, mcp_protocol_version=MODERN)
    answer = response.json()
    assert (response.status_code, answer["error"]["code"], answer["id"]) == (400, -32600, None)


async def test_messages_are_answered_one_after_the_other(client, state):
    await client.post("/mcp/probes", [call(n, str(n)) for n in range(9)])
    assert state.calls == [str(number) for number in range(9)]


async def test_a_batch_is_malformed_as_a_whole_where_its_json_is(client):
    response = await client.post("/mcp/probes", b'[{"jsonrpc":"2.0","id":1,"method":"ping"},')
    assert response.json()["error"]["code"] == -32700
