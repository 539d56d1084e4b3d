"""Lines of the files that a search shows or learns from, read from the mirrors.

The index holds no text. A blob that cannot be read now costs its lines, never the answer.
"""

import re
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from string import ascii_lowercase, digits

from django.db import connection

from web.core.errors import TooLarge, Unavailable
from web.library.git.objects import ObjectStore
from web.library.indexing.decode import decoded_as, lines_of
from web.library.search.scope import Scope
from web.library.search.tokens import WORD, index_text, stems

WINDOW_LINES = 10
KEPT_CHARACTERS = 8_000_000


@dataclass(frozen=True, slots=True)
class Window:
    """Lines that say most of a query: the first, the one that says most, and the words' weight."""

    first_line: int
    best_line: int
    weight: float


def lines_of_contents(content_ids: Sequence[int], scope: Scope) -> dict[int, list[str]]:
    """Return the lines of contents by id, without those that cannot be read.

    Each comes from a repository of the scope that shows it. The lines must not be changed.
    """
    if not content_ids:
        return {}
    wanted = list(dict.fromkeys(content_ids))
    marks = ", ".join(["%s"] * len(wanted))
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT id, oid, encoding FROM library_content WHERE id IN ({marks})", wanted
        )
        blobs = cursor.fetchall()
    store_of = cache(ObjectStore)
    found: dict[int, list[str]] = {}
    for content_id, oid, encoding in blobs:
        shown_by = dict.fromkeys(
            scope.refs[occurrence.ref_number].repository_id
            for occurrence in scope.occurrences_of(content_id)
        )
        for repository_id in shown_by:
            lines = _lines_of_blob(store_of(repository_id), oid, encoding)
            if lines is not None:
                found[content_id] = lines
                break
    return found


def line_at(lines: Sequence[str], line: int) -> str:
    """Return a line, counted from 1; empty where there is none."""
    return lines[line - 1] if 0 < line <= len(lines) else ""


def _lines_of_blob(store: ObjectStore, oid: str, encoding: str) -> list[str] | None:
    """Return the lines of a blob as they were indexed; None when it is missing or too large."""
    key = (store.repository_id, oid, encoding)
    if (known := _kept_lines.get(key)) is not None:
        return known
    try:
        text = decoded_as(store.blob(oid), encoding)
    except (Unavailable, TooLarge):
        return None
    lines = lines_of(text)
    _kept_lines.keep(key, lines, len(text))
    return lines


type _Blob = tuple[int, str, str]  # repository, id, encoding


class _KeptLines:
    """Lines of the blobs read lately, up to so many characters: searches come back to them."""

    def __init__(self) -> None:
        self._lines: OrderedDict[_Blob, tuple[list[str], int]] = OrderedDict()
        self._characters = 0
        self._lock = threading.Lock()

    def get(self, key: _Blob) -> list[str] | None:
        """Return the lines of a blob, if they are kept; they must not be changed."""
        with self._lock:
            found = self._lines.get(key)
            if found is None:
                return None
            self._lines.move_to_end(key)
            return found[0]

    def keep(self, key: _Blob, lines: list[str], characters: int) -> None:
        """Keep the lines of a blob, dropping the ones not used for longest."""
        with self._lock:
            if key in self._lines or characters > KEPT_CHARACTERS:
                return
            self._lines[key] = (lines, characters)
            self._characters += characters
            while self._characters > KEPT_CHARACTERS:
                _, (_, dropped) = self._lines.popitem(last=False)
                self._characters -= dropped


_kept_lines = _KeptLines()


# That a stem may not share with its words; see `_beginning`.
_LAST_LETTER = re.compile(r"(?<=.)i$|(?<=..)[el]$")
_NONE: frozenset[str] = frozenset()
_WORD_CHARACTERS = frozenset(f"{ascii_lowercase}{digits}_")


@lru_cache(maxsize=100_000)
def _stems_of_word(word: str) -> frozenset[str]:
    return stems(index_text(word).split())


class WordsOfQuery(dict[str, frozenset[str]]):
    """Which stems of a query each word of a text stands for, worked out once per word."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        super().__init__()
        self.weights = weights
        beginnings = "|".join(sorted({re.escape(_beginning(stem)) for stem in weights}))
        self._may_be_in = re.compile(rf"(?:{beginnings or '(?!)'})\w*", re.ASCII).finditer

    def __missing__(self, word: str) -> frozenset[str]:
        found = self[word] = _stems_of_word(word) & self.weights.keys()
        return found

    def weigh(self, found: frozenset[str]) -> float:
        """Return how much these stems tell."""
        return sum(map(self.weights.__getitem__, found))

    def in_text(self, text: str) -> frozenset[str]:
        """Return the stems of the query that are in a text."""
        return frozenset().union(*(here for _, here in self._places_in(text)))

    def in_lines(self, lines: Sequence[str]) -> dict[int, frozenset[str]]:
        """Return the stems of the query in those lines that have any, by the line's offset."""
        text = "\n".join(lines)
        if not text.isascii():
            found = {offset: self.in_text(line) for offset, line in enumerate(lines)}
            return {offset: here for offset, here in found.items() if here}
        found = {}
        offset = counted = 0
        for start, here in self._places_in(text):
            offset += text.count("\n", counted, start)
            counted = start
            found[offset] = here | found.get(offset, _NONE)
        return found

    def _places_in(self, text: str) -> list[tuple[int, frozenset[str]]]:
        """Return where words with stems of the query begin, in order, with the stems of each."""
        if not text.isascii():
            found = ((match.start(), self[match[0]]) for match in WORD.finditer(text))
            return [place for place in found if place[1]]
        places: list[tuple[int, frozenset[str]]] = []
        folded = text.lower()
        for match in self._may_be_in(folded):
            start, end = match.span()
            while start and folded[start - 1] in _WORD_CHARACTERS:
                start -= 1
            words = [text[start:end]] if folded[start] > "9" else WORD.findall(text, start, end)
            places += [(start, here) for word in words if (here := self[word])]
        return places


def _beginning(stem: str) -> str:
    """Return what every ASCII word with a stem holds.

    Porter's stem is the word's beginning, but for a last letter that stands for others: happi is
    that of happy, hope of hoping, abl of ability.
    """
    return _LAST_LETTER.sub("", stem)


def best_window(
    lines: Sequence[str],
    start: int,
    end: int,
    words: WordsOfQuery,
    *,
    size: int = WINDOW_LINES,
    passed: re.Pattern[str] | None = None,
) -> Window:
    """Return the lines between `start` and `end` that say most of the query, `size` at most.

    The first such window that begins with a line that says something. Lines that begin as `passed`
    says say nothing.
    """
    found = words.in_lines(lines[start - 1 : end])
    if passed is not None:
        found = {
            offset: here
            for offset, here in found.items()
            if not passed.match(lines[start - 1 + offset])
        }
    most = words.weigh(frozenset().union(*found.values()))
    best = Window(start, start, 0.0)
    offsets = list(found)
    end_of_window = 0
    for number, first in enumerate(offsets):
        while end_of_window < len(offsets) and offsets[end_of_window] < first + size:
            end_of_window += 1
        inside = offsets[number:end_of_window]
        weight = words.weigh(frozenset().union(*map(found.__getitem__, inside)))
        if weight > best.weight + 1e-9:
            heaviest = max(inside, key=lambda line: words.weigh(found[line]))
            best = Window(start + first, start + heaviest, weight)
            if weight > most - 1e-9:
                break
    return best
