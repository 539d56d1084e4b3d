"""The full-text side of posts: one small table, `posts_fulltext`, in SQLite or in PostgreSQL.

Sections are indexed as stems of the very tokens that code and documents have
(`web.library.search.tokens`), so both databases find the same. Who may see what is not decided
here. All functions run inside the caller's transaction.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db import connection

from web.library.search.tokens import index_text, stem

# How much a word counts in the title of the post, in the heading and in the text of the section.
_SQLITE_WEIGHTS = "5.0, 2.5, 1.0"
_POSTGRES_WEIGHTS = "{0.2, 0.2, 0.5, 1.0}"  # of D, C, B and A
_POSTGRES_LABELS = ("A", "B", "D")
_MOST_POSITION = 16383
_MOST_POSITIONS = 256


@dataclass(frozen=True, slots=True)
class SectionText:
    """The searchable text of a section, with the title of its post."""

    section_id: int
    title: str
    heading: str
    body: str


class SectionHit(NamedTuple):
    """A section that a query found, and how well it fits (more is better)."""

    section_id: int
    post_id: int
    score: float


def add_sections(sections: Iterable[SectionText]) -> None:
    """Make sections findable."""
    found = [
        (section.section_id, [_stems(section.title), _stems(section.heading), _stems(section.body)])
        for section in sections
    ]
    with closing(connection.cursor()) as cursor:
        if connection.vendor == "postgresql":
            cursor.executemany(
                "INSERT INTO posts_fulltext (section_id, vector) VALUES (%s, %s::tsvector)",
                [(section_id, _vector(parts)) for section_id, parts in found],
            )
        else:
            cursor.executemany(
                "INSERT INTO posts_fulltext (rowid, title, heading, body) VALUES (%s, %s, %s, %s)",
                [(section_id, *map(" ".join, parts)) for section_id, parts in found],
            )


def remove_post(post_id: int) -> None:
    """Forget the sections of a post, before their rows go."""
    key = "section_id" if connection.vendor == "postgresql" else "rowid"
    with closing(connection.cursor()) as cursor:
        cursor.execute(
            f"DELETE FROM posts_fulltext WHERE {key} IN"
            " (SELECT id FROM posts_postsection WHERE post_id = %s)",
            [post_id],
        )


def matching_sections(
    *, tokens: Sequence[str], phrases: Sequence[Sequence[str]], limit: int
) -> list[SectionHit]:
    """Return the sections that hold any of the tokens and all of the phrases, best first.

    Rare words count more than common ones. `limit` bounds how many are returned.
    """
    stemmed = list(dict.fromkeys(map(stem, tokens)))
    required = list(dict.fromkeys(tuple(map(stem, phrase)) for phrase in phrases))
    if not stemmed:
        return []
    find = _found_by_postgres if connection.vendor == "postgresql" else _found_by_sqlite
    statement, parameters = find(stemmed, required)
    with closing(connection.cursor()) as cursor:
        cursor.execute(f"{statement} LIMIT %s", [*parameters, limit])
        return [SectionHit(*row) for row in cursor.fetchall()]


def _found_by_sqlite(
    tokens: Sequence[str], phrases: Sequence[Sequence[str]]
) -> tuple[str, list[Any]]:
    expression = " OR ".join(f'"{token}"' for token in tokens)
    if phrases:  # side by side: FTS5 takes few parentheses inside each other
        together = " AND ".join(f'"{" ".join(phrase)}"' for phrase in phrases)
        expression = f"{together} AND ({expression})"
    return (
        f"SELECT section.id, section.post_id, -bm25(posts_fulltext, {_SQLITE_WEIGHTS}) AS score"
        " FROM posts_fulltext AS full_text"
        " JOIN posts_postsection AS section ON section.id = full_text.rowid"
        " WHERE posts_fulltext MATCH %s ORDER BY score DESC, section.id",
        [expression],
    )


def _found_by_postgres(
    tokens: Sequence[str], phrases: Sequence[Sequence[str]]
) -> tuple[str, list[Any]]:
    """Weigh each word by its inverse document frequency, which ts_rank does not know."""
    words = ", ".join(["(%s::tsquery)"] * len(tokens))
    required = " AND full_text.vector @@ %s::tsquery" * len(phrases)
    return (
        f"WITH word (query) AS (VALUES {words}),"
        " weighed AS (SELECT query, ln(1 + (SELECT count(*) FROM posts_fulltext)::float"
        "  / (1 + (SELECT count(*) FROM posts_fulltext WHERE vector @@ query))) AS weight"
        "  FROM word)"
        " SELECT section.id, section.post_id,"
        f"  sum(weight * ts_rank('{_POSTGRES_WEIGHTS}', full_text.vector, query, 1)) AS score"
        " FROM weighed JOIN posts_fulltext AS full_text ON full_text.vector @@ weighed.query"
        " JOIN posts_postsection AS section ON section.id = full_text.section_id"
        f" WHERE true{required}"
        " GROUP BY section.id, section.post_id ORDER BY score DESC, section.id",
        [
            *(f"'{token}'" for token in tokens),
            *(" <-> ".join(f"'{token}'" for token in phrase) for phrase in phrases),
        ],
    )


def _stems(text: str) -> list[str]:
    return [stem(token) for token in index_text(text).split()]


def _vector(parts: Sequence[Sequence[str]]) -> str:
    """Return a tsvector as text: each stem with its positions, labelled by the part it is in."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    position = 0
    for label, tokens in zip(_POSTGRES_LABELS, parts, strict=True):
        for token in tokens:
            position += 1
            if len(places[token]) < _MOST_POSITIONS:
                places[token].append(f"{min(position, _MOST_POSITION)}{label}")
        position += 1  # a phrase does not reach from one part into the next
    return " ".join(f"'{token}':{','.join(found)}" for token, found in places.items())
