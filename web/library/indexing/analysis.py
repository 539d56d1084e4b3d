"""What there is to find in one text: its chunks, its title and its definitions.

The one entrance is `analyse`. It is a pure function of the text and of how to read it, so the same
blob gives the same result wherever and whenever it is indexed.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from web.core.limits import LIMITS

if TYPE_CHECKING:
    from web.library.indexing.changed import Earlier

MAX_ANCHOR_CHARACTERS = 200
VALUES = frozenset({"constant", "field", "variable"})


class AnalysedChunk(NamedTuple):
    """A searchable piece: lines from 1, the last one included; chunks are in order, never overlap.

    In code `heading` is the names defined in it, separated by spaces, and `trail` the definitions
    around it; in documents the section's heading and the headings above it, outermost first.
    Chunks of one long section share heading, trail, anchor and level. `level` is 0 in code and
    before a document's first heading, else 1 for the outermost headings.
    """

    start_line: int
    end_line: int
    heading: str = ""
    trail: tuple[str, ...] = ()
    anchor: str = ""
    level: int = 0


class Definition(NamedTuple):
    """A definition: `kind` is one of `symbols.SYMBOL_KINDS`, `scope` the enclosing names, dotted.

    `first_line` is where it begins, comments and decorators above it included, `line` the line of
    the name, `end_line` the last one; `depth` how many definitions enclose it.
    """

    name: str
    kind: str
    scope: str
    first_line: int
    line: int
    end_line: int
    depth: int

    @property
    def is_body(self) -> bool:
        """Whether it is more than a value: a function, a type, a module."""
        return self.kind not in VALUES


@dataclass(frozen=True, slots=True)
class Analysis:
    """All that is found in a text. `title` is empty for code and for a document without one.

    `lines` are those of the text.

    `is_faultless` says of code that it was parsed without an error, and `symbols` are all in it.
    `left_out` says in plain words what of the text's structure is not in it, and why.
    """

    lines: list[str]
    title: str
    chunks: tuple[AnalysedChunk, ...]
    symbols: tuple[Definition, ...]
    is_faultless: bool = False
    left_out: tuple[str, ...] = ()


def analyse(
    text: str,
    *,
    format: str,  # noqa: A002
    is_document: bool,
    earlier: "Earlier | None" = None,
) -> Analysis:
    """Return what there is to find in `text`.

    `format` is a language's name for code, and one of `languages.DOCUMENT_FORMATS` for documents.
    Any other name is read as text without structure: cut into windows, without definitions. Text
    without a word in it has no chunks. Broken text never raises. What would have more than
    LIMITS.max_file_chunks pieces is cut into that many even ones at most, without headings.
    `earlier` is what is known of a text that this one took the place of; it makes no difference to
    the result, only to the time that it takes.
    """
    from web.library.indexing.code import analyse_code
    from web.library.indexing.documents import analyse_document

    if is_document:
        return _bounded(analyse_document(text, format=format))
    return _bounded(analyse_code(text, language=format, earlier=earlier))


def _bounded(analysis: Analysis) -> Analysis:
    """Return the analysis within the bounds on chunks and definitions of one file."""
    from web.library.indexing.windows import even_windows

    most_chunks, most_symbols = LIMITS.max_file_chunks, LIMITS.max_file_symbols
    if len(analysis.chunks) > most_chunks:
        told = (
            f"cut into even pieces: it has {len(analysis.chunks):,} sections or definitions, and "
            f"a file may have {most_chunks:,} (PORTOLAN_MAX_FILE_CHUNKS)"
        )
        pieces = even_windows(analysis.lines, most=most_chunks)
        chunks = tuple(AnalysedChunk(first, last) for first, last in pieces)
        analysis = replace(analysis, chunks=chunks, left_out=(*analysis.left_out, told))
    if len(analysis.symbols) > most_symbols:
        told = (
            f"only the first {most_symbols:,} of {len(analysis.symbols):,} definitions are found "
            "(PORTOLAN_MAX_FILE_SYMBOLS)"
        )
        symbols = analysis.symbols[:most_symbols]
        analysis = replace(
            analysis, symbols=symbols, is_faultless=False, left_out=(*analysis.left_out, told)
        )
    return analysis
