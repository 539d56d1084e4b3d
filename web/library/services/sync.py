"""Syncing repositories: now, or later by the worker; what a failure leaves is recorded here."""

import errno
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from time import monotonic

from django.db import DatabaseError, OperationalError
from django.tasks import DEFAULT_TASK_BACKEND_ALIAS, task_backends
from django_tasks_db import DatabaseBackend

from web.core import clock
from web.core.errors import PortolanError, Unavailable
from web.core.limits import LIMITS
from web.core.logs import ANSWER
from web.core.refusals import refusal_pause
from web.core.transactions import write_transaction
from web.library.git.locks import mirror_lock
from web.library.git.objects import ObjectStore
from web.library.indexing.collect import collect, forgotten_contents, retire_contents
from web.library.indexing.progress import ProgressReporter, SyncProgress
from web.library.indexing.publish import raise_generation
from web.library.indexing.refs import unmatched_patterns
from web.library.indexing.statements import index_transaction
from web.library.indexing.sync import RepositorySync, SyncResult
from web.library.models import Repository
from web.library.services.credentials import credential_of
from web.library.services.repositories import end_pause, repository_named

logger = logging.getLogger(__name__)

_NO_COMMIT = "The repository has no commit yet. It is indexed once something is pushed."
_STOPPED = Unavailable("The sync was stopped.", hint="Sync again.")
_UNEXPECTED = Unavailable(
    "The sync stopped because of an unexpected error.",
    hint="The log of the worker has the details.",
)


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync did. `outcome` is updated, unchanged or empty (no commit yet).

    `files_read` counts the entries that were looked at, `contents_written` those that were new;
    `unmatched_patterns` are those of the tracked refs that no tag or branch matches.
    """

    repository: str
    outcome: str
    changed_refs: tuple[str, ...]
    removed_refs: tuple[str, ...]
    files_read: int
    contents_written: int
    contents_removed: int
    bytes_read: int
    seconds: float
    unmatched_patterns: tuple[str, ...] = ()


def repository_sync(
    *,
    name: str,
    progress: Callable[[SyncProgress], None] | None = None,
    wait_seconds: float = LIMITS.git_timeout_seconds,
    on_wait: Callable[[], None] | None = None,
    force: bool = False,
) -> SyncReport:
    """Bring a repository's index up to date and return what was done.

    With `force` the mirror is copied anew, whatever it has; a site is crawled now, and every page
    of it asked for as if it were new.

    Raises NotFound for an unknown name, Conflict when another sync of it goes on for longer than
    `wait_seconds`, and Unavailable, InvalidInput, TooLarge, NotAllowed or TooManyRequests when it
    fails: then the old index stays, and the repository says why and since when it is stale, and
    after the last two until when rounds leave its remote alone.
    """
    repository_id = repository_named(name).pk
    started = monotonic()
    with mirror_lock(repository_id, wait_seconds=wait_seconds, on_wait=on_wait) as lock:
        # Read again: while this waited, the other sync or an edit changed it.
        repository = repository_named(name)
        asked_with = _asked_with(repository_id)
        unfinished = repository.sync_started_at is not None or repository.stale_since is not None
        with _failure_told(repository, partial(_record_failure, asked_with=asked_with)):
            Repository.objects.filter(pk=repository_id).update(sync_started_at=clock.now())
            sync = RepositorySync(
                repository,
                lock=lock,
                reporter=ProgressReporter(repository_id, progress),
                credential=credential_of(repository),
                after_failure=unfinished,
                force=force,
            )
            result = sync.run()
            _record_success(repository, result)
    report = _report(name, result, monotonic() - started)
    patterns = repository.tracked_refs
    unmatched = unmatched_patterns(ObjectStore(repository_id), patterns=patterns)
    return replace(report, unmatched_patterns=unmatched if result.has_commit else ())


def repository_rebuild(
    *,
    name: str,
    progress: Callable[[SyncProgress], None] | None = None,
    wait_seconds: float = LIMITS.git_timeout_seconds,
    on_wait: Callable[[], None] | None = None,
) -> SyncReport:
    """Read a repository's mirror anew, without its remote, and replace its index.

    The old index is served until the new one takes its place in one transaction, and stays when
    this fails. Whether it is stale does not change. Raises as `repository_sync` does.
    """
    repository_id = repository_named(name).pk
    started = monotonic()
    with mirror_lock(repository_id, wait_seconds=wait_seconds, on_wait=on_wait) as lock:
        repository = repository_named(name)
        state = Repository.objects.filter(pk=repository_id)
        try:
            with _failure_told(repository, _forget_half_rebuilt):
                state.update(sync_started_at=clock.now())
                with index_transaction():
                    retire_contents(repository_id)
                sync = RepositorySync(
                    repository,
                    lock=lock,
                    reporter=ProgressReporter(repository_id, progress),
                    after_failure=True,
                    from_mirror=True,
                )
                result = sync.run()
        finally:
            _record_end(repository)
    return _report(name, result, monotonic() - started)


def repository_sync_enqueue(*, name: str) -> bool:
    """Have the worker sync a repository; return whether it was not waiting for its turn already.

    One that waits is not queued twice. Raises NotFound for an unknown name.
    """
    from web.library.tasks import sync_repository

    repository_named(name)
    if not isinstance(task_backends[DEFAULT_TASK_BACKEND_ALIAS], DatabaseBackend):
        sync_repository.enqueue(name=name)
        return True
    with write_transaction("queue of syncs"):
        if _is_queued(sync_repository.module_path, name):
            return False
        sync_repository.enqueue(name=name)
    return True


def _is_queued(task_path: str, name: str) -> bool:
    from django_tasks_db.models import DBTaskResult

    waiting = DBTaskResult.objects.ready().filter(task_path=task_path)
    return waiting.filter(args_kwargs__kwargs__name=name).exists()


@contextmanager
def _failure_told(
    repository: Repository, record: Callable[[Repository, PortolanError], None]
) -> Iterator[None]:
    """Turn what goes wrong into one of our errors; `record` gets the repository and the error."""
    try:
        yield
    except PortolanError as error:
        logger.warning("The sync of %s failed: %s", repository.name, error, extra=ANSWER)
        record(repository, error)
        raise
    except (OSError, DatabaseError, MemoryError) as error:
        known = _known_failure(error)
        logger.exception("The sync of %s failed", repository.name)
        record(repository, known)
        raise known from error
    except (KeyboardInterrupt, SystemExit):
        logger.warning("The sync of %s was stopped", repository.name, extra=ANSWER)
        record(repository, _STOPPED)
        raise
    except BaseException:
        logger.exception("The sync of %s stopped", repository.name)
        record(repository, _UNEXPECTED)
        raise


def _known_failure(error: BaseException) -> PortolanError:
    """Return what an operating system's or a database's failure means."""
    text = str(error).lower()
    full = isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}
    if full or "disk is full" in text or "no space left" in text or "could not extend file" in text:
        return Unavailable(
            "The disk is full.", hint="Free space in the data folder, then sync again."
        )
    if isinstance(error, OperationalError) and "locked" in text:
        return Unavailable(
            "The database was busy for too long.", hint="Sync again; fewer workers write at once."
        )
    if isinstance(error, DatabaseError):
        return Unavailable("The database failed.", hint="Sync again; the log has the details.")
    if isinstance(error, MemoryError):
        return Unavailable(
            "The sync ran out of memory.", hint="Give the worker more, then sync again."
        )
    return Unavailable(
        "The data folder could not be read or written.",
        hint="Check its rights and that the disk works, then sync again.",
    )


def _record_success(repository: Repository, result: SyncResult) -> None:
    """Record a sync that went well; answers that are cached say whether the index is stale."""
    now = clock.now()
    stale_since = None if result.has_commit else (repository.stale_since or now)
    with index_transaction():
        Repository.objects.filter(pk=repository.pk).update(
            sync_started_at=None,
            synced_at=now,
            stale_since=stale_since,
            sync_error="" if result.has_commit else _NO_COMMIT,
            sync_hint="",
            sync_progress={},
        )
        end_pause(repository.pk)
        if (repository.stale_since is None) != (stale_since is None):
            raise_generation()


def _asked_with(repository_id: int) -> tuple[str, datetime | None]:
    """Return what a remote is asked with: the address, and when its credential was set."""
    asked_with = Repository.objects.values_list("url", "credential__set_at")
    return asked_with.get(pk=repository_id)


def _record_failure(
    repository: Repository, error: PortolanError, *, asked_with: tuple[str, datetime | None]
) -> None:
    """Mark the index as stale; where even that fails the log has to do."""
    try:
        with index_transaction():
            _record_refusal(repository, error, asked_with=asked_with)
            Repository.objects.filter(pk=repository.pk).update(
                sync_started_at=None,
                stale_since=repository.stale_since or clock.now(),
                sync_error=error.message,
                sync_hint=error.advice,
                sync_progress={},
            )
            if repository.stale_since is None or repository.sync_error != error.message:
                raise_generation()
    except DatabaseError:
        logger.exception("The failed sync of %s could not be recorded", repository.name)


def _record_refusal(
    repository: Repository, error: PortolanError, *, asked_with: tuple[str, datetime | None]
) -> None:
    """Have rounds leave a remote alone that refuses; not where it was asked with something old."""
    # A change of the credential from now on waits for this transaction, and ends the pause.
    refusals = Repository.objects.select_for_update().get(pk=repository.pk).sync_refusals
    pause = refusal_pause(error, earlier=refusals)
    state = Repository.objects.filter(pk=repository.pk)
    if pause is None or asked_with != _asked_with(repository.pk):
        state.update(sync_refused_at=None, sync_retry_at=None)
        return
    now = clock.now()
    state.update(sync_refusals=refusals + 1, sync_refused_at=now, sync_retry_at=now + pause)


def _record_end(repository: Repository) -> None:
    """Note that nothing goes on any more; where even that fails the next start does."""
    try:
        Repository.objects.filter(pk=repository.pk).update(sync_started_at=None, sync_progress={})
    except DatabaseError:
        logger.exception("The end of the rebuild of %s could not be recorded", repository.name)


def _forget_half_rebuilt(repository: Repository, _error: PortolanError) -> None:
    """Remove what a rebuild wrote that no view shows; where even that fails a later one does."""
    try:
        collect(forgotten_contents(repository.pk), repository_id=repository.pk)
    except DatabaseError:
        logger.exception("The half rebuilt index of %s could not be removed", repository.name)


def _report(name: str, result: SyncResult, seconds: float) -> SyncReport:
    changed = bool(result.changed_refs or result.removed_refs)
    outcome = ("updated" if changed else "unchanged") if result.has_commit else "empty"
    return SyncReport(
        repository=name,
        outcome=outcome,
        changed_refs=tuple(result.changed_refs),
        removed_refs=tuple(result.removed_refs),
        files_read=result.files_read,
        contents_written=result.contents_written,
        contents_removed=result.contents_removed,
        bytes_read=result.bytes_read,
        seconds=seconds,
    )
