"""Reading from the mirrors' object stores: sizes, blobs, trees and commits, by id.

No git process is started and no ref is looked up here; what a caller may read is decided by the
index. Handles are shared by the threads of a process, one lock each.
"""

import os
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from heapq import nlargest
from itertools import islice

import pygit2
from pygit2.enums import ObjectType, ReferenceFilter, SortMode

from web.core.errors import InvalidInput, TooLarge, Unavailable
from web.core.limits import LIMITS
from web.library.git.mirrors import mirror_path
from web.library.git.remotes import ref_text
from web.library.records.history import CommitSummary

_OPEN_HANDLES = 64
_LATEST = datetime(9999, 12, 31, tzinfo=UTC)
_EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)

# Mirrors are our own folders, whoever made them; and what is read is read once, so that a cache of
# objects would only take memory. Git made the objects' names when it fetched them, and what zlib
# unpacks has a checksum: to hash each object again takes a third of the time of reading it.
pygit2.settings.owner_validation = False
pygit2.settings.enable_caching(False)
pygit2.settings.enable_strict_hash_verification(False)
pygit2.settings.mwindow_size = 16 * 1024 * 1024
_MAPPED_BYTES = 128 * 1024 * 1024
_MAPPED_BYTES_OF_A_SYNC = 48 * 1024 * 1024
pygit2.settings.mwindow_mapped_limit = _MAPPED_BYTES


@dataclass(slots=True)
class _Handle:
    repository: pygit2.Repository
    made: tuple[int, int]
    lock: threading.Lock = field(default_factory=threading.Lock)


_handles: OrderedDict[str, _Handle] = OrderedDict()
_handles_lock = threading.Lock()


