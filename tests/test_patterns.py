"""The regular expressions of the product: none may take exponential time on what it is given."""

import ast
import importlib
import re
import re._constants as opcodes
import re._parser as parser
from pathlib import Path

import pytest

from tests.newcomer import PROJECT

_CALLS = {"compile", "match", "search", "sub", "subn", "split", "findall", "finditer", "fullmatch"}
_REPEATS = {opcodes.MAX_REPEAT, opcodes.MIN_REPEAT}


def patterns_of(path: Path) -> list[re.Pattern]:
    """Return the patterns that a module of the product gives to `re`, but those it makes up."""
    calls = [
        node
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.func.attr in _CALLS
    ]
    if not calls:
        return []
    name = ".".join(path.relative_to(PROJECT).with_suffix("").parts)
    known = vars(importlib.import_module(name.removesuffix(".__init__")))
    return [
        re.compile(pattern, flags)
        for pattern, flags in (_arguments(call, known) for call in calls)
        if pattern is not None
    ]


def _arguments(call: ast.Call, known: dict) -> tuple:
    """Return the pattern, None for one that is made of what only its function knows, and flags."""
    given = {each.arg: each.value for each in call.keywords}
    if call.func.attr == "compile" and len(call.args) > 1:
        given["flags"] = call.args[1]
    names = {node.id for node in ast.walk(call.args[0]) if isinstance(node, ast.Name)}
    if not names <= known.keys():
        return None, 0
    flags = _value(given["flags"], known) if "flags" in given else 0
    return _value(call.args[0], known), flags


def _value(expression: ast.expr, known: dict):
    return eval(compile(ast.Expression(expression), "pattern", "eval"), dict(known))  # noqa: S307


def repeated(pattern) -> list:
    """Return what is repeated without bound anywhere in a parsed pattern, and can give way."""
    found = []
    for operation, value in pattern:
        for part in parts_of(operation, value):
            if operation in _REPEATS and value[1] is opcodes.MAXREPEAT:
                found.append(part)
            found += repeated(part)
    return found


def parts_of(operation, value) -> list:
    if operation is opcodes.BRANCH:
        return value[1]
    if operation in {opcodes.SUBPATTERN, opcodes.ATOMIC_GROUP}:
        return [value[-1] if operation is opcodes.SUBPATTERN else value]
    return [value[2]] if operation in {*_REPEATS, opcodes.POSSESSIVE_REPEAT} else []


def is_ambiguous(body) -> bool:
    """Say whether a body, itself repeated, reads a run of characters as one round or as many."""
    for place, (operation, value) in enumerate(body):
        others = [*body[:place], *body[place + 1 :]]
        if all(parser.SubPattern(body.state, [each]).getwidth()[0] == 0 for each in others):
            if operation in _REPEATS and value[1] is opcodes.MAXREPEAT:
                return True
            if operation is not opcodes.POSSESSIVE_REPEAT and any(
                map(is_ambiguous, parts_of(operation, value))
            ):
                return True
    return False


def is_exponential(pattern: str | bytes, flags: int = 0) -> bool:
    return any(map(is_ambiguous, repeated(parser.parse(pattern, flags))))


@pytest.mark.parametrize(
    "pattern", [r"(a+)+b", r"(?:\w+\s?)*$", r"x(?:(?:a|b*)?)*y", r"(?:\d*\.?)+$", r"((?:a*)b?)*c"]
)
def test_a_run_that_can_be_read_in_many_ways_is_recognised(pattern):
    assert is_exponential(pattern)


@pytest.mark.parametrize("pattern", [r"(?:-\w+)+", r"(?:a++)+b", r"(?:[^:\\]|\\.)+:", r"a+b+"])
def test_what_can_be_read_in_one_way_is_left(pattern):
    assert not is_exponential(pattern)


def test_no_pattern_of_the_product_takes_exponential_time():
    found = [
        (path.name, pattern)
        for folder in ("web", "mcp_sidecar", "deploy")
        for path in sorted((PROJECT / folder).rglob("*.py"))
        if "migrations" not in path.parts
        for pattern in patterns_of(path)
    ]

    assert len(found) > 150
    assert [each for each in found if is_exponential(each[1].pattern, each[1].flags)] == []
