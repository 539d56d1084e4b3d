"""R49, R50, R52, R53, R56: what clients send for arguments, and what they are told of mistakes."""

import json

import pytest

from mcp_sidecar.contract.catalogue import CONTRACTS_BY_SERVER
from mcp_sidecar.contract.project import CONTRACTS, search_code
from mcp_sidecar.contract.reading import ArgumentError, read_arguments
from mcp_sidecar.contract.schema import input_schema

NAMES = ("django", "wagtail")
ALL = [contract for contracts in CONTRACTS_BY_SERVER.values() for contract in contracts]
LIMITED = [contract for contract in ALL if "limit" in contract.arguments.model_fields]
each_contract = pytest.mark.parametrize("contract", ALL, ids=lambda contract: contract.name)


def minimal(contract) -> dict:
    fields = contract.arguments.model_fields
    sent = {name: field.examples[0] for name, field in fields.items() if field.is_required()}
    return sent | ({"repository": "django"} if contract.requires_repository else {})


def read(contract, sent):
    return read_arguments(contract, sent, names=NAMES)


def refused(contract, sent) -> str:
    with pytest.raises(ArgumentError) as caught:
        read(contract, sent)
    return caught.value.text


@each_contract
def test_r49_every_list_may_come_as_json_text(contract):
    for name, described in input_schema(contract.arguments)["properties"].items():
        if described["type"] != "array":
            continue
        example = contract.arguments.model_fields[name].examples[0]
        as_text = read(contract, minimal(contract) | {name: json.dumps(example)})
        assert as_text == read(contract, minimal(contract) | {name: example})
        assert name in refused(contract, minimal(contract) | {name: "[1,"})


@each_contract
def test_r50_null_for_every_optional_argument_is_the_same_as_none(contract):
    fields = contract.arguments.model_fields
    nulls = {name: None for name, field in fields.items() if not field.is_required()}
    assert read(contract, minimal(contract) | nulls) == read(contract, minimal(contract))


@pytest.mark.parametrize("contract", LIMITED, ids=lambda contract: contract.name)
def test_r52_numbers_may_come_as_text_and_are_bounded(contract):
    most = contract.arguments.model_json_schema()["properties"]["limit"]["maximum"]
    for limit in (5, "5", 5.0):
        assert read(contract, minimal(contract) | {"limit": limit}).arguments.limit == 5
    for limit in ("five", 5.5, -1, 0, 10**9):
        text = refused(contract, minimal(contract) | {"limit": limit})
        assert text.startswith(f"invalid arguments for {contract.name}: limit: ")
        assert f"from 1 to {most}" in text


def test_r53_misspelled_argument_is_told_the_right_one():
    text = refused(search_code.CONTRACT, {"query": "x", "repositry": "a"})
    assert "did you mean repository?" in text


@each_contract
def test_r53_what_clients_add_is_dropped(contract):
    extras = {"toolCallId": "1", "_meta": {"x": 1}}
    assert read(contract, minimal(contract) | extras) == read(contract, minimal(contract))


@each_contract
def test_r56_wrong_type_is_told_with_what_came_what_is_accepted_and_an_example(contract):
    for name, field in contract.arguments.model_fields.items():
        text = refused(contract, minimal(contract) | {name: {"wrong": "x" * 500}})
        assert f"- {name}: got " in text
        assert "; accepted: " in text
        assert f"for example {json.dumps(field.examples[0], ensure_ascii=False)}" in text
        assert "x" * 100 not in text
        assert "pydantic" not in text.lower()
        assert "://" not in text


def test_r53_every_misspelling_by_one_letter_is_recognised():
    for contract in CONTRACTS:
        for name in contract.arguments.model_fields:
            text = refused(contract, minimal(contract) | {name[:-1] + "_": "x"})
            assert f"did you mean {name}?" in text, name
