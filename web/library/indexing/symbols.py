"""Definitions in code: a walk over the syntax tree, led by the language's table.

The walk keeps its own stack and looks only into nodes that can hold definitions, so that deep or
broken source costs time in proportion to its size and never recursion.
"""

import threading
import time
import zlib
from functools import cache
from typing import NamedTuple

from tree_sitter import Node, Parser

from web.core.limits import LIMITS
from web.library.indexing.analysis import VALUES, Definition
from web.library.indexing.grammars import grammar_of, parser_language
from web.library.indexing.grammars.base import Named, Rule

SYMBOL_KINDS = (
    *("class", "constant", "enum", "field", "function", "interface", "macro", "method"),
    *("module", "struct", "table", "trait", "trigger", "type", "variable", "view"),
)
MAX_NAME_CHARACTERS = 200
MAX_SCOPE_CHARACTERS = 255
# Definitions nested deeper than this are not looked for.
MAX_SCOPE_DEPTH = 16
_READ_BYTES = 64 * 1024
_MONOTONOUS_BYTES = 8 * 1024
_MONOTONOUS_RATIO = 40
_SAMPLE_BYTES = 32
_LONGEST_PATTERN = 512  # any longer, and a piece would not compress that much
_ERROR_KIND = 0xFFFF  # of nodes that hold what could not be parsed

_TYPES = frozenset({"class", "enum", "interface", "scope", "struct", "trait", "type"})
_FUNCTIONS = frozenset({"function", "method"})


class Found(NamedTuple):
    """The definitions in a source by line; `is_faultless` when it was parsed without an error."""

    definitions: list[Definition]
    is_faultless: bool


class _Place(NamedTuple):
    """A node still to be walked, and what is known of what surrounds it."""

    node: Node
    scope: str = ""
    owner: str = "module"
    depth: int = 0
    first_row: int | None = None


def definitions_in(source: bytes, language: str) -> Found | None:
    """Return the definitions in UTF-8 `source`, in a language with a grammar.

    None for source that the parser gives up on. Broken source gives what can be recognised.
    """
    root = parsed(source, language)
    if root is None:
        return None
    found = _Walk(root, source, language).run()
    return Found(in_order(found), is_faultless=not root.has_error)


def in_order(definitions: list[Definition]) -> list[Definition]:
    """Return definitions by line, an outer one before the inner ones that begin on its line."""
    return sorted(definitions, key=lambda found: (found.line, -found.end_line))


def load_grammar(language: str) -> None:
    """Load all that `definitions_in` needs for a language; it imports nothing then."""
    _roles_of(language)


def parsed(source: bytes, language: str) -> Node | None:
    """Return the root of the syntax tree, or None when parsing takes too long.

    On text that is not what it claims to be some grammars need time and memory that grow with the
    square of its nesting. The bound on CPU time keeps both small, but is only looked at between
    steps. Plain repetition that makes one step explode is turned away before; what else does is
    bounded by the process (`confined`). JSON has no such step: 512 kB of it take 200 MB at most.
    """
    if is_monotonous(source):
        return None
    deadline = time.thread_time() + LIMITS.max_parse_seconds
    earliest = time.monotonic() + LIMITS.max_parse_seconds

    def is_late(_offset: int, _has_error: bool) -> bool:
        # The clock costs a tenth of what it costs to ask for a thread's time.
        return time.monotonic() > earliest and time.thread_time() > deadline

    try:
        tree = Parser(parser_language(language)).parse(
            lambda offset, _point: _reading.pass_on(source, offset),
            progress_callback=is_late,
        )
    except ValueError:
        return None
    return tree.root_node if tree is not None else None


class _Reading(threading.local):
    """The buffer in which a thread hands a source to the parser, piece by piece.

    The binding never lets go of what a read returned (tree-sitter 0.26): a piece of its own for
    each read would keep every source in memory for ever.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()

    def pass_on(self, source: bytes, offset: int) -> bytearray:
        self._buffer[:] = source[offset : offset + _READ_BYTES]
        return self._buffer


_reading = _Reading()


def is_monotonous(source: bytes) -> bool:
    """Say whether some stretch of a long source is one short pattern over and over."""
    if len(source) <= _MONOTONOUS_BYTES:
        return False
    pieces = (
        source[start : start + _MONOTONOUS_BYTES]
        for start in range(0, len(source), _MONOTONOUS_BYTES)
    )
    return any(len(piece) > _MONOTONOUS_BYTES // 2 and _is_one_pattern(piece) for piece in pieces)


def _is_one_pattern(piece: bytes) -> bool:
    """Say whether a piece compresses to next to nothing; most show in two places that not."""
    repeated = [_is_repeated(piece, quarter * len(piece) // 4) for quarter in (1, 2, 3, 4)]
    if repeated.count(False) > 1:
        return False
    return len(zlib.compress(piece, level=1)) < len(piece) // _MONOTONOUS_RATIO


def _is_repeated(piece: bytes, end: int) -> bool:
    """Say whether what stands before `end` stands there shortly before too."""
    sample = piece[end - _SAMPLE_BYTES : end]
    return sample in piece[max(end - _LONGEST_PATTERN, 0) : end - 1]


class _Role(NamedTuple):
    """What a type of node is to the walk."""

    rule: Rule | None = None
    is_wrapper: bool = False
    is_leading: bool = False
    is_passed: bool = False
    is_passed_in_functions: bool = False


@cache
def _roles_of(language: str) -> dict[int, _Role]:
    """Return the roles of a grammar's types of nodes by their numbers; most have none."""
    grammar = grammar_of(language)
    if grammar is None:
        return {}
    compiled = parser_language(language)
    roles: dict[int, _Role] = {}
    for number in (*range(compiled.node_kind_count), _ERROR_KIND):
        name = "ERROR" if number == _ERROR_KIND else compiled.node_kind_for_id(number)
        role = _Role(
            rule=grammar.rules.get(name or ""),
            is_wrapper=name in grammar.wrappers,
            is_leading=name in grammar.leading,
            is_passed=name in grammar.passes or name in grammar.values,
            is_passed_in_functions=name in grammar.passes,
        )
        if role != _Role():
            roles[number] = role
    return roles


