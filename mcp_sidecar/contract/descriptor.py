"""What tools/list shows of a contract on an endpoint."""

import json
from collections.abc import Sequence
from typing import Any, Final

from mcp_sidecar.contract.base import AnyContract
from mcp_sidecar.contract.repository import NAME, offers_repository, repository_property
from mcp_sidecar.contract.schema import input_schema, output_schema

MAX_LIST_CHARACTERS: Final = 40_000


def descriptor(
    contract: AnyContract, names: tuple[str, ...] | None, *, as_enum: bool = True
) -> dict[str, Any]:
    """Return one tool as tools/list shows it.

    `names` are the repositories that the endpoint covers, None on the endpoint of a single one.
    Keys stand in a fixed order, so equal contracts and names give equal bytes.
    """
    schema = input_schema(contract.arguments)
    if offers_repository(contract, names) and names is not None:
        schema = _with_repository(
            schema, names, required=contract.requires_repository, as_enum=as_enum
        )
    shown: dict[str, Any] = {
        "name": contract.name,
        "title": contract.title,
        "description": contract.description.text,
        "inputSchema": schema,
    }
    if contract.structured:
        shown["outputSchema"] = output_schema(contract.result)
    shown["annotations"] = {
        "title": contract.title,
        "readOnlyHint": contract.hints.read_only,
        "destructiveHint": contract.hints.destructive,
        "idempotentHint": contract.hints.idempotent,
        "openWorldHint": contract.hints.open_world,
    }
    return shown


def descriptors(
    contracts: Sequence[AnyContract], names: tuple[str, ...] | None
) -> tuple[dict[str, Any], ...]:
    """Return the tools of an endpoint as tools/list shows them, within MAX_LIST_CHARACTERS.

    Where the names of the repositories would pass the bound, `repository` is a plain string, whose
    description says where the names are listed: in the tools that need a GitHub token, so that the
    others are the same with and without one, and in all tools where that is not enough.
    """
    shown = tuple(descriptor(contract, names) for contract in contracts)
    everyones = {one.name for one in contracts if not one.requires_github_token}
    for with_enum in (everyones, set[str]()):
        if len(json.dumps(shown, ensure_ascii=False)) <= MAX_LIST_CHARACTERS:
            break
        shown = tuple(descriptor(one, names, as_enum=one.name in with_enum) for one in contracts)
    return shown


def _with_repository(
    schema: dict[str, Any], names: tuple[str, ...], *, required: bool, as_enum: bool
) -> dict[str, Any]:
    added = {NAME: repository_property(names, required=required, as_enum=as_enum)}
    needed = ([NAME] if required else []) + schema.get("required", [])
    result = {"type": "object", "properties": added | schema["properties"]}
    if needed:
        result["required"] = needed
    return result | {"additionalProperties": False}
