"""Syncing: what is told, what a failure leaves behind, and syncs that meet each other."""

import errno
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.tasks import task_backends
from django_tasks_db.models import DBTaskResult

from tests.gitrepos import GitRepository
from tests.library import add_and_sync, index_state
from web.accounts.principals import ANONYMOUS
from web.core import clock
from web.core.errors import Conflict, NotFound, Unavailable
from web.library.git.locks import mirror_lock
from web.library.git.mirrors import mirror_path, mirrors_folder
from web.library.git.objects import ObjectStore
from web.library.indexing import progress as progress_module
from web.library.indexing import sync as indexing_sync
from web.library.indexing.progress import SyncProgress
from web.library.models import Repository
from web.library.selectors.files import file_lines
from web.library.selectors.generation import index_generation
from web.library.services import sync as service
from web.library.services.repositories import repository_add, repository_remove
from web.library.services.sync import repository_sync, repository_sync_enqueue
from web.library.tasks import sync_repository

pytestmark = pytest.mark.django_db


def _repository() -> Repository:
    return Repository.objects.get(name="project")


def test_first_sync_is_reported(origin: GitRepository) -> None:
    origin.write({"a.py": "A = 1\n", "b.py": "B = 1\n", "c.bin": b"\0"}).commit()
    report = add_and_sync("project", origin.url)
    assert (report.repository, report.outcome, report.changed_refs) == (
        "project",
        "updated",
        ("main",),
    )
    assert (report.files_read, report.contents_written, report.bytes_read) == (3, 2, 12)
    repository = _repository()
    assert repository.synced_at is not None
    assert (repository.stale_since, repository.sync_error) == (None, "")
    assert (repository.sync_started_at, repository.sync_progress) == (None, {})


def test_unknown_repository_is_not_found() -> None:
    with pytest.raises(NotFound):
        repository_sync(name="nothing")
    with pytest.raises(NotFound):
        repository_sync_enqueue(name="nothing")


def test_repository_without_a_commit_says_so_and_is_indexed_later(origin: GitRepository) -> None:
    report = add_and_sync("project", origin.url)
    assert report.outcome == "empty"
    assert _repository().stale_since is not None
    assert "no commit yet" in _repository().sync_error
    origin.write({"a.py": "A = 1\n"}).commit()
    assert repository_sync(name="project").outcome == "updated"
    assert (_repository().stale_since, _repository().sync_error) == (None, "")


def test_progress_is_told_phase_by_phase(origin: GitRepository) -> None:
    origin.write({f"n{n}.py": f"N = {n}\n" for n in range(20)}).commit()
    repository_add(name="project", url=origin.url)
    seen: list[SyncProgress] = []
    repository_sync(name="project", progress=seen.append)
    phases = list(dict.fromkeys(state.phase for state in seen))
    assert phases == ["fetching", "comparing", "indexing", "publishing"]
    assert next(state for state in seen if state.phase == "indexing").total == 20


