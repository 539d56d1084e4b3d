"""The search backend on PostgreSQL: `tsvector`s under a GIN index, with counts of their stems.

The tables are made by a migration. Vectors hold the stems of `web.library.search.tokens`, so both
backends find the same; no text of a caller is read as a `tsquery` but as quoted lexemes. PostgreSQL
ranks without document frequencies, so these are counted while texts are written, and the ranking
is put together from the ranks of single stems.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from django.db import connection

from web.library.database import copy_rows
from web.library.search.backends.base import ChunkHit, ChunkText, Wanted
from web.library.search.backends.vectors import vectors_of, written
from web.library.search.tokens import stem

_FIRST_TEXTS = 400
_MORE = 8
_TEXTS_PER_QUERY = 100
_ALL_TEXTS = ""
_TABLES = (
    *("library_chunk", "library_symbol", "library_symbolname"),
    *("library_filerevision", "library_entry"),
)

# `ts_rank` of a single stem with equal weights is the sum of 1/n² over its occurrences n, divided
# by that of all n. To this power it is within 1 % of BM25's saturation tf / (tf + 0.3).
_SATURATION = 0.53
_WEIGHTS = "'{1,1,1,1}'"
_ONCE = 1 / 1.3
# BM25's k1 + 1 for k1 = 1.2, and what a word counts that is in half of all texts or more.
_FACTOR = 2.2
_LEAST_WEIGHT = 1e-6


class PostgresBackend:
    """See `SearchBackend` for what each method promises."""

    def add_content(self, *, is_document: bool, home_id: int, chunks: Iterable[ChunkText]) -> None:
        """Write the vectors of each text, and count its stems."""
        table = _table(is_document)
        counts: Counter[str] = Counter()
        rows: list[tuple[int, int, str]] = []
        for chunk in chunks:
            vectors = list(vectors_of(chunk.body))
            counts.update(set().union(*vectors))
            counts[_ALL_TEXTS] += 1
            rows += [
                (chunk.text_id, part, written(vector, _home(home_id)))
                for part, vector in enumerate(vectors)
            ]
        copy_rows(table, ("text_id", "part", "vector"), rows)
        terms = sorted(counts)
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO {table}_terms AS known (term, text_count)"
                " SELECT * FROM unnest(%s::text[], %s::bigint[]) ON CONFLICT (term)"
                " DO UPDATE SET text_count = known.text_count + excluded.text_count",
                [terms, [counts[term] for term in terms]],
            )

    def remove_content(
        self,
        *,
        is_document: bool,
        home_id: int,  # noqa: ARG002
        chunks: Iterable[ChunkText],
    ) -> None:
        """Delete the vectors of each text, and count its stems no more."""
        table = _table(is_document)
        counts = _rows(
            f"WITH gone AS (DELETE FROM {table} WHERE text_id = ANY(%s) RETURNING text_id, vector),"
            " lost AS (SELECT lexeme AS term, count(DISTINCT text_id) AS text_count"
            "  FROM gone, unnest(tsvector_to_array(vector)) AS lexeme GROUP BY lexeme"
            "  UNION ALL SELECT %s, count(DISTINCT text_id) FROM gone)"
            f" UPDATE {table}_terms AS known SET text_count = known.text_count - lost.text_count"
            " FROM lost WHERE known.term = lost.term RETURNING known.term, known.text_count",
            [[chunk.text_id for chunk in chunks], _ALL_TEXTS],
        )
        with connection.cursor() as cursor:
            cursor.execute(
                f"DELETE FROM {table}_terms WHERE term = ANY(%s)",
                [[term for term, text_count in counts if not text_count]],
            )

    def add_symbol_names(self, names: Sequence[tuple[int, str]]) -> None:
        """Do nothing: the index on parts belongs to the table of names itself."""

    def optimize(self) -> None:
        """Sort what was added last into the indexes, and tell the planner how large tables are."""
        with connection.cursor() as cursor:
            for index in ("search_code_vector", "search_documents_vector", "search_names"):
                cursor.execute("SELECT gin_clean_pending_list(%s::regclass)", [index])
            for table in (*_TABLES, "search_code", "search_documents"):
                cursor.execute(f"ANALYZE {table}")

    def text_count(self, *, is_document: bool) -> int:
        """Read the count that is kept beside those of the stems."""
        return _counts(is_document, [_ALL_TEXTS]).get(_ALL_TEXTS, 0)

    def document_frequencies(self, *, is_document: bool, tokens: Sequence[str]) -> dict[str, int]:
        """Read the counts of the tokens' stems."""
        counts = _counts(is_document, [stem(token) for token in tokens])
        return {token: counts.get(stem(token), 0) for token in tokens}

    def chunks_matching(self, wanted: Wanted, *, is_document: bool) -> Iterator[ChunkHit]:
        """Rank by BM25 (Robertson and Zaragoza, 2009) over tokens and pairs, without lengths.

        A pair counts as its two tokens once more where they stand close together, in the way of
        sequential dependence models (Metzler and Croft, 2005).
        """
        condition = _and(
            _homes(wanted),
            *map(_phrase, wanted.phrases),
            _or([*map(_lexeme, wanted.essential), *_near(wanted, without=wanted.essential)]),
        )
        score, parameters = _score(wanted, is_document)
        return _chunks(is_document, condition, score=score, parameters=parameters)

    def chunks_holding(self, wanted: Wanted, *, is_document: bool) -> Iterator[ChunkHit]:
        """Look the pairs and phrases up, without ranking."""
        condition = _and(_homes(wanted), _or([*map(_phrase, wanted.phrases), *_near(wanted)]))
        return _chunks(is_document, condition, score="0.0", parameters=())

    def chunks_holding_most(
        self, wanted: Wanted, *, is_document: bool, max_texts: int
    ) -> Iterator[ChunkHit]:
        """Look each pair up, and count the pairs of each text."""
        pair = (
            f"(SELECT DISTINCT text_id FROM {_table(is_document)}"
            " WHERE vector @@ %s::tsquery ORDER BY text_id LIMIT %s)"
        )
        conditions = [_and(_homes(wanted), near) for near in _near(wanted)]
        scores: dict[int, float] = dict(
            _rows(
                "SELECT text_id, count(*)::float FROM"
                f" ({' UNION ALL '.join([pair] * len(conditions))}) AS found GROUP BY text_id",
                [value for condition in conditions for value in (condition, max_texts)],
            )
        )
        best = iter(sorted(scores, key=lambda text_id: (-scores[text_id], text_id)))
        while some := list(islice(best, _TEXTS_PER_QUERY)):
            yield from _hits(some, scores)

    def symbol_name_ids_containing(self, *, part: str, limit: int) -> list[int]:
        """Look the part up in the trigram index of the names."""
        pattern = "".join(f"\\{letter}" if letter in "\\%_" else letter for letter in part)
        rows = _rows(
            "SELECT id FROM library_symbolname WHERE folded LIKE %s ORDER BY id LIMIT %s",
            [f"%{pattern}%", limit],
        )
        return [row[0] for row in rows]


