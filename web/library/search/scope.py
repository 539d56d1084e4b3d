"""Where one search looks: the refs that the caller may see and asked for, narrowed by its filters.

A scope is over code or over documents.
"""

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from operator import and_
from typing import NamedTuple

from web.library.search.views import RefView, SearchedRef, view_of

# A search over more homes than this is not restricted to them: the restriction would cost more.
MAX_HOMES = 8
SEVERAL = 255
_KEPT_BITMAPS = 32


class Occurrence(NamedTuple):
    """A path that has a content in one of the searched refs."""

    ref_number: int
    path: str
    language: str


@dataclass(frozen=True, slots=True)
class Scope:
    """The searched refs with their views, and which contents count.

    `shown` has one byte per content id: 0 for those that do not count, else which ref shows it, its
    number from 1, or SEVERAL. `passes` is what the filters say
    of a path and a language, None without a filter. `origins` has for each ref the number of the
    one that it is a fork of: most of what it shows was there first.
    """

    refs: tuple[SearchedRef, ...]
    views: tuple[RefView, ...]
    is_document: bool
    shown: bytearray
    home_ids: tuple[int, ...] | None
    origins: tuple[int | None, ...]
    passes: Callable[[str, str], bool] | None = None

    def shows(self, content_id: int) -> bool:
        """Return whether a content counts."""
        return content_id < len(self.shown) and bool(self.shown[content_id])

    def occurrences_of(self, content_id: int) -> Iterator[Occurrence]:
        """Yield where a content stands, in the order of the refs, then by path."""
        mark = self.shown[content_id] if content_id < len(self.shown) else SEVERAL
        numbers = range(len(self.views)) if mark in (0, SEVERAL) else (mark - 1,)
        for number in numbers:
            view = self.views[number]
            for position in view.entries_of(content_id):
                path = view.paths[position]
                language = view.languages[view.language_numbers[position]]
                if self.passes is None or self.passes(path, language):
                    yield Occurrence(number, path, language)

    def languages(self) -> dict[str, int]:
        """Return the languages of the refs' files of this kind, with how many, most first."""
        counts: Counter[str] = Counter()
        for view in self.views:
            names = map(view.languages.__getitem__, view.language_numbers)
            kinds = (kind == self.is_document for kind in view.are_documents)
            counts.update(name for name in compress(names, kinds) if name)
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    def passes_other_kind(self) -> bool:
        """Say whether files pass the filters that are documents where code is searched, or code."""
        passes = self.passes
        return passes is not None and any(
            kind != self.is_document and passes(path, view.languages[number])
            for view in self.views
            for path, number, kind in zip(
                view.paths, view.language_numbers, view.are_documents, strict=True
            )
        )

    def file_count(self) -> int:
        """Return how many contents are looked at."""
        return len(self.shown) - self.shown.count(0)


def scope_of(refs: Sequence[SearchedRef], *, is_document: bool, all_homes: bool) -> Scope:
    """Return the scope of refs read in the same transaction; `all_homes` looks at every content."""
    views = tuple(view_of(ref) for ref in refs)
    homes = sorted({home for view in views for home in view.homes})
    return Scope(
        refs=tuple(refs),
        views=views,
        is_document=is_document,
        shown=_kept(
            (*(ref.state for ref in refs), is_document),
            lambda: _shown_by(views, is_document, None),
        ),
        home_ids=None if all_homes or len(homes) > MAX_HOMES else tuple(homes),
        origins=_origins(refs, views),
    )


def _origins(refs: Sequence[SearchedRef], views: Sequence[RefView]) -> tuple[int | None, ...]:
    numbers = {ref.repository_id: number for number, ref in enumerate(refs)}
    mainly = [max(view.homes, key=view.homes.__getitem__, default=None) for view in views]
    return tuple(
        numbers.get(home) if home is not None and home != ref.repository_id else None
        for ref, home in zip(refs, mainly, strict=True)
    )


def narrowed(scope: Scope, passes: Callable[[str, str], bool], *, key: Hashable) -> Scope:
    """Return the scope with only the entries whose path and language pass; `key` names the test."""
    states = (*(ref.state for ref in scope.refs), scope.is_document, key)
    shown = _kept(states, lambda: _shown_by(scope.views, scope.is_document, passes))
    return replace(scope, shown=shown, passes=passes)


def _shown_by(
    views: Sequence[RefView], is_document: bool, passes: Callable[[str, str], bool] | None
) -> bytearray:
    """Return one byte per content id, as `Scope.shown` has them, for the entries that pass."""
    length = 1 + max((view.content_ids[-1] for view in views if view.content_ids), default=0)
    shown = bytearray(length)
    for number, view in enumerate(views, 1):
        mark = min(number, SEVERAL)
        kept: Iterator[bool] = (kind == is_document for kind in view.are_documents)
        if passes is not None:
            languages = map(view.languages.__getitem__, view.language_numbers)
            kept = map(and_, kept, map(passes, view.paths, languages))
        for content_id in compress(view.content_ids, kept):
            shown[content_id] = mark if shown[content_id] in (0, mark) else SEVERAL
    return shown


_bitmaps: OrderedDict[Hashable, bytearray] = OrderedDict()
_bitmaps_lock = threading.Lock()


def _kept(key: Hashable, build: Callable[[], bytearray]) -> bytearray:
    """Return what was built for this key, now or lately."""
    with _bitmaps_lock:
        if (known := _bitmaps.get(key)) is not None:
            _bitmaps.move_to_end(key)
            return known
    built = build()
    with _bitmaps_lock:
        _bitmaps[key] = built
        while len(_bitmaps) > _KEPT_BITMAPS:
            _bitmaps.popitem(last=False)
    return built
