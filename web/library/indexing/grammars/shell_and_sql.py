"""Shell and SQL."""

from collections.abc import Iterable

from tree_sitter import Node

from web.library.indexing.grammars.base import Grammar, Named, Rule, text_of, words


def _capitals(node: Node, source: bytes) -> Iterable[Named]:
    """Name variables in capitals: the others are local in spirit."""
    name = node.child_by_field_name("name")
    if name is not None and (text := text_of(name, source)).isupper():
        yield Named(name, text)


BASH = Grammar(
    rules={
        "function_definition": Rule("function"),
        "variable_assignment": Rule("variable", _capitals, opens=False),
    },
    passes=words(
        """compound_statement if_statement elif_clause else_clause case_statement case_item
        do_group for_statement while_statement subshell ERROR"""
    ),
    values=words("declaration_command"),
)


def _created(node: Node, source: bytes) -> Iterable[Named]:
    """Name what is created: `schema.name` as name in the scope schema."""
    for child in node.named_children:
        if child.type == "object_reference":
            scope, _, name = text_of(child, source).rpartition(".")
            yield Named(child, name.strip('"`[]'), scope=scope.replace('"', "").replace("`", ""))
            return


SQL = Grammar(
    rules={
        "create_table": Rule("table", _created, opens=False),
        "create_view": Rule("view", _created, opens=False),
        "create_materialized_view": Rule("view", _created, opens=False),
        "create_function": Rule("function", _created, opens=False),
        "create_procedure": Rule("function", _created, opens=False),
        "create_trigger": Rule("trigger", _created, opens=False),
        "create_type": Rule("type", _created, opens=False),
    },
    passes=words("transaction block ERROR"),
    wrappers=words("statement"),
    leading=words("comment marginalia"),
)

GRAMMARS = {"bash": BASH, "sql": SQL}