def _table(is_document: bool) -> str:
    return "search_documents" if is_document else "search_code"


def _home(home_id: int) -> str:
    """Return the lexeme of a repository; no stem has such a sign."""
    return f"@{home_id}"


def _lexeme(token: str) -> str:
    return f"'{stem(token)}'"


def _phrase(tokens: Sequence[str]) -> str:
    return " <-> ".join(map(_lexeme, tokens))


def _near(wanted: Wanted, *, without: Sequence[str] = ()) -> list[str]:
    """Return what finds the pairs that have none of some tokens."""
    pairs = (pair for pair in wanted.pairs if not set(pair) & set(without))
    return [_close(pair, wanted.pair_window) for pair in pairs]


def _close(pair: tuple[str, str], window: int) -> str:
    first, second = map(_lexeme, pair)
    return _or(
        f"{before} <{distance}> {after}"
        for distance in range(1, window + 2)
        for before, after in ((first, second), (second, first))
    )


def _or(queries: Iterable[str]) -> str:
    return f"({' | '.join(queries)})"


def _and(*queries: str) -> str:
    return " & ".join(f"({query})" for query in queries if query)


def _homes(wanted: Wanted) -> str:
    if wanted.home_ids is None:
        return ""
    return " | ".join(f"'{_home(home_id)}'" for home_id in wanted.home_ids)


