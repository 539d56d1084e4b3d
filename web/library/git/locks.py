"""Who may change a mirror: one lock per repository, held by who syncs, rebuilds or removes it."""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from web.core.errors import Conflict
from web.library.git.mirrors import mirrors_folder


@contextmanager
def mirror_lock(
    repository_id: int, *, wait_seconds: float, on_wait: Callable[[], None] | None = None
) -> Iterator[int]:
    """Hold the repository's lock, which ends with the process and the git that it started.

    Yields the lock's file descriptor for git to inherit. Raises Conflict when another sync holds
    it for longer than `wait_seconds`; `on_wait` is called once when there is something to wait for.
    """
    mirrors_folder().mkdir(parents=True, exist_ok=True)
    path = mirrors_folder() / f"{repository_id}.lock"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        _lock(descriptor, wait_seconds, on_wait)
        yield descriptor
    finally:
        os.close(descriptor)


def is_locked(repository_id: int) -> bool:
    """Say whether somebody holds the repository's lock just now."""
    try:
        descriptor = os.open(mirrors_folder() / f"{repository_id}.lock", os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _lock(descriptor: int, wait_seconds: float, on_wait: Callable[[], None] | None) -> None:
    deadline = time.monotonic() + wait_seconds
    told = False
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise Conflict(
                    "Another sync of this repository is running.",
                    hint="Wait until it is done; its progress is on the repository's page.",
                ) from None
            if on_wait is not None and not told:
                on_wait()
            told = True
            time.sleep(0.2)
        else:
            return
