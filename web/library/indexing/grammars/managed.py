"""Java and C#. The package or the namespace of a whole file is no scope, as in most searches."""

from collections.abc import Iterable

from tree_sitter import Node

from web.library.indexing.grammars.base import Grammar, Named, Rule, text_of, words


def _java_fields(node: Node, source: bytes) -> Iterable[Named]:
    modifiers = node.named_child(0) if node.named_child_count else None
    words_before = (
        text_of(modifiers, source).split() if modifiers and modifiers.type == "modifiers" else []
    )
    kind = "constant" if {"static", "final"} <= set(words_before) else ""
    for declarator in node.children_by_field_name("declarator"):
        name = declarator.child_by_field_name("name")
        if name is not None:
            yield Named(name, text_of(name, source), kind=kind)


JAVA = Grammar(
    rules={
        "class_declaration": Rule("class"),
        "record_declaration": Rule("class"),
        "interface_declaration": Rule("interface"),
        "annotation_type_declaration": Rule("interface"),
        "enum_declaration": Rule("enum"),
        "enum_constant": Rule("constant"),
        "method_declaration": Rule("method", opens=False),
        "constructor_declaration": Rule("method", opens=False),
        "compact_constructor_declaration": Rule("method", opens=False),
        "annotation_type_element_declaration": Rule("method", opens=False),
        "field_declaration": Rule("field", _java_fields, opens=False),
        "constant_declaration": Rule("constant", _java_fields, opens=False),
    },
    passes=words(
        """class_body interface_body enum_body enum_body_declarations annotation_type_body
        ERROR"""
    ),
    leading=words("line_comment block_comment"),
)


def _csharp_fields(node: Node, source: bytes) -> Iterable[Named]:
    modifiers = {
        text_of(child, source) for child in node.named_children if child.type == "modifier"
    }
    kind = "constant" if "const" in modifiers or {"static", "readonly"} <= modifiers else ""
    for declaration in node.named_children:
        if declaration.type != "variable_declaration":
            continue
        for declarator in declaration.named_children:
            name = declarator.child_by_field_name("name")
            if declarator.type == "variable_declarator" and name is not None:
                yield Named(name, text_of(name, source), kind=kind)


CSHARP = Grammar(
    rules={
        "namespace_declaration": Rule("module"),
        "file_scoped_namespace_declaration": Rule("module"),
        "class_declaration": Rule("class"),
        "record_declaration": Rule("class"),
        "struct_declaration": Rule("struct"),
        "interface_declaration": Rule("interface"),
        "enum_declaration": Rule("enum"),
        "enum_member_declaration": Rule("constant", opens=False),
        "delegate_declaration": Rule("type", opens=False),
        "method_declaration": Rule("method", opens=False),
        "constructor_declaration": Rule("method", opens=False),
        "property_declaration": Rule("field", opens=False),
        "event_declaration": Rule("field", opens=False),
        "field_declaration": Rule("field", _csharp_fields, opens=False),
        "event_field_declaration": Rule("field", _csharp_fields, opens=False),
    },
    passes=words(
        """declaration_list enum_member_declaration_list preproc_if preproc_else preproc_elif
        ERROR"""
    ),
)

GRAMMARS = {"java": JAVA, "csharp": CSHARP}
