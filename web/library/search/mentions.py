"""What documentation and code say of each other, by name.

Documentation describes a function in words that its code does not have, and code has docstrings
that its documentation does not repeat. So a question in words is also put to the other side: what
answers it there stands near a name, and that name is looked up on this side.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice

from django.db import connection

from web.library.indexing.formats.outline import LONGEST_TITLE
from web.library.search.backends.base import ChunkHit, SearchBackend, Wanted
from web.library.search.names import BODY_KINDS, SymbolRow, symbols_called
from web.library.search.plan import Plan
from web.library.search.reading import WordsOfQuery, best_window, lines_of_contents
from web.library.search.scope import Scope
from web.library.search.tokens import phrase_tokens

# Chunks of the other side that are read.
MAX_READ = 2
# Files on this side that a name may lead to.
MAX_FILES = 8
MIN_TOKENS = 4
MAX_DESCRIBED = 200
_WINDOW_LINES = 6
# Lines above the best one in which a document's name for it is looked for, and below a comment.
_LINES_ABOVE = 40
_LINES_BELOW = 15
# Words before a name in the place that documents it, and how many others may stand between.
_DECLARING = ("class", "method", "function", "attribute", "exception", "data", "setting", "type")
_DECLARING_WINDOW = 5
# Chunks of documents that speak of a name which is common.
_COMMON_NAME = 50
_COMMENT = re.compile(r"\s*(?:\*|//|/\*|#|--|;)")

_NAME = r"[A-Za-z_][\w]*(?:\.[A-Za-z_]\w*)*"
_DECLARES = re.compile(
    rf"""
    ^\s*\.\.\s+(?:[a-z]+:)?[a-z-]+::\s+(?:[\w\s*]*[\s*])??(?P<directive>{_NAME})(?:\s*[(\[=].*)?\s*$
    | ^\s{{0,3}}(?:\#{{1,6}}|={{1,5}})\s+(?:[a-z]+\s+)?
      [`*]*(?P<heading>{_NAME})[`*]*\s*(?:\(.*)?[`*\s]*$
    | ^\s*[-*+]?\s*`{{1,2}}(?P<term>{_NAME})(?:\(.*?\))?`{{1,2}}\s*(?:$|[:\u2013\u2014-])
    | ^\s*:?(?P<field>{_NAME})::\s*$
    """,
    re.VERBOSE,
)
_NOT_NAMED = frozenset(
    [
        "code-block",
        "code",
        "note",
        "warning",
        "admonition",
        "seealso",
        "versionadded",
        "versionchanged",
        "deprecated",
        "currentmodule",
        "module",
        "highlight",
        "include",
        "literalinclude",
        "index",
        "toctree",
        "image",
        "figure",
    ]
)
_DIRECTIVE = re.compile(r"^\s*\.\.\s+(?:[a-z]+:)?([a-z-]+)::")


@dataclass(frozen=True, slots=True)
class Mention:
    """A file on this side that the other side leads to, and how sure that is, at most 1.

    `line` is the definition's for code, None for documents.
    """

    content_id: int
    score: float
    line: int | None = None
    chunk_id: int | None = None


@dataclass(frozen=True, slots=True)
class _Found:
    name: str
    share: float


def mentions(
    plan_there: Plan, here: Scope, there: Scope, *, backend: SearchBackend
) -> dict[int, Mention]:
    """Return the files of `here` that answers found `there` name, by content id.

    `plan_there` is the query's plan on the other side.
    """
    if len(plan_there.all_weights) < MIN_TOKENS:
        return {}
    wanted = Wanted(plan_there.tokens, plan_there.essential, plan_there.pairs, (), there.home_ids)
    hits = backend.chunks_matching(wanted, is_document=there.is_document)
    read = [*islice((hit for hit in hits if there.shows(hit.content_id)), MAX_READ)]
    bounds = _bounds_of([hit.chunk_id for hit in read])
    lines = lines_of_contents([hit.content_id for hit in read], there)
    found: dict[int, Mention] = {}
    words = WordsOfQuery(plan_there.all_weights)
    for rank, hit in enumerate(read, 1):
        of_file = lines.get(hit.content_id)
        named = _name_near(hit, bounds[hit.chunk_id], of_file, words, there) if of_file else None
        if named is None:
            continue
        lead = partial(_documents_naming, backend=backend) if here.is_document else _definitions_of
        for place in lead(named.name, here):
            mention = Mention(
                place.content_id, named.share**2 / rank * place.score, place.line, place.chunk_id
            )
            known = found.get(place.content_id)
            if known is None or mention.score > known.score:
                found[place.content_id] = mention
    return found


def _name_near(
    hit: ChunkHit, bounds: tuple[int, int], lines: Sequence[str], words: WordsOfQuery, there: Scope
) -> _Found | None:
    """Return the name that a chunk's best lines belong to, and the share of the query in them."""
    window = best_window(lines, bounds[0], min(bounds[1], len(lines)), words, size=_WINDOW_LINES)
    share = window.weight / (sum(words.weights.values()) or 1.0)
    if there.is_document:
        name = _declared_above(lines, window.best_line) or _only_name(hit.heading)
    else:
        is_comment = bool(_COMMENT.match(lines[window.best_line - 1]))
        name = _definition_at(hit.content_id, window.best_line, is_comment=is_comment)
    return _Found(name, share) if name else None


def _bounds_of(chunk_ids: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Return the first and the last line of chunks by id."""
    if not chunk_ids:
        return {}
    marks = ", ".join(["%s"] * len(chunk_ids))
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT id, start_line, end_line FROM library_chunk WHERE id IN ({marks})",
            list(chunk_ids),
        )
        return {row[0]: (row[1], row[2]) for row in cursor.fetchall()}


def _declared_above(lines: Sequence[str], line: int) -> str:
    """Return the name that the nearest heading, directive or term at or above a line declares."""
    for number in range(min(line + 1, len(lines)), max(0, line - _LINES_ABOVE), -1):
        text = lines[number - 1]
        if len(text) > LONGEST_TITLE:
            continue
        directive = _DIRECTIVE.match(text)
        if directive and directive[1] in _NOT_NAMED:
            continue
        if match := _DECLARES.match(text):
            return str(match[match.lastgroup or 0]).rpartition(".")[2]
    return ""


def _only_name(heading: str) -> str:
    """Return the identifier that a heading consists of, empty when it is prose."""
    name = heading.strip("`* ").removesuffix("()")
    return name.rpartition(".")[2] if re.fullmatch(_NAME, name) else ""


def _definition_at(content_id: int, line: int, *, is_comment: bool) -> str:
    """Return the innermost definition around a line; of a comment, the next one below."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name.name, symbol.kind, symbol.line FROM library_symbol AS symbol"
            " JOIN library_symbolname AS name ON name.id = symbol.name_id"
            " WHERE symbol.content_id = %s AND symbol.line <= %s AND symbol.end_line >= %s"
            " ORDER BY symbol.line DESC",
            [content_id, line + _LINES_BELOW, line],
        )
        rows = [row for row in cursor.fetchall() if row[1] in BODY_KINDS]
    around = next((str(name) for name, _, start in rows if start <= line), "")
    below = next((str(name) for name, _, start in reversed(rows) if start > line), "")
    return (below or around) if is_comment else (around or below)


def _definitions_of(name: str, here: Scope) -> list[Mention]:
    """Return the files that define a name; the more there are, the less each is meant."""
    rows = [row for row in symbols_called([name.lower()], here) if _is_meant(row, name)]
    first: dict[int, SymbolRow] = {}
    for row in sorted(rows, key=lambda row: (row.name != name, row.line)):
        first.setdefault(row.content_id, row)
    score = 1 / (1 + 0.1 * max(0, len(first) - 2))
    return [Mention(row.content_id, score, row.line) for row in first.values()][: 4 * MAX_FILES]


def _is_meant(row: SymbolRow, name: str) -> bool:
    return row.name == name or row.kind in BODY_KINDS


def _documents_naming(name: str, here: Scope, *, backend: SearchBackend) -> list[Mention]:
    """Return the documents that describe a name, then those that speak most of it.

    Of a common name each is less likely to be the one that is meant.
    """
    tokens = phrase_tokens(name)[:1]
    if not tokens:
        return []
    spoken_of = Wanted(tokens, tokens, home_ids=here.home_ids)
    frequency = backend.document_frequencies(is_document=True, tokens=tokens)[tokens[0]]
    found: dict[int, Mention] = {}
    for hit in chain(
        _chunks_describing(tokens[0], here, backend),
        backend.chunks_matching(spoken_of, is_document=True),
    ):
        if here.shows(hit.content_id) and hit.content_id not in found:
            score = 1 / (1 + 0.3 * len(found)) / (1 + frequency / _COMMON_NAME)
            found[hit.content_id] = Mention(hit.content_id, score, None, hit.chunk_id)
        if len(found) == MAX_FILES:
            break
    return list(found.values())


def _chunks_describing(token: str, here: Scope, backend: SearchBackend) -> Iterator[ChunkHit]:
    """Return the chunks with the name close to what it may be; with several such words first."""
    wanted = Wanted(
        (),
        (),
        pairs=[(word, token) for word in _DECLARING],
        home_ids=here.home_ids,
        pair_window=_DECLARING_WINDOW,
    )
    return backend.chunks_holding_most(wanted, is_document=True, max_texts=MAX_DESCRIBED)
