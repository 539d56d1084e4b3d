"""Reading the entries of a tree: each gets its verdict, and each blob that is new is read once."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import batched

from web.core.errors import Unavailable
from web.core.limits import LIMITS
from web.library.git.mirrors import blob_head
from web.library.git.objects import ObjectStore
from web.library.git.paths import LARGEST_KEPT_BYTES, kept_path, path_text
from web.library.git.trees import TreeEntry
from web.library.indexing import discover, skipping
from web.library.indexing.decode import Decoded
from web.library.indexing.discover import Rules, Verdict
from web.library.indexing.write import ContentKey, contents_of
from web.library.models import EntryKind

_LOOKED_UP_AT_ONCE = 500
_REMEMBERED = 100_000
_HEAD_BYTES = 8192


@dataclass(frozen=True, slots=True)
class ReadEntry:
    """What stands at a path; `text` only where its content is new and has to be written."""

    path: str
    oid: str
    verdict: Verdict
    text: Decoded | None = None

    @property
    def content_key(self) -> ContentKey | None:
        """The key of its content, None for what is not indexed."""
        verdict = self.verdict
        return (self.oid, verdict.format, verdict.is_document) if verdict.format else None


class EntryReader:
    """Reads entries of one repository. `known` are the contents that exist, with their ids."""

    def __init__(self, store: ObjectStore, rules: Rules) -> None:
        self.known: dict[ContentKey, int] = {}
        self._store = store
        self._rules = rules
        # What the bytes of a blob told about it, for its further paths: by id and path verdict.
        self._told: dict[tuple[str, Verdict], Verdict] = {}
        self._awaited: set[ContentKey] = set()

    def read(self, entries: Iterable[TreeEntry]) -> Iterator[ReadEntry]:
        """Yield each entry as it was judged, in order.

        The text of a content comes with the first entry that needs it; who gets it has to write it.
        """
        for some in batched(entries, _LOOKED_UP_AT_ONCE):
            self.known.update(contents_of(entry.oid for entry in some))
            for entry in some:
                yield self._read(entry)

    def _read(self, entry: TreeEntry) -> ReadEntry:
        try:
            verdict, text = self._judged(entry)
        except Unavailable:
            verdict, text = Verdict(EntryKind.FILE, skip_reason=skipping.UNREADABLE), None
        return ReadEntry(kept_path(entry.path), entry.oid, verdict, text)

    def _judged(self, entry: TreeEntry) -> tuple[Verdict, Decoded | None]:
        """Return what stands at the entry, with its text where that has to be written."""
        if entry.is_submodule:
            return Verdict(EntryKind.SUBMODULE, skip_reason=skipping.SUBMODULE), None
        if entry.is_folder:
            reason = skipping.LONG_PATH if entry.is_too_deep else skipping.LARGE_FOLDER
            return Verdict(EntryKind.FOLDER, skip_reason=reason), None
        size = self._store.size(entry.oid)
        if entry.is_symlink:
            return Verdict(EntryKind.SYMLINK, size=size, skip_reason=skipping.SYMLINK), None
        return self._judged_file(entry, size)

    def _judged_file(self, entry: TreeEntry, size: int) -> tuple[Verdict, Decoded | None]:
        path = path_text(entry.path)
        by_path = self._rules.of_path(path, size=size)
        if len(entry.path) > LARGEST_KEPT_BYTES:
            by_path = discover.skipped(by_path, skipping.LONG_PATH)
        elif size == 0:
            return discover.skipped(by_path, by_path.skip_reason or skipping.EMPTY), None
        elif size > LIMITS.max_indexed_file_bytes and not by_path.skip_reason:
            by_path = discover.skipped(by_path, skipping.too_large())
        remembered = self._told.get((entry.oid, by_path))
        if remembered is not None:
            return remembered, None
        if not discover.needs_blob(by_path, path):
            return discover.binary(by_path), None
        if not by_path.needs_text and self._is_known(entry.oid, by_path):
            return by_path, None
        return self._opened(path, entry.oid, by_path)

    def _opened(self, path: str, oid: str, by_path: Verdict) -> tuple[Verdict, Decoded | None]:
        """Read a blob, as far as its verdict needs it."""
        text = None
        if by_path.skip_reason:
            verdict = discover.of_skipped_bytes(by_path, self._head(oid, by_path.size))
        else:
            verdict, text = discover.of_bytes(by_path, path, self._store.blob(oid))
        if len(self._told) >= _REMEMBERED:
            self._told.clear()
        self._told[(oid, by_path)] = verdict
        if text is None or self._is_known(oid, verdict):
            return verdict, None
        self._awaited.add((oid, verdict.format, verdict.is_document))
        return verdict, text

    def _is_known(self, oid: str, verdict: Verdict) -> bool:
        """Say whether the content exists, or will because an earlier entry's text was given out."""
        key = (oid, verdict.format, verdict.is_document)
        return key in self.known or key in self._awaited

    def _head(self, oid: str, size: int) -> bytes:
        if size > LIMITS.max_readable_file_bytes:
            return blob_head(self._store.repository_id, oid, max_bytes=_HEAD_BYTES)
        return self._store.blob(oid)[:_HEAD_BYTES]
