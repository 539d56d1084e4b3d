"""The search backend on SQLite: contentless FTS5 tables beside the models' own.

The tables are made by a migration. Rows hold tokens only; their ids are those of `Chunk.text_id`
and `SymbolName`, and what a query finds is joined with these, so a row whose model row is gone is
never returned. A contentless table forgets a row only when it is given the same tokens again.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any

from django.db import connection

from web.library.search.backends.base import ChunkHit, ChunkText, Wanted
from web.library.search.tokens import index_text, stem

# Lengths of texts are not kept, and FTS5 counts each as minus two tokens: where the average is six
# tokens it divides nothing by nothing, and near that by almost nothing.
_SCORE = "coalesce(max(min(-found.rank, 1e6), -1e6), 0.0)"
# What may be read as the token of a home: FTS5 takes accents off, and may know fewer letters.
_MAY_BE_HOME = re.compile(r"\bh\d|[^\x00-\x7f]")
# Of the columns body and home.
_WEIGHTS = "1.0, 0.0"
_SHORTEST_PART = 3
_AVERAGES_ID = 1


class SqliteBackend:
    """See `SearchBackend` for what each method promises."""

    def add_content(self, *, is_document: bool, home_id: int, chunks: Iterable[ChunkText]) -> None:
        """Index the tokens of each text."""
        table = _table(is_document)
        with connection.cursor() as cursor:
            cursor.executemany(
                f"INSERT INTO {table}(rowid, body, home) VALUES (%s, %s, %s)",
                [_row(chunk, home_id) for chunk in chunks],
            )

    def remove_content(
        self, *, is_document: bool, home_id: int, chunks: Iterable[ChunkText]
    ) -> None:
        """Take the tokens of each text out again."""
        table = _table(is_document)
        with connection.cursor() as cursor:
            cursor.executemany(
                f"INSERT INTO {table}({table}, rowid, body, home) VALUES ('delete', %s, %s, %s)",
                [_row(chunk, home_id) for chunk in chunks],
            )

    def add_symbol_names(self, names: Sequence[tuple[int, str]]) -> None:
        """Index the trigrams of each name."""
        with connection.cursor() as cursor:
            cursor.executemany("INSERT INTO search_names(rowid, folded) VALUES (%s, %s)", names)

    def optimize(self) -> None:
        """Merge each table's segments into one."""
        with connection.cursor() as cursor:
            for table in ("search_code", "search_documents", "search_names"):
                cursor.execute(f"INSERT INTO {table}({table}) VALUES ('optimize')")

    def text_count(self, *, is_document: bool) -> int:
        """Read the number of rows that FTS5 keeps for its own ranking."""
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT block FROM {_table(is_document)}_data WHERE id = %s", [_AVERAGES_ID]
            )
            row = cursor.fetchone()
        return _first_varint(row[0]) if row else 0

    def document_frequencies(self, *, is_document: bool, tokens: Sequence[str]) -> dict[str, int]:
        """Look each stem up in the table's vocabulary."""
        frequencies = {}
        with connection.cursor() as cursor:
            for token in tokens:
                cursor.execute(
                    f"SELECT doc FROM {_table(is_document)}_terms WHERE term = %s", [stem(token)]
                )
                row = cursor.fetchone()
                frequencies[token] = int(row[0]) if row else 0
        return frequencies

    def chunks_matching(self, wanted: Wanted, *, is_document: bool) -> Iterator[ChunkHit]:
        """Rank by BM25 (Robertson and Zaragoza, 2009) over tokens and pairs.

        A pair counts as its two tokens once more where they stand close together, in the way of
        sequential dependence models (Metzler and Croft, 2005).
        """
        if wanted.home_ids is not None and not wanted.home_ids:
            return iter(())
        matches = _any_of(wanted.essential)
        if len(wanted.essential) < len(wanted.tokens):
            matches = f"(({matches}) AND ({_any_of(wanted.tokens)}))"
        matches = " OR ".join([matches, *_near(wanted)])
        matches = " AND ".join([*_phrases(wanted), f"({matches})"])
        return _chunks(is_document, _in_homes(matches, wanted.home_ids), is_ranked=True)

    def chunks_holding(self, wanted: Wanted, *, is_document: bool) -> Iterator[ChunkHit]:
        """Look the pairs and phrases up, without ranking."""
        if wanted.home_ids is not None and not wanted.home_ids:
            return iter(())
        expression = " OR ".join([*_phrases(wanted), *_near(wanted)])
        return _chunks(is_document, _in_homes(expression, wanted.home_ids), is_ranked=False)

    def chunks_holding_most(
        self, wanted: Wanted, *, is_document: bool, max_texts: int
    ) -> Iterator[ChunkHit]:
        """Look each pair up, and count the pairs of each text."""
        if wanted.home_ids is not None and not wanted.home_ids:
            return iter(())
        table = _table(is_document)
        pair = f"SELECT * FROM (SELECT rowid FROM {table} WHERE {table} MATCH %s LIMIT %s)"
        expressions = [_in_homes(near, wanted.home_ids) for near in _near(wanted)]
        pairs = " UNION ALL ".join([pair] * len(expressions))
        return _chunks_of(
            f"SELECT rowid, -count(*) AS rank FROM ({pairs}) GROUP BY rowid ORDER BY 2, 1 LIMIT -1",
            [value for expression in expressions for value in (expression, max_texts)],
        )

    def symbol_name_ids_containing(self, *, part: str, limit: int) -> list[int]:
        """Intersect the lists of the part's trigrams, then look at the names themselves."""
        last = len(part) - _SHORTEST_PART + 1
        grams = dict.fromkeys(part[start : start + _SHORTEST_PART] for start in range(last))
        rows = _rows(
            "SELECT name.id FROM search_names AS found"
            " CROSS JOIN library_symbolname AS name ON name.id = found.rowid"
            " WHERE found.search_names MATCH %s AND instr(name.folded, %s) LIMIT %s",
            [" AND ".join(map(_quoted, grams)), part, limit],
        )
        return [row[0] for row in rows]


