"""How often search is right: labelled queries, recall among the first files, reciprocal rank.

A file of queries has five columns, separated by tabs, after a line with their names: type, scope
(code or docs), repository, query, right files (any of them, separated by `|`).
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from web.accounts.principals import Principal
from web.core.errors import InvalidInput
from web.core.limits import LIMITS
from web.library.models import Entry
from web.library.selectors.search import code_search, documents_search

COUNTED_FILES = 8
RANKED_FILES = 20
_SHOWN_LINES = 5
_COLUMNS = ("type", "scope", "repository", "query")
_HINT = (
    "A file begins with the line type, scope, repository, query, right_files; each further line "
    "has these columns, with tabs between them: scope is code or docs, right files have | between."
)


@dataclass(frozen=True, slots=True)
class LabelledQuery:
    """A query with the files that answer it."""

    type: str
    is_document: bool
    repository: str
    query: str
    right_paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Where the first right file stood among the first 20, from 1; None for nowhere.

    `refusal` says why the query was not taken, and is empty for one that was.
    """

    query: LabelledQuery
    rank: int | None
    first_paths: tuple[str, ...]
    cpu_milliseconds: float
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Score:
    """Figures over some outcomes: recall among the first 8, mean reciprocal rank, p95 of CPU."""

    count: int
    recall: float
    mean_reciprocal_rank: float
    p50_milliseconds: float
    p95_milliseconds: float


def read_queries(path: Path) -> list[LabelledQuery]:
    """Return the queries of a file; empty lines and those that begin with # are passed over.

    Raises InvalidInput, with the number of each line, for what is none, and OSError.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput("The file is not text in UTF-8.", hint=_HINT) from None
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    rows = [(number, line.split("\t")) for number, line in lines if not line.startswith("#")]
    if not rows or tuple(rows[0][1][: len(_COLUMNS)]) != _COLUMNS:
        raise InvalidInput("The file does not begin with the names of its columns.", hint=_HINT)
    wrong = [f"line {number} {why}" for number, row in rows[1:] if (why := _what_is_wrong(row))]
    if wrong:
        more = f" and {len(wrong) - _SHOWN_LINES} more" if len(wrong) > _SHOWN_LINES else ""
        said = f"Not labelled queries: {'; '.join(wrong[:_SHOWN_LINES])}{more}."
        raise InvalidInput(said, hint=_HINT)
    return [_labelled(row) for _, row in rows[1:]]


def _what_is_wrong(row: list[str]) -> str:
    """Return why the columns are no labelled query; empty for one."""
    if len(row) <= len(_COLUMNS):
        return f"has {len(row)} columns"
    if row[1] not in {"code", "docs"}:
        return f"has the scope {row[1][:20]!r}"
    missing = [name for name, cell in zip(_COLUMNS, row, strict=False) if not cell.strip()]
    if not row[len(_COLUMNS)].strip():
        missing.append("right files")
    return f"lacks {', '.join(missing)}" if missing else ""


def _labelled(row: list[str]) -> LabelledQuery:
    kind, scope, repository, query, right = (cell.strip("\r") for cell in row[:5])
    paths = tuple(path.strip() for path in right.split("|"))
    return LabelledQuery(kind, scope == "docs", repository, query, paths)


def evaluate(
    queries: Iterable[LabelledQuery],
    *,
    principal: Principal,
    everywhere: bool = False,
    repeats: int = 1,
    limit: int = RANKED_FILES,
    clock: Callable[[], float] = time.process_time,
) -> list[Outcome]:
    """Return the outcome of each query, over its repository or over all.

    All are asked one after the other, `repeats` times over; times are the best of each. `clock`
    tells the CPU seconds so far; by itself it is this process's alone.
    """
    asked = list(queries)
    rounds = [
        [
            _outcome(query, principal, everywhere=everywhere, limit=limit, clock=clock)
            for query in asked
        ]
        for _ in range(repeats)
    ]
    return [
        min(each, key=lambda outcome: outcome.cpu_milliseconds)
        for each in zip(*rounds, strict=True)
    ]


def unindexed_paths(query: LabelledQuery) -> tuple[str, ...]:
    """Return the right files that no search can find: the default branch has none indexed there."""
    indexed = Entry.objects.filter(
        ref__repository__name=query.repository,
        ref__is_default=True,
        path__path__in=query.right_paths,
        revision__content__isnull=False,
    )
    known = set(indexed.values_list("path__path", flat=True))
    return tuple(path for path in query.right_paths if path not in known)


def score(outcomes: Sequence[Outcome]) -> Score:
    """Return the figures over outcomes, zeros without any."""
    if not outcomes:
        return Score(0, 0.0, 0.0, 0.0, 0.0)
    times = sorted(outcome.cpu_milliseconds for outcome in outcomes)
    ranks = [outcome.rank for outcome in outcomes]
    return Score(
        count=len(outcomes),
        recall=sum(rank is not None and rank <= COUNTED_FILES for rank in ranks) / len(ranks),
        mean_reciprocal_rank=sum(1 / rank for rank in ranks if rank) / len(ranks),
        p50_milliseconds=times[len(times) // 2],
        p95_milliseconds=times[min(int(len(times) * 0.95), len(times) - 1)],
    )


def scores_by_type(outcomes: Sequence[Outcome]) -> dict[str, Score]:
    """Return the figures of each type of query, in the order of the file."""
    kinds = dict.fromkeys(outcome.query.type for outcome in outcomes)
    return {
        kind: score([outcome for outcome in outcomes if outcome.query.type == kind])
        for kind in kinds
    }


def _outcome(
    query: LabelledQuery,
    principal: Principal,
    *,
    everywhere: bool,
    limit: int,
    clock: Callable[[], float],
) -> Outcome:
    search = documents_search if query.is_document else code_search
    started = clock()
    try:
        page = search(
            principal=principal,
            repository=None if everywhere else query.repository,
            query=query.query[: LIMITS.max_query_characters],
            limit=min(limit, LIMITS.max_search_limit),
        )
    except InvalidInput as error:
        return Outcome(query, None, (), (clock() - started) * 1000, refusal=error.message)
    seconds = clock() - started
    places = page.sections if hasattr(page, "sections") else page.places
    found = [(place.repository, place.path) for place in places]
    rank = next(
        (
            number
            for number, (repository, path) in enumerate(found, 1)
            if repository == query.repository and path in query.right_paths
        ),
        None,
    )
    return Outcome(query, rank, tuple(path for _, path in found[:3]), seconds * 1000)
