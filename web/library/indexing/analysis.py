"""What there is to find in one text: its chunks, its title and its definitions.

The one entrance is `analyse`. It is a pure function of the text and of how to read it, so the same
blob gives the same result wherever and whenever it is indexed.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

from web.core.limits import LIMITS
from web.library.indexing.decode import lines_of

MAX_ANCHOR_CHARACTERS = 200


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


class AnalysedSymbol(NamedTuple):
    """A definition: `kind` is one of `symbols.SYMBOL_KINDS`, `scope` the enclosing names, dotted.

    `line` is the line of the name, `end_line` the last of the definition.
    """

    name: str
    kind: str
    scope: str
    line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Analysis:
    """All that is found in a text. `title` is empty for code and for a document without one.

    `left_out` says in plain words what of the text's structure is not in it, and why.
    """

    title: str
    chunks: tuple[AnalysedChunk, ...]
    symbols: tuple[AnalysedSymbol, ...]
    left_out: tuple[str, ...] = ()


def analyse(text: str, *, format: str, is_document: bool) -> Analysis:  # noqa: A002
    """Return what there is to find in `text`.

    `format` is a language's name for code, and one of `languages.DOCUMENT_FORMATS` for documents.
    Any other name is read as text without structure: cut into windows, without definitions. Text
    without a word in it has no chunks. Broken text never raises. What would have more than
    LIMITS.max_file_chunks pieces is cut into that many even ones at most, without headings.
    """
    from web.library.indexing.code import analyse_code
    from web.library.indexing.documents import analyse_document

    if is_document:
        return _bounded(analyse_document(text, format=format), text)
    return _bounded(analyse_code(text, language=format), text)


def _bounded(analysis: Analysis, text: str) -> Analysis:
    """Return the analysis within the bounds on chunks and definitions of one file."""
    from web.library.indexing.windows import even_windows

    most_chunks, most_symbols = LIMITS.max_file_chunks, LIMITS.max_file_symbols
    if len(analysis.chunks) > most_chunks:
        told = (
            f"cut into even pieces: it has {len(analysis.chunks):,} sections or definitions, and "
            f"a file may have {most_chunks:,} (PORTOLAN_MAX_FILE_CHUNKS)"
        )
        pieces = even_windows(lines_of(text), most=most_chunks)
        chunks = tuple(AnalysedChunk(first, last) for first, last in pieces)
        analysis = replace(analysis, chunks=chunks, left_out=(*analysis.left_out, told))
    if len(analysis.symbols) > most_symbols:
        told = (
            f"only the first {most_symbols:,} of {len(analysis.symbols):,} definitions are found "
            "(PORTOLAN_MAX_FILE_SYMBOLS)"
        )
        symbols = analysis.symbols[:most_symbols]
        analysis = replace(analysis, symbols=symbols, left_out=(*analysis.left_out, told))
    return analysis
