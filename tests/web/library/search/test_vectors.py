"""Texts as PostgreSQL's vectors: within the type's bounds, and nothing of a text is lost."""

import pytest

from web.core.limits import LIMITS
from web.library.search.backends.vectors import MOST_POSITIONS, OVERLAP_TOKENS, vectors_of, written

LARGEST_POSITION = 16_383


def word(number: int) -> str:
    """Return a word that no other number has and that no stemmer shortens."""
    letters = "bcdfghjklmnpqrtvwx"
    digits = ""
    for _ in range(4):
        number, rest = divmod(number, len(letters))
        digits += letters[rest]
    return f"{digits}k"


@pytest.mark.parametrize("count", [0, 1, LIMITS.max_vector_tokens, LIMITS.max_vector_tokens + 1])
def test_every_word_has_its_place_whatever_the_length(count: int) -> None:
    words = [word(number) for number in range(count)]
    vectors = list(vectors_of(" ".join(words)))
    assert len(vectors) == 1 + (count > LIMITS.max_vector_tokens)
    assert set().union(*vectors) == set(words)
    for vector in vectors:
        assert max((max(places) for places in vector.values()), default=0) <= LARGEST_POSITION


def test_a_phrase_over_the_end_of_a_vector_is_whole_in_the_next_one() -> None:
    count = 3 * LIMITS.max_vector_tokens
    words = [word(number) for number in range(count)]
    vectors = list(vectors_of(" ".join(words)))
    assert len(vectors) > 3
    for start in range(0, count - OVERLAP_TOKENS, 7):
        phrase = words[start : start + OVERLAP_TOKENS]
        assert any(phrase[0] in vector and phrase[-1] in vector for vector in vectors), start


def test_a_word_repeated_without_end_keeps_all_its_places() -> None:
    vectors = list(vectors_of(" ".join(["spam"] * 1000 + ["egg"])))
    assert all(len(places) <= MOST_POSITIONS for vector in vectors for places in vector.values())
    assert sum(len(vector["spam"]) for vector in vectors) >= 1000
    assert "egg" in vectors[-1]


def test_a_vector_stays_within_its_bytes() -> None:
    long_words = [f"{word(number)}{'ж' * 70}" for number in range(9000)]
    vectors = list(vectors_of(" ".join(long_words)))
    assert len(vectors) > 1
    for vector in vectors:
        assert sum(len(stem.encode()) for stem in vector) <= LIMITS.max_vector_bytes
    assert len(set().union(*vectors)) == len(long_words)


def test_written_vectors_name_places_and_labels() -> None:
    (vector,) = vectors_of("tea for two, tea")
    assert written(vector, "@7") == "'tea':1,3 'two':2 '@7'"
