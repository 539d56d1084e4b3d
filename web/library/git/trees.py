"""Trees: which paths a commit has, and what changed between two of them.

Trees are read as git stores them, so a path of any bytes is read, and comparing two trees opens
only the folders that differ. Trees may be made to exhaust their reader: a folder that is too deep
or too large is an entry that is not opened, and folders that repeat each other without end are
refused.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from stat import S_IFMT

from web.core.errors import TooLarge, Unavailable
from web.core.limits import LIMITS
from web.library.git.objects import ObjectStore

FOLDER, SYMLINK, SUBMODULE = 0o040000, 0o120000, 0o160000
# A mode in octal digits, a name, and an id of 20 bytes; between them a space and a NUL. What is no
# entry is matched to its end, without a mode: were it left, each of its bytes would be tried.
_ENTRY = re.compile(rb"([0-7]++) ([^\0]*+)\0(.{20})|.++", re.DOTALL)
# Linux' own bound: nobody has such folders in a work tree.
_MAX_FOLDER_PATH_BYTES = 4096


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file, symbolic link or submodule at a path, whose bytes are as git has them.

    Also a folder that is not opened, because its path is too long or it is too large.
    """

    path: bytes
    mode: int
    oid: str

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder that is not opened."""
        return S_IFMT(self.mode) == FOLDER

    @property
    def is_too_deep(self) -> bool:
        """Whether its path is too long for a folder."""
        return len(self.path) > _MAX_FOLDER_PATH_BYTES

    @property
    def is_symlink(self) -> bool:
        """Whether it is a symbolic link."""
        return S_IFMT(self.mode) == SYMLINK

    @property
    def is_submodule(self) -> bool:
        """Whether it is a commit of another repository."""
        return S_IFMT(self.mode) == SUBMODULE


@dataclass(frozen=True, slots=True)
class TreeChanges:
    """What turns one tree into another: the entries that go, and those that come.

    An entry that changed is in both, as it was and as it is.
    """

    removed: tuple[TreeEntry, ...]
    written: tuple[TreeEntry, ...]


# The modes and ids of entries as git has them: octal digits and 20 bytes. Most are only compared.
type _Folder = dict[bytes, tuple[bytes, bytes]]


def entries_of(store: ObjectStore, tree: str) -> Iterator[TreeEntry]:
    """Yield everything but folders below a tree, in git's order.

    Raises TooLarge for more than LIMITS.max_repository_files, Unavailable for a damaged folder.
    """
    yield from _Walk(store).inside(b"", _children(store, tree))


def changes_between(store: ObjectStore, old: str, new: str) -> TreeChanges:
    """Compare two trees by object id and mode. Raises as `entries_of` does."""
    comparison = _Comparison(store)
    comparison.run(old, new)
    return TreeChanges(
        removed=tuple(comparison.before.values()), written=tuple(comparison.after.values())
    )


def _children(store: ObjectStore, tree: str) -> _Folder:
    """Return the modes and ids of a folder's entries by name; of equal names the last one's.

    Raises TooLarge for one over LIMITS.max_folder_bytes or with too many entries.
    """
    data = store.tree(tree)
    entries = _ENTRY.findall(data)
    if entries and not entries[-1][0]:
        raise Unavailable(
            "A folder of the repository is damaged.",
            hint="Run git fsck in the remote repository; sync again when it is mended.",
        )
    if len(entries) > LIMITS.max_repository_files:
        raise _unreasonable()
    return {name: (mode, oid) for mode, name, oid in entries}


def _entry(path: bytes, found: tuple[bytes, bytes]) -> TreeEntry:
    mode, oid = found
    return TreeEntry(path, int(mode, 8), oid.hex())


class _Walk:
    """Goes through one side of what is read, and no further than a repository may go in all."""

    def __init__(self, store: ObjectStore) -> None:
        self._store = store
        self._seen = 0

    def count(self) -> None:
        """Count a file or folder that is looked at. Raises TooLarge for one too many."""
        self._seen += 1
        if self._seen > LIMITS.max_repository_files:
            raise _unreasonable()

    def opened(self, entry: TreeEntry) -> _Folder | None:
        """Return what is in a folder; None for a file, and a folder that is not to be opened."""
        if not entry.is_folder or entry.is_too_deep:
            return None
        try:
            return _children(self._store, entry.oid)
        except TooLarge:
            return None

    def at(self, entry: TreeEntry) -> Iterator[TreeEntry]:
        """Yield a file, or what is below a folder."""
        self.count()
        folder = self.opened(entry)
        if folder is None:
            yield entry
        else:
            yield from self.inside(entry.path + b"/", folder)

    def inside(self, prefix: bytes, folder: _Folder) -> Iterator[TreeEntry]:
        """Yield what is below a folder that is open, depth first."""
        open_folders = [(prefix, iter(folder.items()))]
        while open_folders:
            prefix, children = open_folders[-1]
            for name, found in children:
                self.count()
                entry = _entry(prefix + name, found)
                inner = self.opened(entry)
                if inner is not None:
                    open_folders.append((entry.path + b"/", iter(inner.items())))
                    break
                yield entry
            else:
                open_folders.pop()


class _Comparison:
    """Two trees side by side: what is only in the old one, what is new or differs in the new."""

    def __init__(self, store: ObjectStore) -> None:
        self._store = store
        self._old, self._new = _Walk(store), _Walk(store)
        self.before: dict[bytes, TreeEntry] = {}
        self.after: dict[bytes, TreeEntry] = {}
        self._pending: list[tuple[TreeEntry, TreeEntry]] = []

    def run(self, old: str, new: str) -> None:
        """Compare two trees, opening only the folders that differ."""
        if old != new:
            self._compare(b"", _children(self._store, old), _children(self._store, new))
        while self._pending:
            was, now = self._pending.pop()
            olds, news = self._old.opened(was), self._new.opened(now)
            if olds is None or news is None:
                self._collect(was, now)
            else:
                self._compare(was.path + b"/", olds, news)

    def _compare(self, prefix: bytes, olds: _Folder, news: _Folder) -> None:
        for name in {name for name, _ in olds.items() ^ news.items()}:
            was = _entry(prefix + name, olds[name]) if name in olds else None
            now = _entry(prefix + name, news[name]) if name in news else None
            if was and now and was.is_folder and now.is_folder:
                if was.oid != now.oid:
                    self._new.count()
                    self._pending.append((was, now))
                continue
            self._collect(was, now)

    def _collect(self, was: TreeEntry | None, now: TreeEntry | None) -> None:
        if was:
            self.before.update((entry.path, entry) for entry in self._old.at(was))
        if now:
            self.after.update((entry.path, entry) for entry in self._new.at(now))


def _unreasonable() -> TooLarge:
    return TooLarge(
        f"The repository has more than {LIMITS.max_repository_files:,} files and folders.",
        remedy="Raise PORTOLAN_MAX_REPOSITORY_FILES if the repository is meant to be that large.",
    )
