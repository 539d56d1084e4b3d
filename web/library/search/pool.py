"""The files that evidence speaks for, while it is gathered: see `evidence` for how it counts."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from web.library.search.backends.base import SearchBackend, Wanted
from web.library.search.evidence import (
    COPY_FACTOR,
    FILE_NAME,
    MAX_GAPPED,
    MENTIONED,
    NAME,
    NAME_IN_PROSE,
    PART_EXPONENT,
    PART_OF_NAME,
    PART_OF_PATH,
    PART_OF_PHRASE,
    PHRASE,
    TEXT,
    UNLIKELY,
    RankedFile,
    Weight,
)
from web.library.search.mentions import mentions
from web.library.search.names import (
    SHORTEST_PART,
    contents_at_paths_with,
    exact_score,
    part_score,
    symbols_called,
    symbols_containing,
    wanted_name,
)
from web.library.search.phrases import PHRASE_WORDS
from web.library.search.plan import Plan
from web.library.search.query import Query
from web.library.search.scope import Occurrence, Scope
from web.library.search.texts import (
    TextEvidence,
    path_score,
    phrase_chunks,
    text_evidence,
)
from web.library.search.tokens import WORD, phrase_tokens


class Pool:
    """The files that any evidence speaks for, while it is gathered."""

    def __init__(
        self, query: Query, scope: Scope, prior: Callable[[str, frozenset[str]], float]
    ) -> None:
        self._query = query
        self._scope = scope
        self._words = query.words
        self._prior = prior
        self._files: dict[int, RankedFile] = {}
        self._only: set[int] | None = None
        # The query is a name that is defined here: where it stands in full it is only spoken of.
        self._is_defined = False

    def keep_only(self, content_ids: Iterable[int]) -> None:
        """Leave out every other file, whatever evidence speaks for it."""
        kept = set(content_ids)
        self._only = kept if self._only is None else self._only & kept

    def file(self, content_id: int) -> RankedFile:
        """Return what is known of a content; it stands at its likeliest path."""
        known = self._files.get(content_id)
        if known is None:
            found = list(self._scope.occurrences_of(content_id))
            best = min(found, key=self._unlikeliness) if len(found) > 1 else found[0]
            prior = self._prior(best.path, self._words)
            known = RankedFile(content_id, best, prior, copies=len(found) - 1)
            self._files[content_id] = known
        return known

    def _unlikeliness(self, found: Occurrence) -> tuple[float, bool, int, int, Occurrence]:
        is_fork = self._scope.origins[found.ref_number] is not None
        prior = self._prior(found.path, self._words)
        return -prior, is_fork, found.ref_number, len(found.path), found

    def add(self, weight: Weight, scores: Mapping[int, float]) -> dict[int, float]:
        """Add a list of files, given by their scores; return how much each gains."""
        gains: dict[int, float] = {}
        for rank, file in enumerate(self._best(scores)[: weight.depth]):
            gains[file.content_id] = gain = weight.gain(rank, file.prior)
            file.score += gain
        return gains

    def _best(self, scores: Mapping[int, float]) -> list[RankedFile]:
        files = [self.file(content_id) for content_id in scores]
        files.sort(key=lambda file: (-scores[file.content_id], *_place_key(file)))
        return files

    # Names

    def add_names(self, backend: SearchBackend) -> None:
        """Add the files that define what the query names, or else hold it as a part of a name."""
        for name in self._query.names:
            wanted = wanted_name(name)
            rows = symbols_called([wanted.folded], self._scope)
            self._is_defined |= self._query.is_name and bool(rows)
            scores: dict[int, float] = {}
            lines: dict[int, tuple[float, int]] = {}
            for row in rows:
                file = self.file(row.content_id)
                score = exact_score(row, wanted, file.occurrence.path) * file.prior
                scores[row.content_id] = max(score, scores.get(row.content_id, 0.0))
                lines[row.content_id] = min((-score, row.line), lines.get(row.content_id, (0.0, 0)))
            gains = self.add(NAME if self._query.is_name else NAME_IN_PROSE, scores)
            self._note_lines(lines, gains)
            if not rows and len(wanted.name) >= SHORTEST_PART:
                self._add_parts(wanted.folded, backend)
            if name in self._query.symbols:
                self.keep_only(
                    content_id for content_id, file in self._files.items() if file.line is not None
                )

    def _add_parts(self, part: str, backend: SearchBackend) -> None:
        scores: dict[int, list[float]] = {}
        lines: dict[int, tuple[float, int]] = {}
        for row in symbols_containing(part, self._scope, backend=backend):
            score = part_score(row, part) * self.file(row.content_id).prior
            scores.setdefault(row.content_id, []).append(score)
            lines[row.content_id] = min((-score, row.line), lines.get(row.content_id, (0.0, 0)))
        gains = self.add(
            PART_OF_NAME if self._query.is_name else NAME_IN_PROSE,
            {
                content_id: max(found) + 0.02 * min(len(found), 10)
                for content_id, found in scores.items()
            },
        )
        self._note_lines(lines, gains)
        self.add_paths(part, PART_OF_PATH)

    def add_paths(self, part: str, weight: Weight) -> None:
        """Add the files whose path holds a part; those called so as if they defined the name."""
        fits = contents_at_paths_with(part.lower(), self._scope, limit=2 * FILE_NAME.depth)
        scores = {content_id: fit * self.file(content_id).prior for content_id, fit in fits.items()}
        named = {content_id: score for content_id, score in scores.items() if fits[content_id] == 1}
        self.add(FILE_NAME, named)
        others = {content_id: scores[content_id] for content_id in scores.keys() - named.keys()}
        self.add(weight, others)

    def _note_lines(
        self, lines: Mapping[int, tuple[float, int]], gains: Mapping[int, float]
    ) -> None:
        for content_id, gain in gains.items():
            self._files[content_id].note_line(lines[content_id][1], gain)

    # Texts

    def add_texts(self, plan: Plan, backend: SearchBackend) -> TextEvidence:
        """Add the files with the best chunks, and those that hold the query as a phrase."""
        found = text_evidence(
            plan,
            self._scope,
            backend=backend,
            is_document=self._scope.is_document,
            phrases=self._query.phrases,
        )
        scores: dict[int, float] = {}
        for content_id, text in found.files.items():
            file = self.file(content_id)
            scores[content_id] = (text.score + path_score(plan, file.occurrence.path)) * file.prior
            file.chunk_ids = [chunk_id for _, chunk_id in text.chunks]
        for content_id, gain in self.add(TEXT, scores).items():
            self._files[content_id].chunk_gain = gain
        is_phrase = len(WORD.findall(self._query.text)) >= PHRASE_WORDS
        if is_phrase and plan.tokens and not self._is_defined:
            self._add_phrases(scores, backend)
        return found

    def _add_phrases(self, scores: Mapping[int, float], backend: SearchBackend) -> None:
        """Add the files with the whole query; if there is no likely one, those with parts of it."""
        whole = phrase_tokens(self._query.text)
        if self._add_phrase(whole, PHRASE, scores, backend) > UNLIKELY:
            return
        if self._query.gapped and self._add_gapped(scores, backend):
            return
        for fragment in self._query.fragments:
            if fragment != whole and self._add_part(fragment, len(whole), scores, backend):
                continue
            for part in _beginning_and_end(fragment):
                self._add_part(part, len(whole), scores, backend)

    def _add_gapped(self, scores: Mapping[int, float], backend: SearchBackend) -> bool:
        """Add the files with all of a message but what it encloses; return whether one has."""
        pairs = self._query.gapped
        wanted = Wanted((), (), pairs=pairs, home_ids=self._scope.home_ids)
        chunks: dict[int, int] = {}
        for hit in backend.chunks_holding_most(
            wanted, is_document=self._scope.is_document, max_texts=MAX_GAPPED
        ):
            if hit.score < len(pairs):
                break
            if self._scope.shows(hit.content_id):
                chunks.setdefault(hit.content_id, hit.chunk_id)
        return self._add_chunks(chunks, PHRASE, scores) > 0

    def _add_part(
        self, part: Sequence[str], whole: int, scores: Mapping[int, float], backend: SearchBackend
    ) -> bool:
        """Add the files with a part of a phrase of so many words; return whether there are any."""
        share = len(part) / whole
        weight = replace(PHRASE, weight=PHRASE.weight * share**PART_EXPONENT)
        return self._add_phrase(part, weight, scores, backend) > 0

    def _add_phrase(
        self,
        phrase: Sequence[str],
        weight: Weight,
        text_scores: Mapping[int, float],
        backend: SearchBackend,
    ) -> float:
        """Add the files with a phrase; return how likely the likeliest is."""
        chunks = phrase_chunks(
            phrase, self._scope, backend=backend, is_document=self._scope.is_document
        )
        return self._add_chunks(chunks, weight, text_scores)

    def _add_chunks(
        self, chunks: Mapping[int, int], weight: Weight, text_scores: Mapping[int, float]
    ) -> float:
        """Add files with a chunk each, best texts first; return how likely the likeliest is."""
        best = max(text_scores.values(), default=0.0) or 1.0
        scores = {
            content_id: self.file(content_id).prior + text_scores.get(content_id, 0.0) / best
            for content_id in chunks
        }
        for content_id, gain in self.add(weight, scores).items():
            self._files[content_id].note_chunk(chunks[content_id], gain)
        return max((self._files[content_id].prior for content_id in chunks), default=0.0)

    def add_mentions(self, plan_there: Plan, there: Scope, backend: SearchBackend) -> None:
        """Add the files that answers on the other side name."""
        for mention in mentions(plan_there, self._scope, there, backend=backend).values():
            file = self.file(mention.content_id)
            gain = MENTIONED * mention.score * file.prior
            file.score += gain
            if mention.line is not None:
                file.note_line(mention.line, gain)
            if mention.chunk_id is not None:
                file.note_chunk(mention.chunk_id, gain)

    def _lower_copies(self, files: Sequence[RankedFile]) -> None:
        """Put the changed files of forks below the files that they come from."""
        if not any(origin is not None for origin in self._scope.origins):
            return
        originals = {_place_key(file): file for file in files}
        for file in files:
            place = _copied(self._scope, file)
            original = originals.get(place) if place else None
            if original is not None:
                file.score = COPY_FACTOR * min(file.score, original.score)

    def in_order(self) -> tuple[RankedFile, ...]:
        """Return the files that evidence speaks for, best first, copies below their originals."""
        files = [
            file
            for file in self._files.values()
            if file.score > 0 and (self._only is None or file.content_id in self._only)
        ]
        self._lower_copies(files)
        files.sort(key=lambda file: (-file.score, *_place_key(file)))
        return tuple(files)


def _copied(scope: Scope, file: RankedFile) -> tuple[int, str] | None:
    origin = scope.origins[file.occurrence.ref_number]
    return None if origin is None else (origin, file.occurrence.path)


def _beginning_and_end(words: Sequence[str]) -> list[Sequence[str]]:
    """Return the first and the last three fifths of a phrase, none where that would be all."""
    length = max(PHRASE_WORDS, math.ceil(len(words) * PART_OF_PHRASE))
    return [words[:length], words[-length:]] if length < len(words) else []


def _place_key(file: RankedFile) -> tuple[int, str]:
    return file.occurrence.ref_number, file.occurrence.path
