"""The lint of all descriptors, on every kind of endpoint."""

import json
import re
from pathlib import Path

import jsonschema
import pytest

from mcp_sidecar.contract.base import AnyContract
from mcp_sidecar.contract.catalogue import CONTRACTS_BY_SERVER
from mcp_sidecar.contract.descriptor import MAX_LIST_CHARACTERS, descriptor, descriptors
from mcp_sidecar.contract.limits import MAX_REPOSITORY_ENUM
from mcp_sidecar.contract.reading import read_arguments
from mcp_sidecar.transport.application import SERVERS
from tests.contract.snapshot import FOLDER, assert_matches_snapshot
from web.core.errors import PortolanError

ALL = [contract for contracts in CONTRACTS_BY_SERVER.values() for contract in contracts]
NAMES = ("django", "wagtail")
each_contract = pytest.mark.parametrize("contract", ALL, ids=lambda contract: contract.name)


@each_contract
def test_descriptor_equals_its_snapshot(contract: AnyContract):
    assert_matches_snapshot(contract.name, descriptor(contract, NAMES))


def test_there_is_no_snapshot_without_a_tool():
    assert {path.stem for path in Path(FOLDER).glob("*.json")} == {one.name for one in ALL}


@each_contract
def test_description_has_all_its_parts(contract: AnyContract):
    description = contract.description
    assert "Use it" in description.purpose
    assert description.purpose.endswith(".")
    for part in (description.not_for, description.returns, description.errors):
        assert part[0].islower() or part.startswith("Markdown")
        assert part.endswith(".")
    assert '"' in description.returns, "an example of what comes back"
    assert ":" in description.errors, "each code with what to do"


@each_contract
def test_errors_name_codes_that_exist_and_what_to_do_at_each(contract: AnyContract):
    codes = {one.code for one in PortolanError.__subclasses__()}
    named = set(
        re.findall(r"\b([a-z]+(?:_[a-z]+)*)(?=, [a-z_]+[,:]|:)", contract.description.errors)
    )
    assert {word for word in named if "_" in word} <= codes
    if contract.arguments.model_fields:
        assert "invalid_input" in named
    for part in re.split(r"\.\s", contract.description.errors):
        _codes, colon, advice = part.partition(":")
        assert not colon or len(advice.split()) > 1, part


@each_contract
def test_an_argument_that_holds_objects_shows_a_whole_one(contract: AnyContract):
    for name, described in descriptor(contract, NAMES)["inputSchema"]["properties"].items():
        inner = described.get("items", described)
        if inner["type"] == "object":
            example = _example({"properties": {name: described}}, name)
            whole = example[0] if isinstance(example, list) else example
            assert set(inner.get("required", ())) <= set(whole)


def test_every_tool_that_is_served_is_described_and_linted():
    for definition in SERVERS:
        served = [tool.contract for tool in definition.tools]
        assert served == list(CONTRACTS_BY_SERVER[definition.name])
    assert {one.name for one in SERVERS} == set(CONTRACTS_BY_SERVER)


@each_contract
def test_what_a_tool_is_not_for_names_a_sibling_that_exists(contract: AnyContract):
    siblings = next(group for group in CONTRACTS_BY_SERVER.values() if contract in group)
    named = [one.name for one in siblings if one.name in contract.description.not_for]
    assert named
    assert contract.name not in named


@each_contract
def test_every_argument_has_a_meaning_and_a_valid_example(contract: AnyContract):
    schema = descriptor(contract, NAMES)["inputSchema"]
    required = {name: _example(schema, name) for name in schema.get("required", [])}
    for name in schema["properties"]:
        sent = required | {name: _example(schema, name)}
        read_arguments(contract, sent, names=NAMES)
        jsonschema.validate(sent, schema)


@each_contract
def test_a_call_with_the_required_arguments_alone_is_valid(contract: AnyContract):
    schema = descriptor(contract, NAMES)["inputSchema"]
    sent = {name: _example(schema, name) for name in schema.get("required", [])}
    read_arguments(contract, sent, names=NAMES)


@each_contract
def test_all_four_hints_and_a_title_are_set(contract: AnyContract):
    shown = descriptor(contract, NAMES)
    assert set(shown["annotations"]) == {
        "title",
        "readOnlyHint",
        "destructiveHint",
        "idempotentHint",
        "openWorldHint",
    }
    assert shown["title"]
    if shown["annotations"]["readOnlyHint"]:
        assert shown["annotations"]["idempotentHint"]
        assert not shown["annotations"]["destructiveHint"]


@pytest.mark.parametrize("server", CONTRACTS_BY_SERVER)
@pytest.mark.parametrize("count", [0, 1, MAX_REPOSITORY_ENUM, MAX_REPOSITORY_ENUM + 1, 5_000])
def test_list_of_tools_keeps_its_bound_with_any_number_of_repositories(server: str, count: int):
    names = tuple(f"{number:04}-{'x' * 58}" for number in range(count))
    shown = descriptors(CONTRACTS_BY_SERVER[server], names)
    assert len(json.dumps(shown, ensure_ascii=False)) <= MAX_LIST_CHARACTERS


def _example(schema: dict, name: str):
    described = schema["properties"][name]
    if "enum" in described:
        return described["enum"][0]
    _, mark, example = described["description"].rpartition("Example: ")
    assert mark, f"{name} has no example"
    return json.loads(example)
