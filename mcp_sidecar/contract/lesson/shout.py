"""shout: a text in capitals."""

from pydantic import Field

from mcp_sidecar.contract.base import FIX, Arguments, Description, Rendering, Result, ToolContract
from mcp_sidecar.contract.text import escaped

MAX_TEXT_CHARACTERS = 1_000


class ShoutArguments(Arguments):
    """What shout takes."""

    text: str = Field(
        min_length=1,
        max_length=MAX_TEXT_CHARACTERS,
        description="What to say in capitals.",
        examples=["land ahead"],
    )


class ShoutResult(Result):
    """The text in capitals."""

    text: str


def render(result: ShoutResult) -> Rendering:
    """Return the text and nothing else; the caller sent it, so it is not marked as untrusted."""
    return Rendering(escaped(result.text)[0])


CONTRACT = ToolContract(
    name="shout",
    title="Shout",
    description=Description(
        purpose="Return a text in capital letters. Use it to try the connection with a call that "
        "takes text.",
        not_for="numbers (add).",
        returns='the text in capitals: "land ahead" gives "LAND AHEAD".',
        errors=FIX,
    ),
    arguments=ShoutArguments,
    result=ShoutResult,
    renderer=render,
)
