"""Calls of every tool, with arguments from its own input schema and hostile ones among them.

Tools are found in the definitions of the servers, so one that is added is called as well.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from hypothesis import strategies as st

from mcp_sidecar.contract.descriptor import descriptor
from mcp_sidecar.contract.schema import EXAMPLE
from mcp_sidecar.servers.definition import ServerDefinition
from mcp_sidecar.tools.base import BoundTool
from tests.fuzz.case import JSON_HEADERS, Case
from tests.fuzz.values import NUMBERS, PATHS, PATTERNS, QUERIES, REFS, texts, values
from tests.mcp_sidecar.conftest import HANDSHAKE_VERSIONS, MODERN, envelope

GITHUB_TOKEN: Final = "ghp_" + "0" * 36
Schema = dict[str, Any]
# What arguments of these names are often about, besides what the installation knows of them.
POOLS: Final[Mapping[str, tuple[str, ...]]] = {
    "path": PATHS,
    "pattern": (*PATTERNS, *PATHS),
    "query": (*QUERIES, "compare_tokens", "mooring lines", "value"),
    "name": ("make_token", "TokenGuard", "compare", "TokenGuard.compare_tokens", *QUERIES),
    "ref": REFS,
    "commit": (*REFS, "HEAD", "main"),
    "repository": ("harbour", "lighthouse", "nope", "*", ""),
}

Known = Mapping[str, Sequence[str]]


def tools_of(
    definitions: Sequence[ServerDefinition],
) -> list[tuple[ServerDefinition, BoundTool]]:
    """Every tool with its server."""
    return [(definition, tool) for definition in definitions for tool in definition.tools]


def cases(definitions: Sequence[ServerDefinition], known: Known) -> st.SearchStrategy[Case]:
    """Calls of all tools; `known` has real values by argument name."""
    return st.one_of([calls(definition, tool, known) for definition, tool in tools_of(definitions)])


def calls(definition: ServerDefinition, tool: BoundTool, known: Known) -> st.SearchStrategy[Case]:
    """Calls of one tool."""
    contract = tool.contract
    schema = descriptor(contract, tuple(known["repository"]))["inputSchema"]
    paths = [f"{definition.path}/"]
    if definition.over_repositories and not contract.project_wide:
        paths.append(f"{definition.path}/repositories/harbour")

    def made(arguments: Any, path: str, version: str | None) -> Case:
        headers = [*JSON_HEADERS]
        if version is not None:
            headers.append(("mcp-protocol-version", version))
        if contract.requires_github_token:
            headers.append(("x-github-token", GITHUB_TOKEN))
        params: dict[str, Any] = {"name": contract.name, "arguments": arguments}
        if version == MODERN:
            headers += [("mcp-method", "tools/call"), ("mcp-name", contract.name)]
            params["_meta"] = envelope()
        message = {"jsonrpc": "2.0", "id": "fuzz", "method": "tools/call", "params": params}
        return Case(
            json.dumps(message).encode(),
            path,
            headers=tuple(headers),
            tool=contract.name,
            server=definition.name,
            needs_token=definition.token_scope != "project",
        )

    return st.builds(
        made,
        _arguments(schema, known),
        st.sampled_from(paths),
        st.sampled_from((None, *HANDSHAKE_VERSIONS, MODERN)),
    )


def call_of(tool: str, arguments: Any) -> Case:
    """A call of one of the project's tools."""
    params = {"name": tool, "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return Case(json.dumps(message).encode(), tool=tool, server="portolan-project")


def _arguments(schema: Schema, known: Known) -> st.SearchStrategy[Any]:
    """Objects of the schema: right, half right, with more members."""
    named = {name: _argument(name, one, known) for name, one in schema["properties"].items()}
    right = {name: _right(name, one, known) for name, one in schema["properties"].items()}
    required = set(schema.get("required", ()))
    valid = st.fixed_dictionaries(
        {name: one for name, one in right.items() if name in required},
        optional={name: one for name, one in right.items() if name not in required},
    )
    hostile = st.fixed_dictionaries(
        {name: one for name, one in named.items() if name in required},
        optional={name: one for name, one in named.items() if name not in required},
    )
    misspelled = [name[:-1] for name in named if len(name) > 2] or ["x"]
    more = st.builds(
        lambda sent, key, value: {**sent, key: value},
        hostile,
        st.one_of(st.sampled_from([*misspelled, "toolCallId", "_meta"]), texts()),
        values(),
    )
    return st.one_of(
        valid, valid, hostile, hostile, more, st.fixed_dictionaries({}, optional=named)
    )


def _right(name: str, schema: Schema, known: Known) -> st.SearchStrategy[Any]:
    """Values that the schema takes, real ones among them."""
    kind = schema["type"]
    if kind in {"boolean", "integer", "number"}:
        least, most = schema.get("minimum", -(10**6)), schema.get("maximum", 10**6)
        return {
            "boolean": st.booleans(),
            "integer": st.one_of(
                st.integers(int(least), int(most)), st.sampled_from((least, most))
            ),
            "number": st.floats(least, most, allow_nan=False),
        }[kind]
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if kind == "array":
        item = _right(name, schema["items"], known)
        most = min(schema.get("maxItems", 3), 3)
        return st.lists(item, min_size=schema.get("minItems", 0), max_size=max(most, 1))
    if kind == "object":
        return _nested(schema, known, _right)
    _, marker, example = schema.get("description", "").rpartition(EXAMPLE)
    real = [*known.get(name, ()), *([json.loads(example)] if marker else [])]
    return st.one_of(
        st.sampled_from(real or ["x"]),
        st.sampled_from(POOLS.get(name, ("x",))),
        texts().map(lambda text: text[: schema.get("maxLength", 200)]),
    )


def _nested(schema: Schema, known: Known, of: Any) -> st.SearchStrategy[Any]:
    properties = {name: of(name, one, known) for name, one in schema["properties"].items()}
    required = set(schema.get("required", ()))
    return st.fixed_dictionaries(
        {name: one for name, one in properties.items() if name in required},
        optional={name: one for name, one in properties.items() if name not in required},
    )


def _argument(name: str, schema: Schema, known: Known) -> st.SearchStrategy[Any]:
    """Values for an argument: right ones, lenient forms of them, and anything else."""
    right = _right(name, schema, known)
    kind = schema.get("type")
    lenient: list[st.SearchStrategy[Any]] = [st.none(), right.map(_as_text)]
    if kind == "array":
        lenient.append(_argument(name, schema["items"], known))
        lenient.append(st.lists(_argument(name, schema["items"], known), max_size=3))
    elif kind == "object":
        lenient.append(_nested(schema, known, _argument))
    elif kind in {"integer", "number"}:
        lenient.append(st.sampled_from(NUMBERS))
    return st.one_of(right, right, *lenient, texts(), values())


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