class ObjectStore:
    """The objects of one repository's mirror.

    Every method raises Unavailable when the mirror or the object is not there, so that a reader
    can degrade.
    """

    def __init__(self, repository_id: int) -> None:
        self.repository_id = repository_id
        self._path = str(mirror_path(repository_id))

    def size(self, oid: str) -> int:
        """Return the size of a blob in bytes, from its header alone."""
        with self._open() as repository:
            return _blob_size(repository, pygit2.Oid(hex=oid))

    def blob(self, oid: str, *, max_bytes: int = LIMITS.max_readable_file_bytes) -> bytes:
        """Return a blob's bytes. Raises TooLarge, before reading, for one over `max_bytes`."""
        with self._open() as repository:
            found = pygit2.Oid(hex=oid)
            size = _blob_size(repository, found)
            if size <= max_bytes:
                return bytes(repository.odb.read(found)[1])
        raise TooLarge(
            f"The file has {size:,} bytes; at most {max_bytes:,} are read.",
            hint="Clone the repository to work with a file of this size.",
        )

    def tree(self, oid: str) -> bytes:
        """Return a tree as git stores it. Raises TooLarge for one over LIMITS.max_folder_bytes."""
        with self._open() as repository:
            found = pygit2.Oid(hex=oid)
            kind, size = repository.odb.read_header(found)
            if kind != ObjectType.TREE:
                raise _missing()
            if size <= LIMITS.max_folder_bytes:
                return bytes(repository.odb.read(found)[1])
        raise TooLarge(
            f"A folder of the repository takes {size:,} bytes; at most "
            f"{LIMITS.max_folder_bytes:,} are read.",
            remedy="Raise PORTOLAN_MAX_FOLDER_BYTES if the folder is meant to be that large.",
        )

    def tree_of(self, commit: str) -> str:
        """Return the id of a commit's tree."""
        with self._open() as repository:
            found = repository.get(commit)
            if not isinstance(found, pygit2.Commit):
                raise _missing()
            return str(found.tree_id)

    def targets(self) -> dict[str, str]:
        """Return what the mirror's refs name, as git has it; empty where they cannot be read."""
        try:
            with self._open() as repository:
                return {
                    ref.raw_name.decode("utf-8", "surrogateescape"): str(ref.target)
                    for ref in repository.references.iterator()
                }
        except Unavailable:
            return {}

    def refs(self) -> dict[str, str]:
        """Return the commits of the mirror's refs by full name, as `ref_text` has it.

        Refs that are no commit are absent.
        """
        found: dict[str, str] = {}
        with self._open() as repository:
            for raw in repository.raw_listall_references():
                try:
                    name = raw.decode("utf-8", "surrogateescape")
                    commit = repository.references[name].peel(pygit2.Commit)
                except (KeyError, ValueError, pygit2.GitError):
                    continue
                found[ref_text(raw)] = str(commit.id)
        return found

    def newest_tags(self, *, limit: int) -> tuple[str, ...]:
        """Return the names of the tags with the newest commits, newest first, at most `limit`."""
        dated: list[tuple[int, str]] = []
        with self._open() as repository:
            for tag in repository.references.iterator(ReferenceFilter.TAGS):
                with suppress(KeyError, ValueError, pygit2.GitError):
                    dated.append((tag.peel(pygit2.Commit).commit_time, ref_text(tag.raw_name)))
        return tuple(name.removeprefix("refs/tags/") for _, name in nlargest(limit, dated))

    def is_damaged(self) -> bool:
        """Say whether an object that a ref names, or the top folder of its commit, is unreadable.

        Damage further down is only found by reading it.
        """
        try:
            with self._open() as repository:
                for raw in repository.raw_listall_references():
                    reference = repository.references[raw.decode("utf-8", "surrogateescape")]
                    _check_readable(repository, pygit2.Oid(hex=str(reference.resolve().target)))
        except Unavailable:
            return True
        return False

    def commit(self, oid: str) -> CommitSummary:
        """Return one commit."""
        return self.commits(commit=oid, limit=1)[0]

    def commits(self, *, commit: str, limit: int) -> tuple[CommitSummary, ...]:
        """Return `commit` and the ones before it, newest first, at most `limit`.

        History that a shallow copy lacks is silently the end of it.
        """
        with self._open() as repository:
            if not isinstance(repository.get(commit), pygit2.Commit):
                raise _missing()
            walk = CommitWalk(repository, commit)
            return tuple(summary_of(found) for found in islice(walk, limit))

    def commit_id(self, beginning: str) -> str | None:
        """Return the full id of the commit whose id begins so, None where there is none.

        `beginning` is hexadecimal. Raises InvalidInput where several objects begin so.
        """
        with self._open() as repository:
            try:
                oid = repository.expand_id(beginning)
            except KeyError:
                return None
            except ValueError as error:
                raise InvalidInput(
                    f"Several objects begin with {beginning!r}.",
                    hint="Give more characters of the commit's id.",
                    fields={"commit": "is the beginning of several ids"},
                ) from error
            return str(oid) if isinstance(repository.get(oid), pygit2.Commit) else None

    @contextmanager
    def opened_apart(self) -> Iterator[pygit2.Repository]:
        """Open a handle of one's own, for long walks that must not hold up other readers."""
        try:
            yield pygit2.Repository(self._path, pygit2.enums.RepositoryOpenFlag.BARE)
        except (KeyError, ValueError, pygit2.GitError, OSError) as error:
            raise _missing() from error

    @contextmanager
    def _open(self) -> Iterator[pygit2.Repository]:
        handle = _handle(self._path)
        try:
            with handle.lock:
                yield handle.repository
        except (KeyError, ValueError, pygit2.GitError, OSError) as error:
            raise _missing() from error


@contextmanager
def few_pages_mapped() -> Iterator[None]:
    """Let libgit2 keep less of its packs mapped than for reading here and there.

    A sync reads each blob once, of one mirror after the other; the pages that it leaves behind
    would count as memory of the process.
    """
    pygit2.settings.mwindow_mapped_limit = _MAPPED_BYTES_OF_A_SYNC
    try:
        yield
    finally:
        pygit2.settings.mwindow_mapped_limit = _MAPPED_BYTES


