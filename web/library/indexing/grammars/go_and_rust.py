"""Go and Rust: methods take the name of their receiver or `impl` as their scope."""

from collections.abc import Iterable

from tree_sitter import Node

from web.library.indexing.grammars.base import Grammar, Named, Rule, text_of, words

_GO_TYPES = {"struct_type": "struct", "interface_type": "interface"}


def _go_type(node: Node, source: bytes) -> Iterable[Named]:
    name, definition = node.child_by_field_name("name"), node.child_by_field_name("type")
    if name is not None:
        kind = _GO_TYPES.get(definition.type, "type") if definition is not None else "type"
        yield Named(name, text_of(name, source), kind=kind)


def _go_method(node: Node, source: bytes) -> Iterable[Named]:
    """Name a method in the scope of its receiver's type: T of `func (t *T[X]) m()`."""
    name, receiver = node.child_by_field_name("name"), node.child_by_field_name("receiver")
    if name is None:
        return
    inside = text_of(receiver, source).strip("() ") if receiver is not None else ""
    scope = inside.partition("[")[0].rpartition(" ")[2].lstrip("*")
    yield Named(name, text_of(name, source), scope=scope)


def _names_except_blank(node: Node, source: bytes) -> Iterable[Named]:
    for name in node.children_by_field_name("name"):
        if name.is_named and (text := text_of(name, source)) != "_":
            yield Named(name, text)


GO = Grammar(
    rules={
        "function_declaration": Rule("function", opens=False),
        "method_declaration": Rule("method", _go_method, opens=False),
        "type_spec": Rule("type", _go_type),
        "type_alias": Rule("type", opens=False),
        "const_spec": Rule("constant", _names_except_blank, opens=False),
        "var_spec": Rule("variable", _names_except_blank, opens=False),
        "field_declaration": Rule("field", _names_except_blank, opens=False),
        "method_elem": Rule("method", opens=False),
    },
    passes=words("var_spec_list struct_type interface_type field_declaration_list ERROR"),
    wrappers=words("const_declaration var_declaration type_declaration"),
)


def _rust_impl(node: Node, source: bytes) -> Iterable[Named]:
    """Open the scope of the type that `impl Trait for Type<T>` speaks of."""
    target = node.child_by_field_name("type")
    if target is not None:
        plain = text_of(target, source).partition("<")[0]
        yield Named(target, plain.rpartition("::")[2].lstrip("&*"))


RUST = Grammar(
    rules={
        "function_item": Rule("function"),
        "function_signature_item": Rule("function", opens=False),
        "struct_item": Rule("struct"),
        "union_item": Rule("struct"),
        "enum_item": Rule("enum"),
        "enum_variant": Rule("constant", opens=False),
        "field_declaration": Rule("field", opens=False),
        "trait_item": Rule("trait"),
        "impl_item": Rule("scope", _rust_impl),
        "type_item": Rule("type", opens=False),
        "associated_type": Rule("type", opens=False),
        "const_item": Rule("constant", opens=False),
        "static_item": Rule("constant", opens=False),
        "mod_item": Rule("module"),
        "macro_definition": Rule("macro", opens=False),
    },
    passes=words(
        "declaration_list field_declaration_list enum_variant_list foreign_mod_item block ERROR"
    ),
    leading=words("line_comment block_comment attribute_item inner_attribute_item"),
)

GRAMMARS = {"go": GO, "rust": RUST}