def _table(is_document: bool) -> str:
    return "search_documents" if is_document else "search_code"


def _row(chunk: ChunkText, home_id: int) -> tuple[int, str, str]:
    return chunk.text_id, index_text(chunk.body), f"h{home_id}"


def _quoted(tokens: str) -> str:
    return '"' + tokens.replace('"', '""') + '"'


def _any_of(tokens: Iterable[str]) -> str:
    return " OR ".join(map(_quoted, tokens))


def _near(wanted: Wanted) -> list[str]:
    return [
        f"NEAR({_quoted(first)} {_quoted(second)}, {wanted.pair_window})"
        for first, second in wanted.pairs
    ]


def _phrases(wanted: Wanted) -> list[str]:
    return [_quoted(" ".join(phrase)) for phrase in wanted.phrases]


def _in_homes(expression: str, home_ids: Sequence[int] | None) -> str:
    """Return a match expression over the bodies of texts from these homes.

    The column is named only where it matters: FTS5 would take every position list apart for it.
    """
    named = "body : " if _MAY_BE_HOME.search(expression) else ""
    matched = f"{named}({expression})"
    if home_ids is None:
        return matched
    homes = " OR ".join(f'"h{home_id}"' for home_id in home_ids)
    return f"home : ({homes}) AND {matched}"


def _chunks(is_document: bool, expression: str, *, is_ranked: bool) -> Iterator[ChunkHit]:
    """Yield the chunks of the matched texts, where `is_ranked` in the order of their ranks.

    The rank is worked out here: FTS5's own column of that name is worked out twice, and copies
    every position list to be sorted.
    """
    table = _table(is_document)
    texts = f"SELECT rowid, 0.0 AS rank FROM {table} WHERE {table} MATCH %s"
    if is_ranked:
        texts = (
            f"SELECT rowid, bm25({table}, {_WEIGHTS}) AS rank FROM {table}"
            f" WHERE {table} MATCH %s ORDER BY 2, 1 LIMIT -1"
        )
    return _chunks_of(texts, [expression])


def _chunks_of(texts: str, parameters: Sequence[Any]) -> Iterator[ChunkHit]:
    """Yield the chunks of the texts that a query gives, with the ranks it gives.

    Where they have an order they have a limit too, of none: so SQLite sorts texts, not chunks.
    """
    rows = _rows(
        f"SELECT chunk.id, chunk.content_id, chunk.heading, {_SCORE} FROM ({texts}) AS found"
        " CROSS JOIN library_chunk AS chunk ON chunk.text_id = found.rowid",
        parameters,
    )
    return map(ChunkHit._make, rows)


def _rows(statement: str, parameters: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a statement as they are asked for; the cursor ends with the generator."""
    with closing(connection.cursor()) as cursor:
        cursor.execute(statement, parameters)
        yield from cursor


def _first_varint(block: bytes) -> int:
    """Return the number at the start of a record: seven bits a byte, high bit set but on the last.

    FTS5's averages record begins with the number of rows (SQLite, fts5_index.c); its format is
    fixed, as that of the database file.
    """
    number = 0
    for byte in block[:9]:
        number = number << 7 | byte & 0x7F
        if not byte & 0x80:
            break
    return number
