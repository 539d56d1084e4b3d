"""The search backend on SQLite: contentless FTS5 tables beside the models' own.

The tables are made by a migration. Rows hold tokens only; their ids are those of `Chunk.text_id`,
`Path` and `SymbolName`, and what a query finds is joined with these, so a row whose model row is gone is
never returned. A contentless table forgets a row only when it is given the same tokens again.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any

from django.db import connection

from web.library.search.backends.base import ChunkHit, ChunkText
from web.library.search.tokens import index_text, stem

# Weights of the columns home, names, body: a defined name or heading counts twice.
_RANK = "bm25(0.0, 2.0, 1.0)"
_FETCH_ROWS = 256
_SHORTEST_PART = 3


def _quoted(token: str) -> str:
    return '"' + token.replace('"', '""') + '"'


def _table(is_document: bool) -> str:
    return "search_documents" if is_document else "search_code"


def _restricted(expression: str, home_ids: Sequence[int] | None) -> str:
    """Return a match expression with a restriction to homes in front of it."""
    if home_ids is None:
        return expression
    homes = " OR ".join(f'"h{home_id}"' for home_id in home_ids)
    return f"home : ({homes}) AND ({expression})"


def _rows(statement: str, parameters: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a statement as they are asked for; the cursor ends with the generator."""
    with closing(connection.cursor()) as cursor:
        cursor.execute(statement, parameters)
        while rows := cursor.fetchmany(_FETCH_ROWS):
            yield from rows


class SqliteBackend:
    """See `SearchBackend` for what each method promises."""

    def add_content(self, *, is_document: bool, home_id: int, chunks: Iterable[ChunkText]) -> None:
        """Index the tokens of each chunk's heading and body."""
        table = _table(is_document)
        with connection.cursor() as cursor:
            cursor.executemany(
                f"INSERT INTO {table}(rowid, home, names, body) VALUES (%s, %s, %s, %s)",
                [_row(chunk, home_id) for chunk in chunks],
            )

    def remove_content(
        self, *, is_document: bool, home_id: int, chunks: Iterable[ChunkText]
    ) -> None:
        """Take the tokens of each chunk out again."""
        table = _table(is_document)
        with connection.cursor() as cursor:
            cursor.executemany(
                f"INSERT INTO {table}({table}, rowid, home, names, body)"
                " VALUES ('delete', %s, %s, %s, %s)",
                [_row(chunk, home_id) for chunk in chunks],
            )

    def add_paths(self, paths: Sequence[tuple[int, str]]) -> None:
        """Index the tokens of each path."""
        with connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO search_paths(rowid, path) VALUES (%s, %s)",
                [(path_id, index_text(path)) for path_id, path in paths],
            )

    def add_symbol_names(self, names: Sequence[tuple[int, str]]) -> None:
        """Index the trigrams of each name."""
        with connection.cursor() as cursor:
            cursor.executemany("INSERT INTO search_names(rowid, folded) VALUES (%s, %s)", names)

    def optimize(self) -> None:
        """Merge each table's segments into one."""
        with connection.cursor() as cursor:
            for table in ("search_code", "search_documents", "search_paths", "search_names"):
                cursor.execute(f"INSERT INTO {table}({table}) VALUES ('optimize')")

    def chunk_count(self, *, is_document: bool) -> int:
        """Return the number of rows ever added, less those removed."""
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT count(*) FROM {_table(is_document)}_docsize")
            return int(cursor.fetchone()[0])

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

    def chunks_by_tokens(
        self, *, is_document: bool, tokens: Sequence[str], home_ids: Sequence[int] | None
    ) -> Iterator[ChunkHit]:
        """Rank by BM25 (Robertson and Zaragoza, 2009) over names and body."""
        return self._chunks(is_document, _restricted(" OR ".join(map(_quoted, tokens)), home_ids))

    def chunks_by_phrases(
        self,
        *,
        is_document: bool,
        phrases: Sequence[Sequence[str]],
        home_ids: Sequence[int] | None,
    ) -> Iterator[ChunkHit]:
        """Rank by BM25 with each phrase as one term."""
        wanted = " OR ".join(_quoted(" ".join(phrase)) for phrase in phrases)
        return self._chunks(is_document, _restricted(f"body : ({wanted})", home_ids))

    def _chunks(self, is_document: bool, expression: str) -> Iterator[ChunkHit]:
        table = _table(is_document)
        rows = _rows(
            f"SELECT chunk.id, chunk.content_id, -found.rank FROM {table} AS found"
            " CROSS JOIN library_chunk AS chunk ON chunk.text_id = found.rowid"
            f" WHERE found.{table} MATCH %s AND found.rank MATCH '{_RANK}' ORDER BY found.rank",
            [expression],
        )
        return (ChunkHit(*row) for row in rows)

    def path_ids_by_tokens(self, *, tokens: Sequence[str], limit: int) -> list[int]:
        """Intersect the tokens' lists of paths."""
        expression = " AND ".join(map(_quoted, tokens))
        rows = _rows(
            "SELECT rowid FROM search_paths WHERE search_paths MATCH %s LIMIT %s",
            [expression, limit],
        )
        return [row[0] for row in rows]

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


def _row(chunk: ChunkText, home_id: int) -> tuple[int, str, str, str]:
    return chunk.text_id, f"h{home_id}", index_text(chunk.heading), index_text(chunk.body)