def _check_readable(repository: pygit2.Repository, oid: pygit2.Oid) -> None:
    """Raise what pygit2 raises for a tag, a commit or the folder of one that cannot be read."""
    kind, _ = repository.odb.read_header(oid)
    named = repository[oid] if kind in (ObjectType.TAG, ObjectType.COMMIT) else None
    if isinstance(named, pygit2.Tag):
        _check_readable(repository, named.target)
    elif isinstance(named, pygit2.Commit):
        repository.odb.read(named.tree_id)


def _blob_size(repository: pygit2.Repository, oid: pygit2.Oid) -> int:
    kind, size = repository.odb.read_header(oid)
    if kind != ObjectType.BLOB:
        raise _missing()
    return int(size)


def _handle(path: str) -> _Handle:
    """Return the open handle of a mirror; a mirror that was made anew gets a new one."""
    try:
        # A mirror made anew is another folder; one whose history became complete lost a file.
        status = os.stat(path)  # noqa: PTH116 - called per read
        made = (status.st_ino, status.st_mtime_ns)
    except OSError as error:
        raise _missing() from error
    with _handles_lock:
        handle = _handles.get(path)
        if handle is None or handle.made != made:
            try:
                opened = pygit2.Repository(path, pygit2.enums.RepositoryOpenFlag.BARE)
            except pygit2.GitError as error:
                raise _missing() from error
            handle = _handles[path] = _Handle(opened, made)
        _handles.move_to_end(path)
        while len(_handles) > _OPEN_HANDLES:
            _handles.popitem(last=False)
    return handle


class CommitWalk(Iterator[pygit2.Commit]):
    """A commit and the ones before it, newest first as `git log` does, until one is missing.

    `lacks_history` says so, or that a shallow copy ended; it is known when the walk is over.
    """

    def __init__(self, repository: pygit2.Repository, commit: str) -> None:
        # Sorted by time, libgit2 would read the whole history first and mix up commits of one
        # second.
        self._walker = repository.walk(pygit2.Oid(hex=commit), SortMode.NONE)
        self._repository = repository
        self._is_shallow = repository.is_shallow
        self.lacks_history = False

    def __next__(self) -> pygit2.Commit:
        """Return the next commit."""
        try:
            found = next(self._walker)
        except (KeyError, pygit2.GitError):
            self.lacks_history = True
            raise StopIteration from None
        if self._is_shallow and not found.parent_ids:
            self.lacks_history |= bool(parents_of(self._repository, found))
        return found


def parents_of(repository: pygit2.Repository, commit: pygit2.Commit) -> tuple[str, ...]:
    """Return the ids of a commit's parents as it names them, also where a shallow copy ends."""
    header = bytes(repository.odb.read(commit.id)[1]).partition(b"\n\n")[0]
    lines = header.decode("ascii", "replace").split("\n")
    return tuple(line.removeprefix("parent ") for line in lines if line.startswith("parent "))


def commit_text(commit: pygit2.Commit, raw: bytes) -> str:
    """Return bytes of a commit in the charset that its header names, as git does, else as UTF-8.

    Those that are no text in it become replacement characters.
    """
    with suppress(ValueError, LookupError):
        return raw.decode(commit.message_encoding or "utf-8").replace("\0", "")
    return raw.decode("utf-8", "replace").replace("\0", "")


def summary_of(commit: pygit2.Commit) -> CommitSummary:
    """Return a commit as it is listed; its text is that of `commit_text`."""
    subject = commit_text(commit, commit.raw_message).strip().partition("\n")[0]
    return CommitSummary(
        commit=str(commit.id),
        author=commit_text(commit, commit.author.raw_name),
        committed_at=_instant(commit.commit_time),
        subject=subject.rstrip("\r"),
    )


def _instant(seconds: int) -> datetime:
    """Return a commit's time; those that no calendar knows become its first or last day."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return _LATEST if seconds > 0 else _EARLIEST


def _missing() -> Unavailable:
    return Unavailable(
        "The repository's copy does not have this object.",
        hint="Ask whoever runs this server to copy the repository anew.",
    )
