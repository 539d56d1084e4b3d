"""What the searched refs show: which contents, at which paths. Kept in process, one view per state.

A search asks the full-text tables, which know nothing of refs, and keeps only contents that a view
shows. A view belongs to one ref at one commit, so it stays right for ever and is only replaced.
"""

import sys
import threading
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.db import connection

from web.library.records.freshness import Freshness

# Entries of all kept views together; one takes about 80 bytes, and 100 more for each distinct path.
MAX_KEPT_ENTRIES = 4_000_000


@dataclass(frozen=True, slots=True)
class SearchedRef:
    """A ref that is searched: ids, the state it was read in, and what an answer says of it."""

    ref_id: int
    repository_id: int
    rules: str
    url: str
    freshness: Freshness

    @property
    def state(self) -> tuple[object, ...]:
        """What changes whenever the ref's entries change."""
        return self.ref_id, self.freshness.commit, self.rules, self.freshness.indexed_at


@dataclass(frozen=True, slots=True)
class RefView:
    """The indexed entries of one ref as parallel columns, by content and then by path.

    `homes` counts the contents by the repository that brought them first; `languages` are the
    names that `language_numbers` stands for; `folded_paths` are the paths in lower case, a line
    each.
    """

    content_ids: "array[int]"
    paths: tuple[str, ...]
    language_numbers: "array[int]"
    are_documents: bytearray
    languages: tuple[str, ...]
    homes: Counter[int]
    folded_paths: str

    def positions_with(self, part: str) -> Iterator[int]:
        """Yield the positions of the entries whose path has a part, given in lower case."""
        found = self.folded_paths.find(part)
        position = before = 0
        while found >= 0:
            position += self.folded_paths.count("\n", before, found)
            yield position
            before = self.folded_paths.find("\n", found)
            if before < 0:
                return
            found = self.folded_paths.find(part, before)

    def entries_of(self, content_id: int) -> range:
        """Return the positions in the columns of the entries that have this content."""
        start = bisect_left(self.content_ids, content_id)
        return range(start, bisect_right(self.content_ids, content_id, lo=start))


class _KeptViews:
    """Views by the state of their ref, least recently used dropped first."""

    def __init__(self) -> None:
        self._views: OrderedDict[tuple[object, ...], RefView] = OrderedDict()
        self._entry_count = 0
        self._lock = threading.Lock()

    def get(self, state: tuple[object, ...], build: Callable[[], RefView]) -> RefView:
        with self._lock:
            view = self._views.get(state)
            if view is not None:
                self._views.move_to_end(state)
                return view
        view = build()
        with self._lock:
            if state not in self._views:
                self._views[state] = view
                self._entry_count += len(view.content_ids)
                self._drop_unused()
        return view

    def _drop_unused(self) -> None:
        while self._entry_count > MAX_KEPT_ENTRIES and len(self._views) > 1:
            _, dropped = self._views.popitem(last=False)
            self._entry_count -= len(dropped.content_ids)


_kept_views = _KeptViews()


def view_of(ref: SearchedRef) -> RefView:
    """Return the view of a ref in the state that was read in the same transaction."""
    return _kept_views.get(ref.state, lambda: _built(ref.ref_id))


def _built(ref_id: int) -> RefView:
    content_ids, language_numbers, are_documents = array("q"), array("H"), bytearray()
    paths: list[str] = []
    numbers: dict[str, int] = {}
    homes: Counter[int] = Counter()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT content.id, path.path, revision.language, content.is_document, content.home_id"
            " FROM library_entry AS entry"
            " JOIN library_filerevision AS revision ON revision.id = entry.revision_id"
            " JOIN library_path AS path ON path.id = entry.path_id"
            " JOIN library_content AS content ON content.id = revision.content_id"
            " WHERE entry.ref_id = %s"
            " ORDER BY content.id, path.path",
            [ref_id],
        )
        while rows := cursor.fetchmany(2000):
            for content_id, path, language, is_document, home_id in rows:
                if not content_ids or content_ids[-1] != content_id:
                    homes[home_id] += 1
                content_ids.append(content_id)
                paths.append(sys.intern(path))  # refs of one repository share most paths
                language_numbers.append(numbers.setdefault(language, len(numbers)))
                are_documents.append(is_document)
    return RefView(
        content_ids,
        tuple(paths),
        language_numbers,
        are_documents,
        tuple(numbers),
        homes,
        folded_paths="\n".join(path.replace("\n", " ").lower() for path in paths),
    )
