"""Fetching into a mirror: everything that a remote has, or as much as it can send.

Git sends nothing of what is asked for when the remote lacks an object of it, as partial clones lack
files of their history. Then only the refs that are indexed are asked for, and at last only what
they name now. Such a mirror keeps a digest of what the remote listed, since its refs do not tell
whether the remote has changed.
"""

import hashlib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import islice
from pathlib import Path

from web.library.git.command import run_git
from web.library.git.credentials import Transport
from web.library.git.failures import GitFailed, lacks_objects
from web.library.git.remotes import RemoteRefs

HEAD_REF = "refs/portolan/head"
_EVERYTHING = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
_PARTIAL = "portolan-partial"
_MANY_NAMES = 2000  # a command line has a bound
_MANY_LOOSE_REFS = 1000
_PROGRESS = re.compile(r"([A-Z][a-z]+ \w+):\s+(\d+)%(?:.*\|\s+(\S+ [KMG]iB/s))?")


class Fetch:
    """One way to bring what a remote has into mirrors; `lock` is that of the mirror.

    `on_progress` gets what git does and how many percent of it are done.
    """

    def __init__(
        self,
        way: Transport,
        remote: RemoteRefs,
        *,
        lock: int,
        on_progress: Callable[[str, int], None] | None,
    ) -> None:
        self._way = way
        self._remote = remote
        self._lock = lock
        self._on_progress = on_progress

    def everything(self, folder: Path) -> None:
        """Fetch all branches and tags with their history; what is gone there goes.

        A mirror of a shallow copy becomes complete as soon as its remote is. Raises GitFailed.
        """
        self._run(folder, _EVERYTHING, completed=(folder / "shallow").exists())
        (folder / _PARTIAL).unlink(missing_ok=True)

    def what_is_there(self, folder: Path, *, names: Collection[str]) -> None:
        """Fetch the refs of these names alone, without history where that is not sent.

        All others go. Raises GitFailed where the remote lacks objects of what they name now.
        """
        specs = [f"+{name}:{name}" for name in names] if len(names) < _MANY_NAMES else _EVERYTHING
        try:
            self._run(folder, specs)
        except GitFailed as failure:
            if not lacks_objects(failure):
                raise
            self._run(folder, specs, newest_only=True)
        _remove_refs(folder, keep={HEAD_REF, *names})
        (folder / _PARTIAL).write_text(_digest(self._remote, names))

    def _run(
        self,
        folder: Path,
        specs: Sequence[str],
        *,
        completed: bool = False,
        newest_only: bool = False,
    ) -> None:
        past = ["--unshallow"] if completed else []
        depth = ["--depth=1"] if newest_only else []
        way = self._way
        head = [f"+HEAD:{HEAD_REF}"] if self._remote.head else []
        run_git(
            "fetch",
            "--prune",
            "--no-tags",
            "--force",
            "--update-shallow",
            "--no-write-fetch-head",
            "--no-auto-maintenance",
            "--no-recurse-submodules",
            "--progress",
            *past,
            *depth,
            operands=[way.address.text, *specs, *head],
            mirror=folder,
            configuration=way.configuration,
            environment=way.environment,
            local=way.address.is_local,
            keep_open=[self._lock],
            on_progress=self._pass_on,
        )
        if not self._remote.head:
            run_git("update-ref", "-d", operands=[HEAD_REF], mirror=folder)
        if _has_many_loose_refs(folder):
            run_git("pack-refs", "--all", mirror=folder, keep_open=[self._lock])

    def _pass_on(self, line: str) -> None:
        if self._on_progress is not None and (match := _PROGRESS.search(line)):
            speed = f" at {match[3]}" if match[3] else ""
            self._on_progress(f"{match[1].lower()}{speed}", int(match[2]))


def _remove_refs(folder: Path, *, keep: Collection[str]) -> None:
    listed = run_git("for-each-ref", "--format=%(refname)", mirror=folder)
    for name in listed.decode("utf-8", "surrogateescape").split():
        if name not in keep:
            run_git("update-ref", "-d", operands=[name], mirror=folder)


def is_as_fetched(
    folder: Path,
    present: Mapping[str, str],
    remote: RemoteRefs,
    *,
    names: Callable[[], Collection[str]],
) -> bool:
    """Say whether a mirror with the refs `present` has what there is to have of the remote."""
    if present == remote.objects | ({HEAD_REF: remote.head} if remote.head else {}):
        return True
    try:
        digest = (folder / _PARTIAL).read_text()
    except OSError:
        return False
    return digest == _digest(remote, names())


def _digest(remote: RemoteRefs, names: Collection[str]) -> str:
    facts = (sorted(remote.objects.items()), remote.head, sorted(names))
    return hashlib.sha256(repr(facts).encode()).hexdigest()


def _has_many_loose_refs(folder: Path) -> bool:
    """Say whether so many refs are files of their own that reading them takes seconds."""
    files = (folder / "refs").rglob("*")
    return next(islice(files, _MANY_LOOSE_REFS, None), None) is not None
