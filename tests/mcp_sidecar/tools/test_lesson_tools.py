import pytest

from mcp_sidecar.servers.lesson import LESSON
from tests.mcp_sidecar.tools.calls import call


@pytest.mark.parametrize(
    ("tool", "arguments", "answer"),
    [
        ("add", {"a": 2, "b": 3}, "5"),
        ("add", {"a": "2", "b": -3.0}, "-1"),
        ("shout", {"text": "land ahead"}, "LAND AHEAD"),
        ("shout", {"text": "straße\u202e"}, "STRASSE\\u202e"),
    ],
)
async def test_lesson_answers_with_plain_text(tool, arguments, answer):
    outcome = await call(tool, arguments, definition=LESSON)
    assert (outcome.text, outcome.is_error) == (answer, False)


async def test_lesson_refuses_wrong_arguments_as_every_tool_does():
    outcome = await call("add", {"a": 2, "b": "three"}, definition=LESSON)
    assert outcome.is_error
    assert outcome.text.startswith("invalid arguments for add: b: Input should be a valid integer")
