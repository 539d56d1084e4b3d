"""R41, R42, R43, R44, R46, R47, R48: schemas that clients cannot read, names they drop."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from mcp_sidecar.contract.catalogue import CONTRACTS_BY_SERVER
from mcp_sidecar.contract.descriptor import descriptors
from mcp_sidecar.contract.reading import read_arguments
from mcp_sidecar.contract.schema import KEYWORDS

NAMES = ("django", "wagtail")
MANY = tuple(f"project-{number}" for number in range(200))
LISTS = {
    (server, kind): descriptors(contracts, names)
    for server, contracts in CONTRACTS_BY_SERVER.items()
    for kind, names in (("all", NAMES), ("many", MANY), ("none yet", ()), ("one", None))
}
each_list = pytest.mark.parametrize("tools", LISTS.values(), ids=lambda _: "")


def nodes(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a schema and every schema in it."""
    yield schema
    for inner in schema.get("properties", {}).values():
        yield from nodes(inner)
    if "items" in schema:
        yield from nodes(schema["items"])


@each_list
def test_r41_top_of_an_input_schema_is_a_plain_object(tools):
    for tool in tools:
        schema = tool["inputSchema"]
        assert schema["type"] == "object"
        assert not {"oneOf", "anyOf", "allOf"} & set(schema)


@each_list
def test_r42_no_union_and_no_null_is_advertised(tools):
    for tool in tools:
        text = json.dumps(tool["inputSchema"])
        assert '"anyOf"' not in text
        assert '"oneOf"' not in text
        assert '"null"' not in text
        assert '"default": null' not in text
        assert all(isinstance(node["type"], str) for node in nodes(tool["inputSchema"]))


def test_r42_null_is_accepted_all_the_same():
    search_code = next(
        one for one in CONTRACTS_BY_SERVER["portolan-project"] if one.name == "search_code"
    )
    given = read_arguments(search_code, {"query": "x", "repository": None}, names=NAMES)
    assert given.repository is None


@each_list
def test_r43_references_are_inlined(tools):
    text = json.dumps(tools)
    assert "$ref" not in text
    assert "$defs" not in text


@each_list
def test_r44_properties_are_always_there_and_closed(tools):
    for tool in tools:
        assert isinstance(tool["inputSchema"]["properties"], dict)
        assert tool["inputSchema"]["additionalProperties"] is False


def test_r44_tool_without_arguments_has_empty_properties():
    schema = {tool["name"]: tool for tool in LISTS["portolan-project", "one"]}["get_repository"]
    assert schema["inputSchema"] == {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }


@each_list
def test_r46_every_property_has_one_scalar_type_and_a_description(tools):
    for tool in tools:
        for name, described in tool["inputSchema"]["properties"].items():
            assert described["description"], (tool["name"], name)
            assert described["type"] in {"string", "integer", "number", "boolean", "array"}
            assert described["type"] != "array" or "type" in described["items"]
        for node in nodes(tool["inputSchema"]):
            assert set(node) <= KEYWORDS
            assert "title" not in node


@each_list
def test_r47_names_fit_every_client(tools):
    for tool in tools:
        assert re.fullmatch(r"[a-z][a-z0-9_]{2,39}", tool["name"])
        assert len("portolan-operations") + len(tool["name"]) < 60


def test_r47_names_are_unique_over_all_servers():
    names = [one.name for contracts in CONTRACTS_BY_SERVER.values() for one in contracts]
    assert len(names) == len(set(names))


@each_list
def test_r48_there_are_few_tools_and_their_list_is_short(tools):
    assert len(tools) <= 25
    assert len(json.dumps(tools, ensure_ascii=False)) <= 40_000