def _counts(is_document: bool, stems: Sequence[str]) -> Mapping[str, int]:
    """Return the counts of those stems that there are."""
    if not stems:
        return {}
    rows = _rows(
        f"SELECT term, text_count FROM {_table(is_document)}_terms WHERE term = ANY(%s)",
        [list(stems)],
    )
    return dict(rows)


def _score(wanted: Wanted, is_document: bool) -> tuple[str, list[Any]]:
    """Return the expression that ranks a vector, with its parameters."""
    weights = _weights(wanted, is_document)
    once_more = set(wanted.essential) if len(wanted.essential) < len(wanted.tokens) else set()
    terms: list[str] = []
    parameters: list[Any] = []
    for token in wanted.tokens:
        terms.append(f"%s * power(ts_rank({_WEIGHTS}, vector, %s::tsquery), {_SATURATION})")
        parameters += [weights[token] * (1 + (token in once_more)), _lexeme(token)]
    for pair in wanted.pairs:
        terms.append("%s * (vector @@ %s::tsquery)::int")
        together = _ONCE * sum(weights[token] for token in pair)
        parameters += [together, _close(pair, wanted.pair_window)]
    return " + ".join(terms), parameters


def _weights(wanted: Wanted, is_document: bool) -> dict[str, float]:
    """Return how much each token and each half of a pair tells, in nats times BM25's factor."""
    tokens = {*wanted.tokens, *chain.from_iterable(wanted.pairs)}
    counts = _counts(is_document, [_ALL_TEXTS, *map(stem, tokens)])
    total = counts.get(_ALL_TEXTS, 0)
    return {token: _weight(counts.get(stem(token), 0), total) for token in tokens}


def _weight(count: int, total: int) -> float:
    return _FACTOR * max(math.log((total - count + 0.5) / (count + 0.5)), _LEAST_WEIGHT)


def _chunks(
    is_document: bool, condition: str, *, score: str, parameters: Sequence[Any]
) -> Iterator[ChunkHit]:
    """Yield the chunks of the texts that fulfil a condition, best first; few are asked for."""
    seen, limit = 0, _FIRST_TEXTS
    while True:
        scores: dict[int, float] = dict(
            _rows(
                f"SELECT text_id, max(score) FROM (SELECT text_id, {score} AS score"
                f" FROM {_table(is_document)} WHERE vector @@ %s::tsquery) AS found"
                " GROUP BY text_id ORDER BY max(score) DESC, text_id LIMIT %s",
                [*parameters, condition, limit],
            )
        )
        texts = islice(scores, seen, None)
        while some := list(islice(texts, _TEXTS_PER_QUERY)):
            yield from _hits(some, scores)
        if len(scores) < limit:
            return
        seen, limit = limit, limit * _MORE


def _hits(text_ids: Sequence[int], scores: Mapping[int, float]) -> Iterator[ChunkHit]:
    rows = _rows(
        "SELECT text_id, id, content_id, heading FROM library_chunk WHERE text_id = ANY(%s)",
        [list(text_ids)],
    )
    hits = [ChunkHit(row[1], row[2], row[3], scores[row[0]]) for row in rows]
    yield from sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))


def _rows(statement: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())
