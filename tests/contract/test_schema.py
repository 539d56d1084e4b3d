from enum import StrEnum
from typing import Literal

import pytest
from pydantic import Field

from mcp_sidecar.contract.base import Arguments, Result
from mcp_sidecar.contract.schema import SchemaError, input_schema, output_schema


class Mood(StrEnum):
    CALM = "calm"
    LIVELY = "lively"


class Entry(Arguments):
    """A docstring for people."""

    subject: str = Field(max_length=20, min_length=1, description="What.", examples=["sail"])
    minutes: int | None = Field(None, gt=0, lt=60, description="How long.", examples=[5])


class Everything(Arguments):
    """Another docstring for people."""

    entries: list[Entry] = Field(
        description="What to write.", min_length=1, examples=[[{"subject": "sail"}]]
    )
    tags: tuple[str, ...] | None = Field(None, description="Words.", examples=[["a"]])
    mood: Mood | None = Field(None, description="Mood.", examples=["calm"])
    state: Literal["open", "done"] = Field("open", description="State.", examples=["open"])
    first: Entry | None = Field(None, description="The first.", examples=[{"subject": "sail"}])


def test_schema_is_what_models_and_their_clients_take():
    entry = {
        "type": "object",
        "properties": {
            "subject": {"type": "string", "description": 'What. Example: "sail"', "maxLength": 20},
            "minutes": {
                "type": "integer",
                "description": "How long. Example: 5",
                "minimum": 1,
                "maximum": 59,
            },
        },
        "required": ["subject"],
        "additionalProperties": False,
    }
    assert input_schema(Everything) == {
        "type": "object",
        "properties": {
            "entries": {
                "type": "array",
                "description": 'What to write. Example: [{"subject": "sail"}]',
                "items": entry,
                "minItems": 1,
            },
            "tags": {
                "type": "array",
                "description": 'Words. Example: ["a"]',
                "items": {"type": "string"},
            },
            "mood": {
                "type": "string",
                "description": 'Mood. Example: "calm"',
                "enum": ["calm", "lively"],
            },
            "state": {
                "type": "string",
                "description": 'State. Example: "open"',
                "enum": ["open", "done"],
                "default": "open",
            },
            "first": entry | {"description": 'The first. Example: {"subject": "sail"}'},
        },
        "required": ["entries"],
        "additionalProperties": False,
    }


def test_no_arguments_have_properties_all_the_same():
    class Nothing(Arguments):
        """None."""

    assert input_schema(Nothing) == {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }


@pytest.mark.parametrize("annotation", [int | str, dict[str, int], list, object])
def test_what_cannot_be_simplified_is_refused_when_the_schema_is_made(annotation):
    model = type("Odd", (Arguments,), {"__annotations__": {"odd": annotation}})
    with pytest.raises(SchemaError, match="odd"):
        input_schema(model)


def test_output_schema_keeps_null_and_inlines_references():
    class Row(Result):
        name: str
        ended: str | None

    class Rows(Result):
        rows: tuple[Row, ...]
        total_count: int

    schema = output_schema(Rows)
    assert schema["type"] == "object"
    row = schema["properties"]["rows"]["items"]
    assert row["properties"]["ended"] == {"anyOf": [{"type": "string"}, {"type": "null"}]}
    assert row["required"] == ["name", "ended"]
    assert "$" not in str(schema)
    assert "title" not in str(schema)
