"""How text becomes search tokens, the same way when indexing and when asking.

An identifier gives itself and its parts (`get_user` → get_user, get, user), so that both the exact
name and a word of it find it. Words of scripts written without spaces are cut into characters. The
full-text engine stems the tokens afterwards; `stem` does the same here.
"""

import re
import threading
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain, islice
from typing import Any

import Stemmer

MAX_TOKEN_CHARACTERS = 80
SHORTEST_STEMMED = 3

WORD = re.compile(r"[^\W\d]\w*|\d+")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)
# Words as far as they can be told by looking at one character after the other, which is fast.
_RUN = re.compile(r"\w+")
_BETWEEN_ASCII_RUNS = {n: " " for n in range(128) if not (chr(n).isalnum() or chr(n) == "_")}
_CACHED_WORDS = 200_000
_CACHED_RUNS = 100_000  # 20 MB of them

# Function words that are in most prose and tell nothing; they are not indexed at all, so that a
# phrase is found whatever articles and prepositions stand in it.
_UNINDEXED = """
    a an and are as at be been by for from had has have if in into is it its not of on or that the
    their them then there these this to was were which will with you your
"""
UNINDEXED = frozenset(_UNINDEXED.split())

_STOP_WORDS = """
    a an and are as at be by can could do does for from get had has have how i if in into is it
    its me my not of on or our should that the their them then there these this to was we what when
    where which who why will with you your use using used implemented defined code file find show
    located
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


def parts_of(word: str) -> tuple[str, ...]:
    """Return the tokens of one word: itself in lowercase, then its parts where it has several."""
    folded = word.lower()
    if not word.isascii():
        return _parts_of_other_scripts(folded)
    parts = _PART.findall(word)
    if len(parts) > 1:
        return (folded, *(part.lower() for part in parts))
    return (folded.strip("_") or folded,)


def _parts_of_other_scripts(folded: str) -> tuple[str, ...]:
    if _UNSPACED.search(folded):
        return tuple(_UNSPACED.sub(lambda match: f" {match[0]} ", folded).split())
    parts = [part for part in folded.split("_") if part]
    return (folded, *parts) if len(parts) > 1 else (folded.strip("_") or folded,)


def _runs_of(text: str) -> list[str]:
    """Return the longest stretches of letters, digits and underscores."""
    return text.translate(_BETWEEN_ASCII_RUNS).split() if text.isascii() else _RUN.findall(text)


def _tokens_of(run: str) -> list[str]:
    tokens: list[str] = []
    for word in WORD.findall(run):
        if len(word) <= MAX_TOKEN_CHARACTERS:
            tokens += parts_of(word)
    return [token for token in tokens if token not in UNINDEXED]


def _forget_half(known: dict[str, Any]) -> None:
    for run in list(islice(known, len(known) // 2)):
        known.pop(run, None)  # another thread may have taken it out


class _SplitRuns(dict[str, str]):
    """Runs seen so far with the tokens of their words, joined; when full the older half goes."""

    def __missing__(self, run: str) -> str:
        joined = " ".join(_tokens_of(run))
        if len(run) <= MAX_TOKEN_CHARACTERS:
            if len(self) >= _CACHED_RUNS:
                _forget_half(self)
            self[run] = joined
        return joined


_split_runs = _SplitRuns()


def index_text(text: str) -> str:
    """Return the tokens of `text`, separated by spaces, in order and with repetitions.

    Words over MAX_TOKEN_CHARACTERS (encoded data, mostly) give none.
    """
    return " ".join(filter(None, map(_split_runs.__getitem__, _runs_of(text))))


class _StemmedRuns(dict[str, tuple[str, ...]]):
    """Runs seen so far with the stems of their tokens; when full the older half goes."""

    def __missing__(self, run: str) -> tuple[str, ...]:
        found = tuple(map(stem, _split_runs[run].split()))
        if len(run) <= MAX_TOKEN_CHARACTERS:
            if len(self) >= _CACHED_RUNS:
                _forget_half(self)
            self[run] = found
        return found


_stemmed_runs = _StemmedRuns()


def index_stems(text: str) -> list[str]:
    """Return the stems of the tokens of `text`, in order and with repetitions."""
    return list(chain.from_iterable(map(_stemmed_runs.__getitem__, _runs_of(text))))


def query_tokens(text: str) -> tuple[str, ...]:
    """Return the distinct tokens of a query in order, without stop words unless all are such."""
    tokens = dict.fromkeys(index_text(text).split())
    kept = tuple(token for token in tokens if token not in STOP_WORDS)
    return kept or tuple(tokens)


def phrase_tokens(text: str) -> tuple[str, ...]:
    """Return the tokens of `text` in order, as they stand next to each other in the index."""
    return tuple(index_text(text).split())


_stemmers = threading.local()


@lru_cache(maxsize=_CACHED_WORDS)
def stem(token: str) -> str:
    """Return the stem under which SQLite's full-text engine keeps a token (Porter, 1980).

    It leaves very short tokens alone and takes diacritics off.
    """
    if not token.isascii():
        decomposed = unicodedata.normalize("NFD", token)
        token = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    if len(token) < SHORTEST_STEMMED:
        return token
    stemmer = getattr(_stemmers, "porter", None)
    if stemmer is None:
        stemmer = _stemmers.porter = Stemmer.Stemmer("porter")
    return str(stemmer.stemWord(token))


def stems(tokens: Iterable[str]) -> frozenset[str]:
    """Return the distinct stems of the tokens."""
    return frozenset(stem(token) for token in tokens)
