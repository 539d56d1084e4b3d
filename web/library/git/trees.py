"""Trees: which paths a commit has, and what changed between two of them.

Trees are read as git stores them, so a path of any bytes is read, and comparing two trees opens
only the folders that differ.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from stat import S_IFMT

from web.core.errors import TooLarge, Unavailable
from web.core.limits import LIMITS
from web.library.git.objects import ObjectStore

FOLDER, SYMLINK, SUBMODULE = 0o040000, 0o120000, 0o160000
_OID_BYTES = 20
_ESCAPE = re.compile(rb"\\x[0-9a-f]{2}")
_MAX_PATH_BYTES = 4096  # Linux' own bound; deeper trees exist only to exhaust their reader


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file, symbolic link or submodule at a path, whose bytes are as git has them."""

    path: bytes
    mode: int
    oid: str

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


def entries_of(store: ObjectStore, tree: str) -> Iterator[TreeEntry]:
    """Yield everything but folders below a tree, in git's order."""
    yield from _walk(store, tree, b"")


def changes_between(store: ObjectStore, old: str, new: str) -> TreeChanges:
    """Compare two trees by object id and mode."""
    comparison = _Comparison(store)
    comparison.run(old, new)
    return TreeChanges(
        removed=tuple(comparison.before.values()), written=tuple(comparison.after.values())
    )


def path_text(path: bytes) -> str:
    r"""Return a path as text; in one that is not UTF-8 the odd bytes are shown as `\xNN`.

    No two paths have the same text: in one that holds such an escape itself, and in one with odd
    bytes, a backslash is shown as `\x5c`.
    """
    if b"\\" in path and (_ESCAPE.search(path) or not _is_text(path)):
        path = path.replace(b"\\", b"\\x5c")
    return path.decode("utf-8", "backslashreplace")


def path_bytes(text: str) -> bytes:
    """Return the path that `path_text` shows so."""
    return _ESCAPE.sub(
        lambda match: bytes([int(match[0][2:], 16)]), text.encode("utf-8", "replace")
    )


def _is_text(path: bytes) -> bool:
    try:
        path.decode()
    except UnicodeDecodeError:
        return False
    return True


def _children(store: ObjectStore, tree: str) -> dict[bytes, tuple[int, str]]:
    """Return the modes and ids of a folder's entries by name."""
    data = store.tree(tree)
    found: dict[bytes, tuple[int, str]] = {}
    position = 0
    try:
        while position < len(data):
            space = data.index(b" ", position)
            end = data.index(b"\0", space)
            oid = data[end + 1 : end + 1 + _OID_BYTES]
            found[data[space + 1 : end]] = (int(data[position:space], 8), oid.hex())
            position = end + 1 + _OID_BYTES
    except ValueError as error:
        raise Unavailable(
            "A folder of the repository is damaged.",
            hint="Run git fsck in the remote repository; sync again when it is mended.",
        ) from error
    return found


def _walk(store: ObjectStore, tree: str, prefix: bytes) -> Iterator[TreeEntry]:
    """Yield what is below a tree, depth first; never trust its depth or its size."""
    open_folders = [(prefix, iter(_children(store, tree).items()))]
    count = 0
    while open_folders:
        prefix, children = open_folders[-1]
        for name, (mode, oid) in children:
            path = prefix + name
            count += 1
            if count > LIMITS.max_repository_files or len(path) > _MAX_PATH_BYTES:
                raise _unreasonable()
            if S_IFMT(mode) == FOLDER:
                open_folders.append((path + b"/", iter(_children(store, oid).items())))
                break
            yield TreeEntry(path, mode, oid)
        else:
            open_folders.pop()


class _Comparison:
    """Two trees side by side: what is only in the old one, what is new or differs in the new."""

    def __init__(self, store: ObjectStore) -> None:
        self._store = store
        self.before: dict[bytes, TreeEntry] = {}
        self.after: dict[bytes, TreeEntry] = {}
        self._pending: list[tuple[bytes, str, str]] = []

    def run(self, old: str, new: str) -> None:
        """Compare two trees, opening only the folders that differ."""
        self._pending.append((b"", old, new))
        while self._pending:
            prefix, old, new = self._pending.pop()
            if old != new:
                self._compare_folder(
                    prefix, _children(self._store, old), _children(self._store, new)
                )

    def _compare_folder(
        self,
        prefix: bytes,
        olds: dict[bytes, tuple[int, str]],
        news: dict[bytes, tuple[int, str]],
    ) -> None:
        for name in olds.keys() | news.keys():
            was, now = olds.get(name), news.get(name)
            if was == now:
                continue
            path = prefix + name
            if was and now and S_IFMT(was[0]) == FOLDER == S_IFMT(now[0]):
                self._pending.append((path + b"/", was[1], now[1]))
                continue
            self._collect(path, was, self.before)
            self._collect(path, now, self.after)

    def _collect(
        self, path: bytes, side: tuple[int, str] | None, collected: dict[bytes, TreeEntry]
    ) -> None:
        if side is None:
            return
        if S_IFMT(side[0]) == FOLDER:
            found = _walk(self._store, side[1], path + b"/")
            collected.update((entry.path, entry) for entry in found)
        else:
            collected[path] = TreeEntry(path, *side)
        if len(collected) > LIMITS.max_repository_files or len(path) > _MAX_PATH_BYTES:
            raise _unreasonable()


def _unreasonable() -> TooLarge:
    return TooLarge(
        f"The repository has more than {LIMITS.max_repository_files:,} files, or a path of more "
        f"than {_MAX_PATH_BYTES:,} bytes.",
        hint="Raise PORTOLAN_MAX_REPOSITORY_FILES if the repository is meant to be that large.",
    )
