"""add: the sum of two numbers."""

from pydantic import Field

from mcp_sidecar.contract.base import FIX, Arguments, Description, Rendering, Result, ToolContract

MAX_NUMBER = 1_000_000_000_000


class AddArguments(Arguments):
    """What add takes."""

    a: int = Field(ge=-MAX_NUMBER, le=MAX_NUMBER, description="First number.", examples=[2])
    b: int = Field(ge=-MAX_NUMBER, le=MAX_NUMBER, description="Second number.", examples=[3])


class AddResult(Result):
    """The sum."""

    total: int


def render(result: AddResult) -> Rendering:
    """Return the sum in digits and nothing else."""
    return Rendering(str(result.total))


CONTRACT = ToolContract(
    name="add",
    title="Add",
    description=Description(
        purpose="Return the sum of two whole numbers. Use it to try the connection with a call "
        "whose answer you can check.",
        not_for="text (shout), numbers with fractions.",
        returns='the sum in digits: a=2 and b=3 give "5".',
        errors=FIX,
    ),
    arguments=AddArguments,
    result=AddResult,
    renderer=render,
)
