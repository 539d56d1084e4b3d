"""C and C++. Prototypes are not definitions; macros are, when they have a value."""

from collections.abc import Iterable
from dataclasses import replace

from tree_sitter import Node

from web.library.indexing.grammars.base import Grammar, Named, Rule, text_of, words

_DECLARATOR_DEPTH = 20
_NAMES = words(
    "identifier field_identifier type_identifier destructor_name operator_name operator_cast"
)


def _declared(node: Node | None, source: bytes) -> Named | None:
    """Return the name at the heart of a declarator: of `*(*f(int))[3]` that is f."""
    for _ in range(_DECLARATOR_DEPTH):
        if node is None:
            return None
        if node.type in _NAMES:
            return Named(node, text_of(node, source))
        if node.type == "qualified_identifier":
            return _qualified(node, source)
        if node.type == "template_function":
            node = node.child_by_field_name("name")
            continue
        inner = node.child_by_field_name("declarator")
        if inner is None and node.type in {"parenthesized_declarator", "reference_declarator"}:
            named = [child for child in node.named_children if child.type != "ms_call_modifier"]
            inner = named[0] if named else None
        node = inner
    return None


def _qualified(node: Node, source: bytes) -> Named | None:
    """Return the last name of `a::B<T>::m`, in the scope a.B."""
    scopes: list[str] = []
    current: Node | None = node
    while current is not None and current.type == "qualified_identifier":
        scope = current.child_by_field_name("scope")
        if scope is not None and len(scopes) < _DECLARATOR_DEPTH:
            plain = scope.child_by_field_name("name") or scope
            scopes.append(text_of(plain, source))
        current = current.child_by_field_name("name")
    if current is not None and current.type == "template_function":
        current = current.child_by_field_name("name")
    if current is None:
        return None
    return Named(
        current, text_of(current, source), "method" if scopes else "", scope=".".join(scopes)
    )


def _function(node: Node, source: bytes) -> Iterable[Named]:
    named = _declared(node.child_by_field_name("declarator"), source)
    if named is not None:
        yield named


def _declaration(node: Node, source: bytes) -> Iterable[Named]:
    """Name variables that are given a value; the others are declared here and defined elsewhere."""
    is_constant = any(
        child.type == "type_qualifier" and text_of(child, source) in {"const", "constexpr"}
        for child in node.named_children
    )
    for declarator in node.children_by_field_name("declarator"):
        if declarator.type == "init_declarator":
            named = _declared(declarator.child_by_field_name("declarator"), source)
            if named is not None:
                yield named._replace(kind="constant" if is_constant else "")


def _fields(node: Node, source: bytes) -> Iterable[Named]:
    for declarator in node.children_by_field_name("declarator"):
        inner: Node | None = declarator
        while inner is not None and inner.type in {"pointer_declarator", "array_declarator"}:
            inner = inner.child_by_field_name("declarator")
        if inner is not None and inner.type == "function_declarator":
            # A pointer to a function is a field, a method without its body is a declaration.
            pointed = inner.child_by_field_name("declarator")
            inner = pointed if pointed and pointed.type == "parenthesized_declarator" else None
        named = _declared(inner, source)
        if named is not None:
            yield named


def _typedef(node: Node, source: bytes) -> Iterable[Named]:
    """Name the type, unless its struct of the same name is named already."""
    struct = node.child_by_field_name("type")
    tag = struct.child_by_field_name("name") if struct is not None else None
    has_body = struct is not None and struct.child_by_field_name("body") is not None
    for declarator in node.children_by_field_name("declarator"):
        named = _declared(declarator, source)
        if named is None or (has_body and tag and text_of(tag, source) == named.name):
            continue
        kind = "type"
        if has_body and tag is None and struct is not None:
            kind = "enum" if struct.type == "enum_specifier" else "struct"
        yield named._replace(kind=kind)


def _with_body(node: Node, source: bytes) -> Iterable[Named]:
    """Name a struct, union, class or enum that is defined here, not only mentioned."""
    name = node.child_by_field_name("name")
    if name is not None and node.child_by_field_name("body") is not None:
        if name.type == "template_type":
            name = name.child_by_field_name("name") or name
        scope, _, last = text_of(name, source).rpartition("::")
        yield Named(name, last, scope=scope.replace("::", "."))


def _valued_macro(node: Node, source: bytes) -> Iterable[Named]:
    name = node.child_by_field_name("name")
    if name is not None and node.child_by_field_name("value") is not None:
        yield Named(name, text_of(name, source))


C = Grammar(
    rules={
        "function_definition": Rule("function", _function, opens=False),
        "declaration": Rule("variable", _declaration),
        "field_declaration": Rule("field", _fields),
        "type_definition": Rule("type", _typedef),
        "struct_specifier": Rule("struct", _with_body),
        "union_specifier": Rule("struct", _with_body),
        "enum_specifier": Rule("enum", _with_body),
        "enumerator": Rule("constant", opens=False),
        "preproc_def": Rule("macro", _valued_macro, opens=False),
        "preproc_function_def": Rule("macro", _valued_macro, opens=False),
    },
    passes=words(
        """preproc_if preproc_ifdef preproc_else preproc_elif preproc_elifdef
        linkage_specification declaration_list field_declaration_list enumerator_list ERROR"""
    ),
    unscoped=words("type_definition declaration"),
)


def _namespace(node: Node, source: bytes) -> Iterable[Named]:
    name = node.child_by_field_name("name")
    if name is not None:
        yield Named(name, text_of(name, source).replace("::", "."))


CPP = replace(
    C,
    rules={
        **C.rules,
        "class_specifier": Rule("class", _with_body),
        "namespace_definition": Rule("module", _namespace),
        "alias_declaration": Rule("type", opens=False),
        "concept_definition": Rule("type", opens=False),
        "namespace_alias_definition": Rule("module", opens=False),
    },
    wrappers=words("template_declaration export_declaration"),
)

GRAMMARS = {"c": C, "cpp": CPP}
