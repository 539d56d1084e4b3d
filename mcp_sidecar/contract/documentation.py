"""docs/tools.md, made from the contracts; `make docs` writes it."""

import json
from typing import Any, Final

from mcp_sidecar.contract.base import AnyContract
from mcp_sidecar.contract.catalogue import CONTRACTS_BY_SERVER
from mcp_sidecar.contract.limits import MAX_REPOSITORY_ENUM, MAX_RESULT_CHARACTERS
from mcp_sidecar.contract.schema import EXAMPLE, input_schema

_HEAD: Final = f"""\
# Tools

<!-- Generated from the contracts by `make docs`. -->

Every tool answers with plain text in Markdown of at most {MAX_RESULT_CHARACTERS:,} characters; what
does not fit is left out whole, and the answer says how to get it. Answers name the indexed commit
and its age. Text from repositories stands in code spans and fences and is marked as untrusted;
invisible characters are shown as escapes.

Numbers may come as text, lists and objects as JSON text, and null means not given; switches take
only `true` and `false`. An argument that does not exist is refused with the nearest name. Errors
end with their code in brackets: `(code: invalid_input)`.

On the endpoint over all repositories, the tools that work on one take `repository` besides: an
enum of the names, or a string with more than {MAX_REPOSITORY_ENUM} repositories.
"""


def tools_page() -> str:
    """Return the page: every tool of every server with arguments, answer, errors and hints."""
    parts = [_HEAD]
    for server, contracts in CONTRACTS_BY_SERVER.items():
        parts.append(f"## {server}\n")
        parts += [_tool(contract) for contract in contracts]
    return "\n".join(parts)


def _tool(contract: AnyContract) -> str:
    description = contract.description
    lines = [
        f"### {contract.name}",
        "",
        description.purpose,
        "",
        *_arguments(contract),
        f"- Not for: {description.not_for}",
        f"- Returns: {description.returns}",
        f"- Errors: {description.errors}",
        f"- {_properties(contract)}",
        "",
    ]
    return "\n".join(lines)


def _arguments(contract: AnyContract) -> list[str]:
    schema = input_schema(contract.arguments)
    rows = [
        _row(name, described, is_required=name in schema.get("required", []))
        for name, described in schema["properties"].items()
    ]
    if contract.uses_repository:
        needed = "required" if contract.requires_repository else "optional"
        rows.insert(0, f"| `repository` | string, {needed} | One of the repositories. | |")
    if not rows:
        return ["It takes no arguments.", ""]
    return ["| argument | type | meaning | example |", "|---|---|---|---|", *rows, ""]


def _row(name: str, described: dict[str, Any], *, is_required: bool) -> str:
    kind = described["type"]
    if "minimum" in described and "maximum" in described:
        kind += f" {described['minimum']} to {described['maximum']}"
    if "default" in described:
        kind += f", default {json.dumps(described['default'])}"
    elif not is_required:
        kind += ", optional"
    else:
        kind += ", required"
    meaning, _, example = described["description"].partition(f" {EXAMPLE}")
    cells = (f"`{name}`", kind, meaning, f"`{example}`")
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _properties(contract: AnyContract) -> str:
    hints = contract.hints
    words = ["reads only" if hints.read_only else "writes"]
    if hints.idempotent:
        words.append("may be repeated")
    if hints.destructive:
        words.append("deletes")
    if hints.open_world:
        words.append("leaves the platform")
    if contract.project_wide:
        words.append("only on the endpoint over all repositories")
    if contract.requires_github_token:
        words.append("needs the caller's GitHub token")
    if contract.structured:
        words.append("structured content with an output schema")
    if contract.cache_seconds is None:
        words.append("never cached")
    else:
        words.append(f"cached up to {contract.cache_seconds} s while the index stays the same")
    return f"Properties: {'; '.join(words)}."