def test_progress_is_kept_for_the_page_while_a_sync_runs(
    origin: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin.write({f"n{n}.py": f"N = {n}\n" for n in range(30)}).commit()
    repository_add(name="project", url=origin.url)
    monkeypatch.setattr(progress_module, "_SECONDS_BETWEEN_RECORDS", 0.0)
    small = indexing_sync.LIMITS.model_copy(update={"index_batch_files": 10})
    monkeypatch.setattr(indexing_sync, "LIMITS", small)
    kept: list[Any] = []
    repository_sync(
        name="project", progress=lambda _state: kept.append(_repository().sync_progress)
    )
    assert any(state.get("phase") == "indexing" and state["total"] == 30 for state in kept)
    assert _repository().sync_progress == {}


@contextmanager
def _failing_with(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def fail(*_arguments: Any, **_options: Any) -> None:
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(indexing_sync, "write_contents", fail)
        yield


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "/srv/secret/x"), "The disk is full."),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), "The disk is full."),
        (OperationalError("database or disk is full"), "The disk is full."),
        (OperationalError("could not extend file: No space left on device"), "The disk is full."),
        (OperationalError("database is locked"), "busy for too long"),
        (OperationalError("server closed the connection"), "The database failed."),
        (PermissionError(errno.EACCES, "Permission denied", "/srv/secret"), "data folder"),
        (MemoryError(), "ran out of memory"),
    ],
)
def test_failure_keeps_the_old_index_and_says_why_in_a_sentence(
    error: BaseException, message: str, origin: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin.write({"a.py": "A = 1\n"}).commit()
    add_and_sync("project", origin.url)
    state, generation = index_state("project"), index_generation()
    origin.write({"a.py": "A = 2\n"}).commit()
    with _failing_with(error, monkeypatch), pytest.raises(Unavailable) as failed:
        repository_sync(name="project")
    assert message in str(failed.value)
    assert failed.value.hint
    assert "/srv" not in str(failed.value)
    assert index_state("project") == state
    assert _repository().stale_since is not None
    assert (_repository().sync_error, _repository().sync_hint) == (
        failed.value.message,
        failed.value.hint,
    )
    assert _repository().sync_started_at is None
    assert index_generation() > generation
    assert repository_sync(name="project").outcome == "updated"


@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
def test_database_that_is_really_full_is_told_as_a_full_disk(origin: GitRepository) -> None:
    origin.write({"a.py": "A = 1\n"}).commit()
    add_and_sync("project", origin.url)
    state = index_state("project")
    origin.write({f"n{n}.py": f"NAME_{n} = '{n * 7919}'\n" * 50 for n in range(150)}).commit()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")  # pages that earlier tests left free would still be there to fill
        cursor.execute("PRAGMA page_count")
        pages = cursor.fetchone()[0]
        cursor.execute(f"PRAGMA max_page_count = {pages + 8}")
        try:
            with pytest.raises(Unavailable, match="The disk is full"):
                repository_sync(name="project")
        finally:
            cursor.execute("PRAGMA max_page_count = 1073741823")
    assert index_state("project") == state
    repository_sync(name="project")
    assert index_state("project") != state
    repository_remove(name="project")  # the full-text tables are not emptied between tests


def test_unexpected_error_is_recorded_without_its_words_and_raised(
    origin: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin.write({"a.py": "A = 1\n"}).commit()
    repository_add(name="project", url=origin.url)
    with (
        _failing_with(RuntimeError("secret words"), monkeypatch),
        pytest.raises(RuntimeError, match="secret words"),
    ):
        repository_sync(name="project")
    assert "unexpected error" in _repository().sync_error
    assert "secret" not in _repository().sync_error


def _without_data(folder: Path) -> None:
    for path in [folder, *folder.rglob("*")]:
        if path.is_file():
            path.chmod(0o600)
            path.write_bytes(b"")


@pytest.mark.parametrize(
    ("damage", "force"),
    [
        (lambda mirror: (mirror / "HEAD").write_bytes(b""), False),
        (lambda mirror: (mirror / "config").write_text("[broken"), False),
        (lambda mirror: shutil.rmtree(mirror / "refs"), False),
        (lambda mirror: shutil.rmtree(mirror / "objects"), False),
        (lambda mirror: (mirror / "refs/heads/main").write_bytes(b""), False),
        (lambda mirror: (mirror / "refs/heads/main").write_text("garbage"), False),
        (lambda mirror: _without_data(mirror / "objects"), False),
        (lambda mirror: _without_data(next((mirror / "objects").glob("76"))), True),
    ],
)
def test_damaged_mirror_is_copied_anew(
    damage: Callable[[Path], object], force: bool, origin: GitRepository
) -> None:
    origin.write({"a.py": "A = 1\n"}).commit()
    add_and_sync("project", origin.url)
    state = index_state("project")
    blob = origin.git("rev-parse", "HEAD:a.py").decode().strip()
    assert blob.startswith("76")
    damage(mirror_path(_repository().pk))
    assert repository_sync(name="project", force=force).outcome == "unchanged"
    assert ObjectStore(_repository().pk).blob(blob) == b"A = 1\n"
    assert _repository().stale_since is None
    assert index_state("project") == state
    assert not list(mirrors_folder().glob("*.new"))


def test_damaged_mirror_stays_until_its_copy_is_complete(
    origin: GitRepository, tmp_path: Path
) -> None:
    origin.write({"a.py": "A = 1\n"}).commit()
    add_and_sync("project", origin.url)
    (mirror_path(_repository().pk) / "refs/heads/main").write_text("garbage")
    for path in (origin.path / ".git/objects").rglob("*"):
        if path.is_file():
            path.unlink()
    with pytest.raises(Unavailable):
        repository_sync(name="project")
    assert file_lines(principal=ANONYMOUS, repository="project", path="a.py").lines == ("A = 1",)
    assert not list(mirrors_folder().glob("*.new"))


def test_stopped_sync_is_recorded_as_stopped(
    origin: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin.write({"a.py": "A = 1\n"}).commit()
    repository_add(name="project", url=origin.url)
    with _failing_with(KeyboardInterrupt(), monkeypatch), pytest.raises(KeyboardInterrupt):
        repository_sync(name="project")
    assert _repository().sync_error == "The sync was stopped."


def test_stale_since_is_the_first_failure_and_the_reason_the_last(
    origin: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin.write({"a.py": "A = 1\n"}).commit()
    repository_add(name="project", url=origin.url)
    first = datetime(2026, 1, 1, tzinfo=UTC)
    monkeypatch.setattr(clock, "_now", lambda: first)
    with _failing_with(MemoryError(), monkeypatch), pytest.raises(Unavailable):
        repository_sync(name="project")
    monkeypatch.setattr(clock, "_now", lambda: datetime(2026, 1, 2, tzinfo=UTC))
    full = OSError(errno.ENOSPC, "full")
    with _failing_with(full, monkeypatch), pytest.raises(Unavailable):
        repository_sync(name="project")
    assert _repository().stale_since == first
    assert "disk is full" in _repository().sync_error


def test_second_sync_of_a_repository_waits_or_says_so(origin: GitRepository) -> None:
    origin.write({"a.py": "A = 1\n"}).commit()
    add_and_sync("project", origin.url)
    waited: list[bool] = []
    with mirror_lock(_repository().pk, wait_seconds=0), pytest.raises(Conflict):
        repository_sync(name="project", wait_seconds=0.01, on_wait=lambda: waited.append(True))
    assert waited == [True]
    assert _repository().stale_since is None
    assert repository_sync(name="project").outcome == "unchanged"


def test_failure_that_cannot_be_recorded_is_raised_all_the_same(
    origin: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin.write({"a.py": "A = 1\n"}).commit()
    repository_add(name="project", url=origin.url)

    @contextmanager
    def refusing() -> Iterator[None]:
        raise OperationalError from sqlite3.OperationalError("database or disk is full")
        yield

    full = OSError(errno.ENOSPC, "full")
    with _failing_with(full, monkeypatch):
        monkeypatch.setattr(service, "index_transaction", refusing)
        with pytest.raises(Unavailable, match="disk is full"):
            repository_sync(name="project")


def test_task_tells_what_came_of_it(origin: GitRepository) -> None:
    origin.write({"a.py": "A = 1\n"}).commit()
    repository_add(name="project", url=origin.url)
    assert sync_repository.call(name="project").startswith("updated: 1 new contents")
    origin.path.rename(origin.path.with_name("away"))
    assert sync_repository.call(name="project").startswith("failed: There is no repository")
    repository_remove(name="project")
    assert sync_repository.call(name="project") == "The repository is gone."


@pytest.fixture
def _queue(settings: Any) -> Iterator[None]:
    """Queue tasks in the database, as an installation does."""
    settings.TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}
    yield
    for alias in task_backends:
        assert alias == "default"


@pytest.mark.usefixtures("_queue")
def test_sync_is_queued_once_until_the_worker_takes_it(origin: GitRepository) -> None:
    origin.write({"a.py": "A = 1\n"}).commit()
    for name in ("project", "other"):
        repository_add(name=name, url=origin.url)
    for _ in range(3):
        repository_sync_enqueue(name="project")
    repository_sync_enqueue(name="other")
    waiting = DBTaskResult.objects.ready()
    assert sorted(row.args_kwargs["kwargs"]["name"] for row in waiting) == ["other", "project"]
    waiting.first().claim("worker")
    repository_sync_enqueue(name="project")
    repository_sync_enqueue(name="other")
    assert DBTaskResult.objects.count() == 3


def test_sync_is_run_by_the_task_backend(origin: GitRepository) -> None:
    origin.write({"a.py": "A = 1\n"}).commit()
    repository_add(name="project", url=origin.url)
    repository_sync_enqueue(name="project")
    assert index_state("project")
