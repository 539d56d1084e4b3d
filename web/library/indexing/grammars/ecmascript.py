"""JavaScript and TypeScript: functions are found wherever a name is given to them."""

from collections.abc import Iterable
from dataclasses import replace

from tree_sitter import Node

from web.library.indexing.grammars.base import Grammar, Named, Rule, nameless, text_of, words

_FUNCTIONS = words("arrow_function function_expression generator_function")
_EXPORTS = frozenset(
    {"exports", "module.exports", "module", "this", "self", "window", "globalThis"}
)


def _kind_of_value(value: Node | None) -> str:
    if value is None:
        return ""
    if value.type in _FUNCTIONS:
        return "function"
    return "class" if value.type == "class" else ""


def _declared(node: Node, source: bytes) -> Iterable[Named]:
    """Name `const x = …`, not what is unpacked from something else."""
    name = node.child_by_field_name("name")
    if name is not None and name.type == "identifier":
        kind = _kind_of_value(node.child_by_field_name("value"))
        yield Named(name, text_of(name, source), kind=kind)


def _assigned(node: Node, source: bytes) -> Iterable[Named]:
    """Name functions and classes that are assigned: `Foo.prototype.bar = function () {}`."""
    kind = _kind_of_value(node.child_by_field_name("right"))
    left = node.child_by_field_name("left")
    if not kind or left is None:
        return
    if left.type == "identifier":
        yield Named(left, text_of(left, source), kind=kind)
    elif left.type == "member_expression":
        name, owner = left.child_by_field_name("property"), left.child_by_field_name("object")
        if name is None or owner is None or (text := text_of(name, source)) == "exports":
            return
        scope = text_of(owner, source).removesuffix(".prototype")
        if scope in _EXPORTS or not scope.replace(".", "").replace("$", "").isidentifier():
            yield Named(name, text, kind=kind)
        else:
            yield Named(name, text, "method" if kind == "function" else kind, scope=scope)


def _pair(node: Node, source: bytes) -> Iterable[Named]:
    """Name a property of an object that is a function."""
    key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
    if key is not None and key.type != "computed_property_name" and _kind_of_value(value):
        yield Named(key, text_of(key, source).strip("\"'"), kind="method")


def _member(node: Node, source: bytes) -> Iterable[Named]:
    """Name a field of a class, a method if a function is its value."""
    name = node.child_by_field_name("name") or node.child_by_field_name("property")
    if name is not None and name.type != "computed_property_name":
        kind = "method" if _kind_of_value(node.child_by_field_name("value")) else ""
        yield Named(name, text_of(name, source), kind=kind)


def _method(node: Node, source: bytes) -> Iterable[Named]:
    name = node.child_by_field_name("name")
    if name is not None and name.type != "computed_property_name":
        yield Named(name, text_of(name, source).strip("\"'"))


JAVASCRIPT = Grammar(
    rules={
        **dict.fromkeys(_FUNCTIONS, Rule("function", nameless)),
        "class_declaration": Rule("class"),
        "class": Rule("class"),
        "function_declaration": Rule("function"),
        "generator_function_declaration": Rule("function"),
        "method_definition": Rule("method", _method),
        "field_definition": Rule("field", _member),
        "variable_declarator": Rule("variable", _declared),
        "assignment_expression": Rule("none", _assigned),
        "pair": Rule("none", _pair),
    },
    passes=words(
        """class_body statement_block if_statement else_clause try_statement catch_clause
        finally_clause call_expression arguments parenthesized_expression object array
        return_statement expression_statement sequence_expression unary_expression
        new_expression await_expression ERROR"""
    ),
    wrappers=words("export_statement lexical_declaration variable_declaration"),
    leading=words("comment decorator"),
)


def _enum_member(node: Node, source: bytes) -> Iterable[Named]:
    """Name the bare members of an enum; those with a value are nodes of their own."""
    for name in node.children_by_field_name("name"):
        yield Named(name, text_of(name, source).strip("\"'"))


TYPESCRIPT = replace(
    JAVASCRIPT,
    rules={
        **JAVASCRIPT.rules,
        "abstract_class_declaration": Rule("class"),
        "interface_declaration": Rule("interface"),
        "type_alias_declaration": Rule("type", opens=False),
        "enum_declaration": Rule("enum"),
        "enum_body": Rule("constant", _enum_member),
        "enum_assignment": Rule("constant", opens=False),
        "internal_module": Rule("module"),
        "module": Rule("module", _method),
        "function_signature": Rule("function", opens=False),
        "method_signature": Rule("method", _method, opens=False),
        "abstract_method_signature": Rule("method", _method, opens=False),
        "property_signature": Rule("field", _member, opens=False),
        "public_field_definition": Rule("field", _member),
    },
    passes=JAVASCRIPT.passes
    | words("interface_body object_type as_expression satisfies_expression non_null_expression"),
    wrappers=JAVASCRIPT.wrappers | words("ambient_declaration"),
    unscoped=words("enum_body"),
)

GRAMMARS = {"javascript": JAVASCRIPT, "typescript": TYPESCRIPT, "tsx": TYPESCRIPT}
