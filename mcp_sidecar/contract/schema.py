"""JSON schemas as models and their clients take them.

Clients differ in what they understand of JSON Schema, and some drop a whole server over one
keyword. Input schemas therefore keep to objects, arrays and scalars of one type each, with the
keywords of `KEYWORDS`; what pydantic writes beyond that is translated or said in the description.
Output schemas stay exact, since clients validate results against them.
"""

import json
from typing import Any, Final

from pydantic import BaseModel

KEYWORDS: Final = frozenset(
    {
        "type",
        "description",
        "properties",
        "required",
        "items",
        "enum",
        "minimum",
        "maximum",
        "minItems",
        "maxItems",
        "maxLength",
        "default",
        "additionalProperties",
    }
)
# Checked when arguments are read, and not needed to write them: descriptions and examples say it.
_UNSAID: Final = frozenset(
    {"title", "examples", "format", "pattern", "minLength", "uniqueItems", "multipleOf"}
)
EXAMPLE: Final = "Example: "
SCALARS: Final = frozenset({"string", "integer", "number", "boolean"})

Schema = dict[str, Any]


class SchemaError(TypeError):
    """An arguments model says something that a simplified schema cannot say."""


def input_schema(model: type[BaseModel]) -> Schema:
    """Return the simplified schema of an arguments model.

    Raises SchemaError for a union, a property without one type, or an untyped array.
    """
    raw = model.model_json_schema()
    schema = _simplified(raw, raw.get("$defs", {}), where="arguments")
    schema.pop("description", None)
    return schema


def output_schema(model: type[BaseModel]) -> Schema:
    """Return the exact schema of a result model, without references and titles."""
    raw = model.model_json_schema(mode="serialization")
    schema: Schema = _inlined(raw, raw.get("$defs", {}))
    schema.pop("description", None)
    return schema


def with_example(description: str, examples: list[Any] | None) -> str:
    """Return a description that ends with the first example, as JSON."""
    if not examples:
        return description
    return f"{description} {EXAMPLE}{json.dumps(examples[0], ensure_ascii=False)}"


def _resolved(node: Schema, definitions: dict[str, Schema]) -> Schema:
    """Return `node` without its reference.

    A description beside the reference stays; that of the target is a docstring for people.
    """
    if "$ref" not in node:
        return node
    target = _resolved(definitions[node["$ref"].rpartition("/")[2]], definitions)
    named = {key: value for key, value in target.items() if key != "description"}
    return named | {key: value for key, value in node.items() if key != "$ref"}


def _one_option(node: Schema, definitions: dict[str, Schema], where: str) -> Schema:
    """Return `node` with anyOf [T, null] as T and `const` as an enum of one."""
    options = node.get("anyOf") or node.get("oneOf") or node.get("allOf")
    if options:
        kept = [option for option in options if option != {"type": "null"}]
        if len(kept) != 1:
            raise SchemaError(f"{where}: a union cannot be simplified")
        beside = {
            key: value for key, value in node.items() if key not in {"anyOf", "oneOf", "allOf"}
        }
        node = {**_one_option(_resolved(kept[0], definitions), definitions, where), **beside}
    if "const" in node:
        node = {key: value for key, value in node.items() if key != "const"} | {
            "enum": [node["const"]]
        }
    for keyword, plain, step in (
        ("exclusiveMinimum", "minimum", 1),
        ("exclusiveMaximum", "maximum", -1),
    ):
        if keyword in node and node.get("type") == "integer":
            node = dict(node)
            node[plain] = node.pop(keyword) + step
    return node


def _simplified(node: Schema, definitions: dict[str, Schema], *, where: str) -> Schema:
    node = _one_option(_resolved(node, definitions), definitions, where)
    unknown = set(node) - KEYWORDS - _UNSAID - {"$defs"}
    if unknown:
        raise SchemaError(f"{where}: keywords {sorted(unknown)} cannot be simplified")
    kind = node.get("type")
    simple: Schema = {"type": kind}
    if "description" in node:
        simple["description"] = with_example(node["description"], node.get("examples"))
    if kind == "object":
        properties = node.get("properties")
        if properties is None and where != "arguments":
            raise SchemaError(f"{where}: an object needs named properties")
        simple["properties"] = {
            name: _simplified(value, definitions, where=f"{where}.{name}")
            for name, value in (properties or {}).items()
        }
        if node.get("required"):
            simple["required"] = list(node["required"])
        simple["additionalProperties"] = False
    elif kind == "array":
        if not node.get("items"):
            raise SchemaError(f"{where}: an array needs items of one type")
        simple["items"] = _simplified(node["items"], definitions, where=f"{where}[]")
    elif kind not in SCALARS:
        raise SchemaError(f"{where}: type {kind!r} cannot be simplified")
    for keyword in ("enum", "minimum", "maximum", "minItems", "maxItems", "maxLength"):
        if keyword in node:
            simple[keyword] = node[keyword]
    if node.get("default") is not None:
        simple["default"] = node["default"]
    return simple


def _inlined(node: Any, definitions: dict[str, Schema]) -> Any:
    if isinstance(node, list):
        return [_inlined(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    result: Schema = {}
    for key, value in _resolved(node, definitions).items():
        if key == "properties":
            result[key] = {name: _inlined(item, definitions) for name, item in value.items()}
        elif key != "$defs" and not (key == "title" and isinstance(value, str)):
            result[key] = _inlined(value, definitions)
    return result
