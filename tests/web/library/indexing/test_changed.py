"""What is told from an earlier source is what parsing the whole gives, and takes less parsing."""

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from web.library.indexing.changed import Earlier, definitions_after
from web.library.indexing.grammars import grammar_of
from web.library.indexing.grammars.base import Cuts
from web.library.indexing.symbols import Found, definitions_in

PROJECT = Path(__file__).resolve().parents[4]
BEFORE = '''"""Charts."""

import math

DEPTH = 3


# Where ships go.
@cached
def harbour(name):
    def inner():
        pass

    return inner


class Chart(Base):
    """A chart.

    class NotOne:
    """

    scale = 1

    def draw(self):
        return "coast"

    # Of the sea.
    @property
    def tide(self):
        return """

    def text(self):

"""

    async def read(self):
        level = 1

        def nested():
            return level

        return nested

    def last(self):
        return None


class Buoy:
    def __init__(self):
        self.lit = False

    def light(self):
        self.lit = True

    def dim(self):
        self.lit = False


async def sail():
    return Chart()
'''


def _cuts() -> Cuts:
    grammar = grammar_of("python")
    assert grammar is not None
    assert grammar.cuts is not None
    return grammar.cuts


def _whole(source: bytes) -> Found:
    found = definitions_in(source, "python")
    assert found is not None
    return found


def _told(before: str, after: str) -> tuple[Found | None, int]:
    """Return what is told of the change, and how many bytes were parsed for it."""
    parsed: list[int] = []

    def parse(source: bytes) -> Found:
        parsed.append(len(source))
        return _whole(source)

    old, new = before.encode(), after.encode()
    earlier = Earlier(old, _whole(old).definitions)
    return definitions_after(new, earlier=earlier, cuts=_cuts(), parse=parse), sum(parsed)


def _replaced(old: str, new: str) -> str:
    assert old in BEFORE
    return BEFORE.replace(old, new, 1)


SMALL_CHANGES = {
    "nothing": BEFORE,
    "a line above all": "import sys\n" + BEFORE,
    "a constant": _replaced("DEPTH = 3", "DEPTH = 4\nWIDTH: int = 5"),
    "inside a method": _replaced('return "coast"', 'line = 1\n        return "coast"'),
    "a method comes": _replaced(
        "    def light", "    def flash(self):\n        pass\n\n    def light"
    ),
    "a comment and a decorator go": _replaced("    # Of the sea.\n    @property\n", ""),
    "a method goes": _replaced("    def light(self):\n        self.lit = True\n\n", ""),
    "a function moves to the beginning": _replaced(
        "async def sail():\n    return Chart()\n", ""
    ).replace("DEPTH = 3", "async def sail():\n    return Chart()\n\n\nDEPTH = 3"),
    "a comment above a function": _replaced("async def sail", "# Away.\nasync def sail"),
    "a decorator": _replaced("    async def read", "    @slow\n    async def read"),
    "the last method": _replaced("return None", "return 1"),
    "no line feed at the end": BEFORE.rstrip("\n"),
    "lines at the end": BEFORE + "\n\nEND = 1\n",
    "all goes but the beginning": BEFORE[: BEFORE.index("# Where")],
}
# Where what stands below a change means something else after it, or cannot be told.
WIDE_CHANGES = {
    "a class gets another name": _replaced("class Buoy", "class Light"),
    "a class becomes a function": _replaced("class Buoy:", "def buoy():"),
    "a method changes its class": _replaced(
        "    def light(self):\n        self.lit = True\n\n", ""
    ).replace(
        "    # Of the sea", "    def light(self):\n        self.lit = True\n\n    # Of the sea"
    ),
    "a class is put into a block": _replaced("class Buoy:", "if lit:\n  class Buoy:"),
    "a method in two classes": _replaced(
        "    def draw", "    def dim(self):\n        self.lit = False\n\n    def draw"
    ),
    "carriage returns": BEFORE.replace("\n", "\r\n"),
    "nothing is left": "",
}
# The same, with errors: no earlier source has any.
BROKEN_CHANGES = {
    "a string is opened": _replaced("DEPTH = 3", 'DEPTH = """3'),
    "a string is opened in a class": _replaced("scale = 1", 'scale = """1'),
    "a bracket is opened": _replaced("DEPTH = 3", "DEPTH = (3"),
    "a block without an end": _replaced("DEPTH = 3", "try:\n    DEPTH = 3"),
    "broken": _replaced("return inner", "return inner inner )"),
}


