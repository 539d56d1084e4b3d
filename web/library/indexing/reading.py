"""Reading the entries of a tree: each gets its verdict, and each blob that is new is read once."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import batched

from web.core.errors import Unavailable
from web.core.limits import LIMITS
from web.library.git.mirrors import blob_head
from web.library.git.objects import ObjectStore
from web.library.git.trees import TreeEntry, path_text
from web.library.indexing import discover, skipping
from web.library.indexing.decode import Decoded
from web.library.indexing.discover import LARGEST_PATH_BYTES, Rules, Verdict
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
        path = path_text(entry.path)
        if entry.is_submodule:
            verdict = Verdict(kind=EntryKind.SUBMODULE, skip_reason=skipping.SUBMODULE)
            return ReadEntry(_stored_path(path, entry), entry.oid, verdict)
        try:
            size = self._store.size(entry.oid)
            if entry.is_symlink:
                verdict = Verdict(EntryKind.SYMLINK, size=size, skip_reason=skipping.SYMLINK)
                return ReadEntry(_stored_path(path, entry), entry.oid, verdict)
            return self._read_file(path, entry, self._rules.of_path(path, size=size))
        except Unavailable:
            verdict = Verdict(EntryKind.FILE, skip_reason=skipping.UNREADABLE)
            return ReadEntry(_stored_path(path, entry), entry.oid, verdict)

    def _read_file(self, path: str, entry: TreeEntry, by_path: Verdict) -> ReadEntry:
        stored_path = _stored_path(path, entry)
        if len(entry.path) > LARGEST_PATH_BYTES:
            by_path = discover.skipped(by_path, skipping.LONG_PATH)
        elif by_path.size == 0:
            by_path = discover.skipped(by_path, by_path.skip_reason or skipping.EMPTY)
            return ReadEntry(stored_path, entry.oid, by_path)
        elif by_path.size > LIMITS.max_indexed_file_bytes and not by_path.skip_reason:
            by_path = discover.skipped(by_path, skipping.too_large())
        remembered = self._told.get((entry.oid, by_path))
        if remembered is not None:
            return ReadEntry(stored_path, entry.oid, remembered)
        if not discover.needs_blob(by_path, path):
            return ReadEntry(stored_path, entry.oid, discover.binary(by_path))
        key = (entry.oid, by_path.format, by_path.is_document)
        if not by_path.needs_text and (key in self.known or key in self._awaited):
            return ReadEntry(stored_path, entry.oid, by_path)
        return self._open(stored_path, path, entry.oid, by_path)

    def _open(self, stored_path: str, path: str, oid: str, by_path: Verdict) -> ReadEntry:
        """Read a blob, as far as its verdict needs it."""
        text = None
        if by_path.skip_reason:
            verdict = discover.of_skipped_bytes(by_path, self._head(oid, by_path.size))
        else:
            verdict, text = discover.of_bytes(by_path, path, self._store.blob(oid))
        if len(self._told) >= _REMEMBERED:
            self._told.clear()
        self._told[(oid, by_path)] = verdict
        read = ReadEntry(stored_path, oid, verdict, text)
        key = read.content_key
        if key is None or key in self.known or key in self._awaited:
            return ReadEntry(stored_path, oid, verdict)
        self._awaited.add(key)
        return read

    def _head(self, oid: str, size: int) -> bytes:
        if size > LIMITS.max_readable_file_bytes:
            return blob_head(self._store.repository_id, oid, max_bytes=_HEAD_BYTES)
        return self._store.blob(oid)[:_HEAD_BYTES]


def _stored_path(path: str, entry: TreeEntry) -> str:
    """Return the path as it is kept: one that no index holds is cut, with its blob to tell it apart."""
    if len(entry.path) <= LARGEST_PATH_BYTES:
        return path
    return f"{path[: LARGEST_PATH_BYTES // 4]}…{entry.oid[:12]}"