class _Walk:
    """One walk over a tree: what was found, and the places still to be looked into."""

    def __init__(self, root: Node, source: bytes, language: str) -> None:
        grammar = grammar_of(language)
        self.source = source
        self.unscoped = grammar.unscoped if grammar is not None else frozenset()
        self.roles = _roles_of(language)
        self.found: list[Definition] = []
        self.places = [_Place(root)]

    def run(self) -> list[Definition]:
        while self.places:
            self._look_into(self.places.pop())
        return self.found

    def _look_into(self, place: _Place) -> None:
        roles = self.roles
        first_row = place.first_row
        lead_row, lead_end, previous = -1, -2, None
        for child in place.node.named_children:
            role = roles.get(child.kind_id)
            if role is None:
                pass
            elif role.rule is not None or role.is_wrapper:
                begin = child.start_point.row
                if begin <= lead_end + 1:
                    begin = lead_row
                if first_row is not None:
                    begin, first_row = min(begin, first_row), None
                if role.rule is not None:
                    self._define(child, role.rule, place, begin_row=begin)
                else:
                    self._go_on(child, place, first_row=begin)
            elif role.is_leading:
                row = child.start_point.row
                if previous is not None and previous.end_point.row == row:
                    continue  # a remark behind code belongs to that code
                lead_row = row if row > lead_end + 1 else lead_row
                lead_end = _last_row(child)
            elif role.is_passed_in_functions or (role.is_passed and place.owner != "function"):
                self._go_on(child, place)
            previous = child

    def _go_on(self, node: Node, place: _Place, *, first_row: int | None = None) -> None:
        self.places.append(_Place(node, place.scope, place.owner, place.depth, first_row))

    def _define(self, node: Node, rule: Rule, place: _Place, *, begin_row: int) -> None:
        """Note what a node defines and, where it opens a scope, its inside for later."""
        owner = "function" if rule.kind in _FUNCTIONS else place.owner
        inside = _Place(node, place.scope, owner, place.depth)
        for named in rule.naming(node, self.source):
            kind = _kind(rule, named, place.owner)
            if not kind or not 0 < len(named.name) <= MAX_NAME_CHARACTERS:
                continue
            scope = _joined(place.scope, named.scope)
            if kind != "scope":
                self.found.append(
                    Definition(
                        name=named.name,
                        kind=kind,
                        scope=scope,
                        first_line=begin_row + 1,
                        line=named.node.start_point.row + 1,
                        end_line=_last_row(node) + 1,
                        depth=place.depth,
                    )
                )
            if node.type not in self.unscoped:
                inside = _Place(node, _joined(scope, named.name), _owner(kind), place.depth + 1)
        if rule.opens and inside.depth <= MAX_SCOPE_DEPTH:
            self.places.append(inside)


def _kind(rule: Rule, named: Named, owner: str) -> str:
    """Return the kind of a definition where it stands; empty for what is none."""
    kind = named.kind or rule.kind
    if kind == "none" or (owner == "function" and kind in VALUES):
        return ""
    if kind == "function" and owner == "type":
        return "method"
    if kind == "variable":
        if named.name.isupper():
            return "constant"
        return "field" if owner == "type" else "variable"
    return kind


def _owner(kind: str) -> str:
    if kind in _FUNCTIONS:
        return "function"
    return "module" if kind == "module" else "type"


def _joined(scope: str, name: str) -> str:
    """Return a dotted scope; of one that is too long the inner names."""
    joined = f"{scope}.{name}" if scope and name else scope or name
    if len(joined) > MAX_SCOPE_CHARACTERS:
        joined = joined[-MAX_SCOPE_CHARACTERS:].partition(".")[2]
    return joined


def _last_row(node: Node) -> int:
    """Return the row of the last character: a node that ends at a line's start ends before it."""
    end = node.end_point
    return end.row - 1 if end.column == 0 and end.row > node.start_point.row else end.row
