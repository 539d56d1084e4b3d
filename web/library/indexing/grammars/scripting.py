"""Python, Ruby and PHP."""

import re
from collections.abc import Iterable

from tree_sitter import Node

from web.library.indexing.grammars.base import (
    Cuts,
    Grammar,
    Named,
    Rule,
    by_field,
    by_type,
    text_of,
    words,
)


def _python_targets(node: Node, source: bytes) -> Iterable[Named]:
    """Name the plain targets of `a = b = value`, not of unpacking, nor the export list."""
    assignment: Node | None = node
    while assignment is not None and assignment.type == "assignment":
        left = assignment.child_by_field_name("left")
        if left is not None and left.type == "identifier":
            name = text_of(left, source)
            if name not in {"_", "__all__", "__slots__"}:
                yield Named(left, name)
        assignment = assignment.child_by_field_name("right")


# At an empty line: what is above it is no comment on what begins after it, nor goes on there.
_PYTHON_CUTS = Cuts(
    outer=re.compile(rb"\n\n((?:#[^\n]*\n)*(?:@|(?:async +def|def|class)\b))"),
    inner=re.compile(rb"\n\n((?:    #[^\n]*\n)*    (?:@|(?:async +def|def)\b))"),
    outside=re.compile(rb"\n {0,3}[^ \n]"),
)

PYTHON = Grammar(
    rules={
        "class_definition": Rule("class"),
        "function_definition": Rule("function"),
        "assignment": Rule("variable", _python_targets, opens=False),
        "type_alias_statement": Rule("type", by_field("left"), opens=False),
    },
    passes=words(
        """block if_statement elif_clause else_clause try_statement except_clause
        except_group_clause finally_clause with_statement for_statement while_statement
        match_statement case_clause ERROR"""
    ),
    values=words("expression_statement"),
    wrappers=words("decorated_definition"),
    cuts=_PYTHON_CUTS,
)


def _qualified(node: Node, source: bytes) -> Iterable[Named]:
    """Name `class A::B` as B in the scope A."""
    name = node.child_by_field_name("name")
    if name is None:
        return
    scope, _, last = text_of(name, source).rpartition("::")
    yield Named(name, last, scope=scope.replace("::", "."))


def _ruby_constant(node: Node, source: bytes) -> Iterable[Named]:
    left = node.child_by_field_name("left")
    if left is not None and left.type == "constant":
        yield Named(left, text_of(left, source))


def _ruby_call(node: Node, source: bytes) -> Iterable[Named]:
    """Name what `attr_reader :x` and `define_method(:x)` define."""
    method = node.child_by_field_name("method")
    arguments = node.child_by_field_name("arguments")
    if method is None or arguments is None or node.child_by_field_name("receiver") is not None:
        return
    kinds = {
        "attr_accessor": "field",
        "attr_reader": "field",
        "attr_writer": "field",
        "define_method": "method",
        "alias_method": "method",
    }
    kind = kinds.get(text_of(method, source))
    if kind is None:
        return
    symbols = [child for child in arguments.named_children if child.type == "simple_symbol"]
    for symbol in symbols[:1] if kind == "method" else symbols:
        yield Named(symbol, text_of(symbol, source).lstrip(":"), kind=kind)


RUBY = Grammar(
    rules={
        "module": Rule("module", _qualified),
        "class": Rule("class", _qualified),
        "method": Rule("function"),
        "singleton_method": Rule("function"),
        "assignment": Rule("constant", _ruby_constant),
        "alias": Rule("method", opens=False),
        "call": Rule("none", _ruby_call),
    },
    passes=words(
        """body_statement singleton_class do_block block block_body if unless if_modifier
        unless_modifier then else elsif begin argument_list ERROR"""
    ),
)


def _php_property(node: Node, source: bytes) -> Iterable[Named]:
    for name in node.children_by_field_name("name"):
        yield Named(name, text_of(name, source).lstrip("$"))


def _php_define(node: Node, source: bytes) -> Iterable[Named]:
    """Name what `define('NAME', …)` defines."""
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    if function is None or arguments is None or text_of(function, source).lower() != "define":
        return
    first = arguments.named_child(0) if arguments.named_child_count else None
    name = text_of(first, source).strip("\"'") if first is not None else ""
    if first is not None and name.isidentifier():
        yield Named(first, name)


PHP = Grammar(
    rules={
        "namespace_definition": Rule("module"),
        "class_declaration": Rule("class"),
        "interface_declaration": Rule("interface"),
        "trait_declaration": Rule("trait"),
        "enum_declaration": Rule("enum"),
        "enum_case": Rule("constant", opens=False),
        "const_element": Rule("constant", by_type("name"), opens=False),
        "property_element": Rule("field", _php_property, opens=False),
        "property_promotion_parameter": Rule("field", _php_property, opens=False),
        "function_definition": Rule("function"),
        "method_declaration": Rule("method"),
        "function_call_expression": Rule("constant", _php_define, opens=False),
    },
    passes=words(
        """declaration_list enum_declaration_list compound_statement if_statement else_clause
        else_if_clause colon_block formal_parameters ERROR"""
    ),
    values=words("expression_statement"),
    wrappers=words("const_declaration property_declaration"),
)

GRAMMARS = {"python": PYTHON, "ruby": RUBY, "php": PHP}