@pytest.mark.parametrize("after", SMALL_CHANGES.values(), ids=SMALL_CHANGES)
def test_small_changes_are_told_from_little_of_the_source(after: str) -> None:
    found, parsed = _told(BEFORE, after)
    assert found == _whole(after.encode())
    assert parsed < len(BEFORE) * 2 // 3


@pytest.mark.parametrize(
    "after",
    [*WIDE_CHANGES.values(), *BROKEN_CHANGES.values()],
    ids=[*WIDE_CHANGES, *BROKEN_CHANGES],
)
def test_what_changes_the_meaning_of_the_rest_gives_no_other_result(after: str) -> None:
    found, _ = _told(BEFORE, after)
    assert found in (None, _whole(after.encode()))


@pytest.mark.parametrize("before", WIDE_CHANGES.values(), ids=WIDE_CHANGES)
def test_nor_does_it_turned_round(before: str) -> None:
    found, _ = _told(before, BEFORE)
    assert found in (None, _whole(BEFORE.encode()))


def test_a_piece_is_not_taken_for_what_it_was_where_it_stands_in_a_string() -> None:
    method = '    def draw(self):\n        return "coast"\n\n'
    after = _replaced(method, f'    text = """\n\n{method}"""\n\n')
    found, _ = _told(BEFORE, after)
    assert found in (None, _whole(after.encode()))
    assert found is None or "draw" not in {one.name for one in found.definitions}


LINES = (
    *(
        '"""',
        "'''",
        "(",
        ")",
        "x = {",
        "if x:",
        "    if x:",
        "else:",
        "    else:",
        "\\",
        "",
        "    ",
    ),
    *("class New:", "    class Inner:", "def new():", "    def new(self):", "@deco", "    @deco"),
    *("# comment", "    # comment", "        # comment", "try:", "    pass", "x = 1", "    x = 1"),
    *("  if y:", "   def odd(): pass", "x = \\", "match x:", "    case 1:", "\t", "\x0c"),
)


def _insert(lines: list[str], chance: random.Random, at: int, to: int) -> None:
    lines[at:at] = [chance.choice(LINES) for _ in range(chance.randint(1, 3))]


def _remove(lines: list[str], chance: random.Random, at: int, to: int) -> None:
    del lines[at:to]


def _repeat(lines: list[str], chance: random.Random, at: int, to: int) -> None:
    lines[at:at] = lines[at:to]


def _move(lines: list[str], chance: random.Random, at: int, to: int) -> None:
    moved = lines[at:to]
    del lines[at:to]
    place = chance.randint(0, len(lines))
    lines[place:place] = moved


def _indent(lines: list[str], chance: random.Random, at: int, to: int) -> None:
    lines[at:to] = [f"    {line}" if line else line for line in lines[at:to]]


def _dedent(lines: list[str], chance: random.Random, at: int, to: int) -> None:
    lines[at:to] = [line.removeprefix("    ") for line in lines[at:to]]


def _rename(lines: list[str], chance: random.Random, at: int, to: int) -> None:
    lines[at:to] = [re.sub(r"(class|def) \w+", r"\1 renamed", line) for line in lines[at:to]]


CHANGES: tuple[Callable[[list[str], random.Random, int, int], None], ...] = (
    *(_insert, _remove, _repeat, _move, _indent, _dedent, _rename),
)


def _changed(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    for _ in range(chance.randint(1, 2)):
        at = chance.randrange(len(lines) or 1)
        chance.choice(CHANGES)(lines, chance, at, at + chance.choice((1, 1, 2, 5, 20)))
    return "\n".join(lines)


def _sources() -> Iterator[str]:
    for path in sorted((PROJECT / "web" / "library").rglob("*.py")):
        yield path.read_text(encoding="utf-8")


def test_changed_at_random_it_is_as_parsed_anew() -> None:
    chance = random.Random(5)  # noqa: S311 - the same every time
    told = 0
    for before in _sources():
        after = _changed(before, chance)
        if _whole(before.encode()).is_faultless:
            found, _ = _told(before, after)
            told += found is not None
            assert found in (None, _whole(after.encode())), after
    assert told > 20
