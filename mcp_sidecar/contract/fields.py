"""Arguments that several tools share, so that one word means one thing everywhere.

What a tool means by them it says itself; here stand their types and bounds.
"""

from typing import Annotated, Any

from pydantic import Field, StringConstraints

from mcp_sidecar.contract.base import PathText
from mcp_sidecar.contract.limits import MAX_PATH_CHARACTERS, MAX_QUERY_CHARACTERS

MAX_REF_CHARACTERS = 255
MAX_CURSOR_CHARACTERS = 200
MAX_WORD_CHARACTERS = 100
MAX_LINE_NUMBER = 100_000_000

Query = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_QUERY_CHARACTERS),
]
RequiredPath = Annotated[str, PathText(), Field(min_length=1, max_length=MAX_PATH_CHARACTERS)]
OptionalPath = Annotated[str | None, PathText(), Field(max_length=MAX_PATH_CHARACTERS)]
OptionalWord = Annotated[str | None, Field(max_length=MAX_WORD_CHARACTERS)]
Ref = Annotated[
    str | None,
    PathText(),
    Field(
        max_length=MAX_REF_CHARACTERS,
        description="Tag or branch of the named repository, one that get_repository lists as "
        "indexed; left out, the default branch.",
        examples=["v5.2"],
    ),
]
Cursor = Annotated[
    str | None,
    Field(
        max_length=MAX_CURSOR_CHARACTERS,
        description="Next page: the cursor of the last answer; other arguments unchanged.",
        examples=["NDA6OWYyYzFi"],
    ),
]


def row_limit(default: int, most: int, *, noun: str, example: int) -> Any:
    """Return the field of how many rows a page has at the most: from 1 to `most`.

    It says `noun` of the rows; `example` is the number that models are shown.
    """
    return Field(default, ge=1, le=most, description=f"{noun} at most.", examples=[example])
