"""What a changed source defines, told from what it defined before: only what differs is parsed.

Source is cut into pieces at its outermost definitions, and one of these that changed is cut at its
methods. Pieces that the source had before are left out, the rest is parsed in one go, and the
definitions of both are put together. The result is that of parsing the whole, since a parser comes
to each such piece in the same state. A change above a piece could put it into a string or into
another class, so this is made sure of:

- neither the earlier source nor what is parsed of the new one has an error;
- the piece began and ended at definitions of one depth and scope, or at an end of the source;
- so it does now: what is parsed next after it is such a definition, or there is nothing more.

Where any of this is not so, nothing is told, and the whole has to be parsed.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from re import Pattern
from typing import NamedTuple

from web.library.indexing.analysis import Definition
from web.library.indexing.grammars.base import Cuts
from web.library.indexing.symbols import Found, in_order


class Earlier(NamedTuple):
    """A source as it was, which was parsed without an error, and all definitions in it by line."""

    source: bytes
    definitions: Sequence[Definition]


class _Piece(NamedTuple):
    """A part of a source, which begins at `line`, counted from 1."""

    text: bytes
    line: int


class _Known(NamedTuple):
    """What a piece of the earlier source defines; `scope` is its class, empty outside of one."""

    line: int
    scope: str
    definitions: Sequence[Definition]


def definitions_after(
    source: bytes, *, earlier: Earlier, cuts: Cuts, parse: Callable[[bytes], Found | None]
) -> Found | None:
    """Return the definitions in `source`, or None where they cannot be told from the earlier ones.

    `parse` is asked for those of what differs, at most once.
    """
    pieces = _cut(source, cuts.outer, line=1)
    known = _known_pieces(earlier, cuts, present={piece.text for piece in pieces})
    parsed: list[_Piece] = []
    left_out: list[tuple[_Piece, _Known]] = []
    expected: set[tuple[int, str]] = set()
    awaiting: set[str] = set()
    for piece, of_earlier in _compared(pieces, known, cuts.inner):
        if of_earlier is not None:
            left_out.append((piece, of_earlier))
            awaiting.add(of_earlier.scope)
        else:
            expected |= {(piece.line, scope) for scope in awaiting}
            awaiting.clear()
            parsed.append(piece)
    if not left_out:
        return None
    found = parse(b"".join(piece.text for piece in parsed))
    if found is None or not found.is_faultless:
        return None
    definitions = list(_put_apart(found.definitions, parsed))
    if not expected <= _begins(definitions).items():
        return None
    for piece, of_earlier in left_out:
        definitions += _moved(of_earlier.definitions, by=piece.line - of_earlier.line)
    return Found(in_order(definitions), is_faultless=True)


def _cut(source: bytes, pattern: Pattern[bytes], *, line: int) -> list[_Piece]:
    """Return a source, which begins at `line`, cut before each match's first group."""
    places = [0, *(match.start(1) for match in pattern.finditer(source)), len(source)]
    pieces: list[_Piece] = []
    for start, end in pairwise(places):
        pieces.append(_Piece(source[start:end], line))
        line += source.count(b"\n", start, end)
    return pieces


def _compared(
    pieces: Iterable[_Piece], known: Mapping[bytes, _Known], inner: Pattern[bytes]
) -> Iterator[tuple[_Piece, _Known | None]]:
    """Yield all pieces in order, each with what is known of it; unknown ones are cut at methods.

    The beginning of these and their last method are never known, so that their end is parsed.
    """
    for piece in pieces:
        if piece.text in known:
            yield piece, known[piece.text]
            continue
        first, *methods = _cut(piece.text, inner, line=piece.line)
        yield first, None
        for method in methods[:-1]:
            yield method, known.get(method.text)
        for method in methods[-1:]:
            yield method, None


def _known_pieces(
    earlier: Earlier, cuts: Cuts, *, present: Collection[bytes]
) -> dict[bytes, _Known]:
    """Return the pieces of an earlier source that may be left out where they stand again.

    Those that are `present` as they were are not cut any further. A method that is in several
    classes word for word is not known: it could be of any.
    """
    known: dict[bytes, _Known] = {}
    ambiguous: set[bytes] = set()
    lines = [definition.line for definition in earlier.definitions]
    for piece, scope, end in _whole_pieces(earlier, cuts, present):
        if piece.text in known and known[piece.text].scope != scope:
            ambiguous.add(piece.text)
        inside = earlier.definitions[bisect_left(lines, piece.line) : bisect_left(lines, end)]
        known[piece.text] = _Known(piece.line, scope, inside)
    return {text: piece for text, piece in known.items() if text not in ambiguous}


def _whole_pieces(
    earlier: Earlier, cuts: Cuts, present: Collection[bytes]
) -> Iterator[tuple[_Piece, str, int]]:
    """Yield pieces that begin and end at definitions of one scope; the scope, the line after."""
    begins = _begins(earlier.definitions)
    pieces = _cut(earlier.source, cuts.outer, line=1)
    after = pieces[-1].line + pieces[-1].text.count(b"\n") + 1
    begins |= {1: "", after: ""}
    for piece, following in pairwise([*pieces, _Piece(b"", after)]):
        is_whole = begins.get(piece.line) == begins.get(following.line) == ""
        if is_whole and piece.text in present:
            yield piece, "", following.line
            continue
        _, *methods = _cut(piece.text, cuts.inner, line=piece.line)
        for method, next_method in pairwise(methods):
            scope = begins.get(method.line)
            is_whole = scope == begins.get(next_method.line)
            if scope and is_whole and not cuts.outside.search(method.text):
                yield method, scope, next_method.line


def _begins(definitions: Iterable[Definition]) -> dict[int, str]:
    """Return the scopes of outermost definitions (empty) and of methods by their first lines."""
    return {
        found.first_line: found.scope
        for found in definitions
        if (found.depth == 0 and found.is_body) or (found.depth == 1 and found.kind == "method")
    }


def _put_apart(definitions: Iterable[Definition], pieces: Sequence[_Piece]) -> Iterator[Definition]:
    """Yield definitions in pieces that were joined with their lines in the whole source."""
    starts: list[int] = []
    moves: list[int] = []
    line = 1
    for piece in pieces:
        starts.append(line)
        moves.append(piece.line - line)
        line += piece.text.count(b"\n")

    def whole(line: int) -> int:
        return line + moves[bisect_right(starts, line) - 1]

    for name, kind, scope, first_line, line, end_line, depth in definitions:
        lines = whole(first_line), whole(line), whole(end_line)
        yield Definition(name, kind, scope, *lines, depth)


def _moved(definitions: Iterable[Definition], *, by: int) -> Iterable[Definition]:
    if not by:
        return definitions
    return [
        Definition(name, kind, scope, first_line + by, line + by, end_line + by, depth)
        for name, kind, scope, first_line, line, end_line, depth in definitions
    ]
