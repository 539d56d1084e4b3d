"""Texts as PostgreSQL's `tsvector`s: each stem with its positions, within the type's bounds.

A vector holds positions up to 16383 and up to 255 of one stem; what lies beyond it would drop
without a word. So a text that is longer, or repeats a stem more often, has several vectors, which
overlap: a phrase of up to OVERLAP_TOKENS is whole in one of them.
"""

from collections.abc import Iterator

from web.core.limits import LIMITS
from web.library.search.tokens import index_stems

MOST_POSITIONS = 255
OVERLAP_TOKENS = 64

type Vector = dict[str, list[int]]


def vectors_of(text: str) -> Iterator[Vector]:
    """Yield the vectors of a text, at least one: positions by stem, counted from 1 in each."""
    stems = index_stems(text)
    start = 0
    while True:
        vector, end = _vector(stems, start)
        yield vector
        if end == len(stems):
            return
        start = max(end - OVERLAP_TOKENS, start + 1)


def _vector(stems: list[str], start: int) -> tuple[Vector, int]:
    """Return the vector of the stems from `start` on, and where the first is that has no room."""
    vector: Vector = {}
    space = LIMITS.max_vector_bytes
    last = min(len(stems), start + LIMITS.max_vector_tokens)
    for number in range(start, last):
        stem = stems[number]
        places = vector.get(stem)
        if places is None:
            space -= len(stem) if stem.isascii() else len(stem.encode())
            if space < 0 and number > start:
                return vector, number
            vector[stem] = [number - start + 1]
        elif len(places) == MOST_POSITIONS:
            return vector, number
        else:
            places.append(number - start + 1)
    return vector, last


def written(vector: Vector, *labels: str) -> str:
    """Return a vector as PostgreSQL reads it, with further lexemes that have no position."""
    words = [f"'{stem}':{','.join(map(str, places))}" for stem, places in vector.items()]
    return " ".join([*words, *(f"'{label}'" for label in labels)])
