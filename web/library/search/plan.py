"""Which tokens of a query are looked up in the full-text tables, and how much each tells.

Cost must not grow with how common a word is. So very common tokens are left out where enough rarer
ones are there, and only the rarest, the essential ones, decide which chunks are looked at at all.
"""

import math
import threading
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from django.db import connection

from web.library.search.backends.base import SearchBackend
from web.library.search.query import Query
from web.library.search.scope import Scope
from web.library.search.tokens import phrase_tokens, stem

# A token in more than this share of all texts is common.
COMMON_SHARE = 0.12
MAX_TOKENS = 8
MIN_ESSENTIAL = 2
_FEW_TOKENS = 3
_KEPT_FREQUENCIES = 50_000


@dataclass(frozen=True, slots=True)
class Plan:
    """How the words of a query are searched for.

    `tokens` are looked up, at least one of the `essential` has to be there, `pairs` count when
    close together. `weights` is how much a stem tells, in nats (inverse document frequency):
    those of `tokens`; `all_weights` of all the query's tokens.
    """

    tokens: tuple[str, ...]
    essential: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    weights: Mapping[str, float]
    all_weights: Mapping[str, float]

    def weight_in(self, stems: frozenset[str]) -> float:
        """Return how much those of the searched tokens tell that are among `stems`."""
        if stems.isdisjoint(self.weights):
            return 0.0
        return sum(weight for stem, weight in self.weights.items() if stem in stems)


@dataclass(frozen=True, slots=True)
class Effort:
    """How many texts the essential tokens may lead to, about, and how many pairs are looked up.

    Tokens are counted over all texts, and few of them may be of the searched repositories: then
    tokens may lead to up to `stretch` times as many.
    """

    texts: int
    pairs: int
    stretch: int = 1


THOROUGH = Effort(texts=1000, pairs=3, stretch=2)
BRIEF = Effort(texts=400, pairs=2)


def plan_for(
    query: Query,
    scope: Scope,
    *,
    backend: SearchBackend,
    generation: int,
    effort: Effort = THOROUGH,
) -> Plan:
    """Return the plan of a query over the code or the documents of a scope."""
    is_document = scope.is_document
    total = max(1, backend.text_count(is_document=is_document))
    state = (generation, total)
    asked = (*query.tokens, *query.compounds)
    frequencies = _frequencies(asked, backend, is_document, state)
    asked = (*query.tokens, *(token for token in query.compounds if frequencies[token]))
    tokens = _searched(asked, frequencies, total)
    weights = {token: _weight(frequencies[token], total) for token in asked}
    return Plan(
        tokens=tokens,
        essential=_essential(tokens, frequencies, _texts_for(effort, scope, state)),
        pairs=_pairs(query, tokens, frequencies, total)[: effort.pairs],
        weights={stem(token): weights[token] for token in tokens},
        all_weights={stem(token): weight for token, weight in weights.items()},
    )


def _weight(frequency: int, total: int) -> float:
    return math.log(1 + max(0.0, total - frequency + 0.5) / (frequency + 0.5))


def _searched(tokens: Sequence[str], frequencies: Mapping[str, int], total: int) -> tuple[str, ...]:
    """Leave out the common tokens, and of very many the commoner ones."""
    if len(tokens) <= _FEW_TOKENS:
        return tuple(tokens)
    rare = [token for token in tokens if frequencies[token] <= COMMON_SHARE * total]
    kept = rare if len(rare) > 1 else list(tokens)
    # A token that is nowhere finds nothing and must not push out one that does.
    kept.sort(key=lambda token: frequencies[token] or total)
    return tuple(kept[:MAX_TOKENS])


def _essential(
    tokens: Sequence[str], frequencies: Mapping[str, int], max_texts: float
) -> tuple[str, ...]:
    essential: list[str] = []
    texts = 0
    for token in sorted(tokens, key=lambda token: frequencies[token]):
        texts += frequencies[token]
        if len(essential) >= MIN_ESSENTIAL and texts > max_texts:
            break
        essential.append(token)
    return tuple(essential)


def _texts_for(effort: Effort, scope: Scope, state: tuple[int, int]) -> float:
    """Return how many of all texts tokens may lead to, so that enough are of the scope's homes."""
    if effort.stretch == 1 or not scope.home_ids:
        return effort.texts
    contents = _contents_of_homes(scope.is_document, state)
    searched = sum(contents.get(home_id, 0) for home_id in scope.home_ids)
    return effort.texts * min(effort.stretch, sum(contents.values()) / max(1, searched))


def _pairs(
    query: Query, tokens: Sequence[str], frequencies: Mapping[str, int], total: int
) -> tuple[tuple[str, str], ...]:
    """Return neighbours in the query of which one is rare, those that tell most first."""
    found: dict[tuple[str, str], int] = {}
    for first, second in pairwise(phrase_tokens(query.text)):
        if first in second or second in first:
            continue  # an identifier and a part of it stand together everywhere
        frequency = [frequencies.get(token, total) for token in (first, second)]
        is_searched = first in tokens or second in tokens
        if is_searched and min(frequency) <= COMMON_SHARE * total and max(frequency) < total:
            found.setdefault((first, second), frequency[0] * frequency[1])
    return tuple(sorted(found, key=lambda pair: found[pair]))


class _KnownCounts[Key: Hashable]:
    """Counts in one state of the index; emptied when it changes or fills up."""

    def __init__(self) -> None:
        self._state: tuple[int, int] | None = None
        self._known: dict[Key, int] = {}
        self._lock = threading.Lock()

    def of(self, state: tuple[int, int]) -> dict[Key, int]:
        """Return what is known of a state: its generation and its number of texts."""
        with self._lock:
            if self._state != state or len(self._known) > _KEPT_FREQUENCIES:
                self._state, self._known = state, {}
            return self._known


_known_frequencies = {False: _KnownCounts[str](), True: _KnownCounts[str]()}
_known_homes = {False: _KnownCounts[int](), True: _KnownCounts[int]()}


def _frequencies(
    tokens: Sequence[str], backend: SearchBackend, is_document: bool, state: tuple[int, int]
) -> dict[str, int]:
    known = _known_frequencies[is_document].of(state)
    missing = [token for token in tokens if token not in known]
    found = backend.document_frequencies(is_document=is_document, tokens=missing)
    known.update(found)
    return {token: known[token] for token in tokens}


def _contents_of_homes(is_document: bool, state: tuple[int, int]) -> Mapping[int, int]:
    """Return how many contents each repository brought first."""
    known = _known_homes[is_document].of(state)
    if not known:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT home_id, count(*) FROM library_content WHERE is_document = %s"
                " GROUP BY home_id",
                [is_document],
            )
            known.update(cursor.fetchall())
    return known
