"""The form of a language's table, and the ways a node can name what it defines."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from re import Pattern
from typing import NamedTuple

from tree_sitter import Node


class Named(NamedTuple):
    """A name that a node defines: the node to take the line from, and how it differs from the rule.

    `kind` overrides the rule's kind, `scope` is added to the enclosing scope (`Foo` of `Foo::bar`).
    """

    node: Node
    name: str
    kind: str = ""
    scope: str = ""


Naming = Callable[[Node, bytes], Iterable[Named]]


def text_of(node: Node, source: bytes) -> str:
    """Return the source of a node, white space made single."""
    return " ".join(source[node.start_byte : node.end_byte].decode("utf-8", "replace").split())


def by_field(*fields: str) -> Naming:
    """Return a naming that takes every child with one of `fields`."""

    def naming(node: Node, source: bytes) -> Iterable[Named]:
        for field in fields:
            for child in node.children_by_field_name(field):
                if child.is_named:
                    yield Named(child, text_of(child, source))

    return naming


def by_type(*types: str) -> Naming:
    """Return a naming that takes the first child of one of `types`."""

    def naming(node: Node, source: bytes) -> Iterable[Named]:
        for child in node.named_children:
            if child.type in types:
                yield Named(child, text_of(child, source))
                return

    return naming


def nameless(_node: Node, _source: bytes) -> Iterable[Named]:
    """Name nothing: for anonymous functions, whose inside is still the inside of a function."""
    return ()


NAME = by_field("name")


@dataclass(frozen=True, slots=True)
class Rule:
    """How a node type defines: `kind` as in `SYMBOL_KINDS`, or `variable` where the name decides.

    `opens` nodes are walked further, what is inside has their name in its scope; a `kind` of
    `scope` opens without being a definition itself.
    """

    kind: str
    naming: Naming = NAME
    opens: bool = True


class Cuts(NamedTuple):
    """Where source without errors can be cut so that each piece is parsed as in the whole.

    The first group of `outer` begins where an outermost definition does, comments and decorators
    above it included, that of `inner` where a method of an outermost class does; whether they do is
    for the caller to make sure of. `outside` finds a line that may stand outside of the class.
    """

    outer: Pattern[bytes]
    inner: Pattern[bytes]
    outside: Pattern[bytes]


@dataclass(frozen=True, slots=True)
class Grammar:
    """The table of one language.

    Walked through are the nodes of `rules` that open, `passes` everywhere, `values` outside of
    functions, and `wrappers`, at whose start the definition inside begins. `leading` nodes
    directly above a definition (comments, attributes) belong to it. `unscoped` nodes name something
    that what is inside does not belong to (the alias of a struct, the bare members of an enum).
    """

    rules: Mapping[str, Rule]
    passes: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()
    wrappers: frozenset[str] = frozenset()
    leading: frozenset[str] = frozenset({"comment"})
    unscoped: frozenset[str] = frozenset()
    cuts: Cuts | None = None


def words(text: str) -> frozenset[str]:
    """Return the words of a table cell."""
    return frozenset(text.split())
