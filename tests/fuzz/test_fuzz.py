"""A small run of every campaign; `python -m tests.fuzz --cases 100000` is the full one."""

import dataclasses

import pytest

from tests.fuzz import arguments, bodies, campaign, judge, requests, trees
from tests.fuzz.case import Answer, Case

JSON = ((b"content-type", b"application/json"),)
OTHER_ID = "the id is not the one that was sent"
PING = Case(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')
CALL = arguments.call_of("search_code", {"query": "x"})


def answered(text, *, status=200, headers=JSON):
    return Answer(status, headers, text.encode())


@pytest.mark.parametrize(
    ("name", "count"), [("bodies", 200), ("requests", 150), ("arguments", 150)]
)
def test_nothing_that_is_sent_breaks_the_sidecar(target, name, count):
    strategies = {
        "bodies": bodies.cases(),
        "requests": requests.cases(),
        "arguments": arguments.cases(target.definitions, target.known),
    }
    report = campaign.run(name, strategies[name], target, count=count, first_seed=1)
    assert report.cases >= count
    assert report.failures == {}, report.smallest


def test_no_repository_breaks_the_index_or_a_tool(target, tmp_path):
    report = trees.run(target, tmp_path, count=12, first_seed=1)
    assert report.cases == 12
    assert report.failures == {}, report.smallest


def test_every_tool_of_every_server_is_called(target):
    tools = arguments.tools_of(target.definitions)
    assert len(tools) == sum(len(one.tools) for one in target.definitions) > 10


@pytest.mark.parametrize(
    ("case", "answer", "fault"),
    [
        (PING, answered("{}", status=500), "status 500"),
        (PING, answered("", status=0), "status 0"),
        (PING, answered("{"), "the answer is no JSON"),
        (PING, answered('{"jsonrpc":"2.0","id":2,"result":{}}'), OTHER_ID),
        (PING, answered('{"jsonrpc":"2.0","id":true,"result":{}}'), OTHER_ID),
        (PING, answered('{"jsonrpc":"2.0","id":1}'), "neither result nor error, or both"),
        (
            PING,
            answered('{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x"}}'),
            "error code -32603",
        ),
        (
            PING,
            answered('{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"pydantic"}}'),
            "an error tells of the inside: -32602",
        ),
        (
            PING,
            answered('{"jsonrpc":"2.0","id":1,"result":{}}', headers=(*JSON, (b"x", b"a\nb"))),
            "a header is split: x",
        ),
        (
            dataclasses.replace(PING, body=b'[{"jsonrpc":"2.0","id":1,"method":"ping"},1]'),
            answered('[{"jsonrpc":"2.0","id":1,"result":{}}]'),
            "the responses of a batch are not those that are due",
        ),
        (
            CALL,
            answered(
                '{"jsonrpc":"2.0","id":1,"result":{"isError":false,"content":'
                '[{"type":"text","text":"%s"}]}}' % ("x" * 40_001)
            ),
            "search_code: a result over its bound",
        ),
        (
            CALL,
            answered(
                '{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":'
                '[{"type":"text","text":"It failed."}]}}'
            ),
            "search_code: an error without its code",
        ),
    ],
)  # fmt: skip
def test_the_judge_sees_what_is_wrong(case, answer, fault):
    assert fault in list(judge.faults(case, answer))


def test_the_judge_finds_no_fault_with_what_is_right():
    assert list(judge.faults(PING, answered('{"jsonrpc":"2.0","id":1,"result":{}}'))) == []
