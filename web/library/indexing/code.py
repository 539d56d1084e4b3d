"""Code, cut at its definitions: a function, a method, or a few small neighbours make one chunk."""

import re
from collections.abc import Iterator
from functools import partial
from itertools import pairwise

from web.library.indexing.analysis import AnalysedChunk, Analysis, Definition
from web.library.indexing.changed import Earlier, definitions_after
from web.library.indexing.confined import definitions_of
from web.library.indexing.decode import lines_of
from web.library.indexing.grammars import grammar_of
from web.library.indexing.symbols import Found, is_monotonous
from web.library.indexing.windows import MAX_CHUNK_LINES, TARGET_CHUNK_LINES, windows

# C++ in a header named .h, where the C grammar would see only errors.
_CPP_IN_HEADER = re.compile(
    r"^[ \t]*(?:class\s+\w+\s*[:{]|namespace\b|template\s*<|(?:public|private|protected)\s*:)", re.M
)
# The names of a chunk's heading; further ones are found as symbols and in the body.
_MAX_HEADING_NAMES = 40
_SHORT_BEGINNING_LINES = 6
_FUNCTIONS = frozenset({"function", "method"})
_UNPARSED = (
    "without definitions: it is one pattern over and over, or parsing it takes more than "
    "PORTOLAN_MAX_PARSE_SECONDS or PORTOLAN_MAX_PARSE_MEMORY_BYTES"
)


def analyse_code(text: str, *, language: str, earlier: Earlier | None = None) -> Analysis:
    """Return the chunks and symbols of source code; of an unknown language windows only.

    Of source that took the place of an `earlier` one only what differs is parsed, where that gives
    the same.
    """
    if language == "c" and _CPP_IN_HEADER.search(text):
        language = "cpp"
    lines = lines_of(text)
    found = _found(text.encode("utf-8", "replace"), language, earlier)
    unparsed = found is None and grammar_of(language) is not None
    definitions = found.definitions if found is not None else []
    chunks = _chunks(lines, definitions) if definitions else _plain_chunks(lines)
    return Analysis(
        lines=lines,
        title="",
        chunks=tuple(chunks),
        symbols=tuple(definitions),
        is_faultless=found is not None and found.is_faultless,
        left_out=(_UNPARSED,) if unparsed else (),
    )


def _found(source: bytes, language: str, earlier: Earlier | None) -> Found | None:
    grammar = grammar_of(language)
    parse = partial(definitions_of, language=language)
    if earlier is not None and grammar is not None and grammar.cuts and not is_monotonous(source):
        found = definitions_after(source, earlier=earlier, cuts=grammar.cuts, parse=parse)
        if found is not None:
            return found
    return parse(source)


def _plain_chunks(lines: list[str]) -> Iterator[AnalysedChunk]:
    for first, last in windows(lines, start=1, end=len(lines), max_lines=TARGET_CHUNK_LINES):
        yield AnalysedChunk(start_line=first, end_line=last)


def _chunks(lines: list[str], definitions: list[Definition]) -> Iterator[AnalysedChunk]:
    bodies = sorted(
        (found for found in definitions if found.is_body),
        key=lambda found: (found.first_line, -found.end_line),
    )
    headed = [found for found in definitions if found.kind != "field"]
    around: list[Definition] = []
    next_body = next_headed = 0
    for start, end in _merged(_cuts(bodies), line_count=len(lines)):
        for first, last in windows(lines, start=start, end=end):
            # Both lists are in order of lines, so that all chunks together read them once.
            while next_body < len(bodies) and bodies[next_body].first_line < first:
                around.append(bodies[next_body])
                next_body += 1
            around = [found for found in around if found.end_line >= first]
            begins = next_headed
            while next_headed < len(headed) and headed[next_headed].line <= last:
                next_headed += 1
            yield _chunk(first, last, around, headed[begins:next_headed])


def _chunk(
    first: int, last: int, around: list[Definition], inside: list[Definition]
) -> AnalysedChunk:
    """Return a chunk with its names: a definition that goes on in it is named first."""
    names = [found.name for found in inside if found.is_body or found.depth == 0]
    closest = around[-1] if around else None
    leading = next((found for found in inside if found.is_body), None)
    if closest is not None and closest.kind in _FUNCTIONS:
        names.insert(0, closest.name)
        scope = closest.scope
    elif closest is not None:
        scope = f"{closest.scope}.{closest.name}"
    else:
        scope = leading.scope if leading is not None else ""
    return AnalysedChunk(
        start_line=first,
        end_line=last,
        heading=" ".join(list(dict.fromkeys(names))[:_MAX_HEADING_NAMES]),
        trail=tuple(part for part in scope.split(".") if part),
    )


def _cuts(bodies: list[Definition]) -> dict[int, bool]:
    """Return the lines to cut before; true where nothing from above may be joined.

    Definitions start a segment, so does what follows an outermost one. Functions inside of a
    function are left in it, unless it is too long for one chunk, and the first method stays with
    the few lines that begin its class.
    """
    cuts: dict[int, bool] = {}
    latest = 1
    around: list[Definition] = []
    for found in bodies:
        around = [outer for outer in around if outer.end_line >= found.first_line]
        is_part = begins_class = False
        for outer in around:
            if outer.kind in _FUNCTIONS and outer.end_line - outer.first_line < MAX_CHUNK_LINES:
                is_part = True
            if outer.first_line == latest and found.first_line - latest <= _SHORT_BEGINNING_LINES:
                begins_class = True
        if not is_part and not begins_class:
            is_long_type = (
                found.kind not in _FUNCTIONS
                and found.end_line - found.first_line >= TARGET_CHUNK_LINES
            )
            latest = found.first_line
            cuts[latest] = cuts.get(latest, False) or is_long_type
            if found.depth == 0:
                cuts.setdefault(found.end_line + 1, False)
        around.append(found)
    return cuts


def _merged(cuts: dict[int, bool], *, line_count: int) -> Iterator[tuple[int, int]]:
    """Yield segments between the cuts, small neighbours joined up to the target length."""
    start = 1
    starts = [line for line in sorted(cuts) if 1 < line <= line_count]
    for line, following in pairwise([*starts, line_count + 1]):
        if cuts[line] or following - start > TARGET_CHUNK_LINES:
            yield start, line - 1
            start = line
    yield start, line_count
