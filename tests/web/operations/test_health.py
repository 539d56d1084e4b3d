"""Whether the installation is well: each check in each of its states."""

import shutil
import threading
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.db import connection
from django.tasks import TaskResultStatus
from django_tasks_db.models import DBTaskResult

from tests.web.operations.calls import NOON, STAFF, call
from web.accounts.principals import Principal
from web.core.errors import NotAllowed
from web.core.limits import LIMITS
from web.library.models import Repository
from web.operations.health import running, work
from web.operations.health.findings import Check, Finding
from web.operations.models import ToolCall
from web.operations.recorder import RECORDER
from web.operations.selectors.health import CHECKS, READINESS, checks_made, health_report
from web.operations.services.recording import tool_calls_record
from web.operations.services.retention import records_forget_old
from web.operations.tasks import start_tidying, tidy_records

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("at_noon")]
DATABASE_QUEUE = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend", "QUEUES": ["default"]}}
MIB = 1024 * 1024


@pytest.fixture(autouse=True)
def _own_log(settings, tmp_path):
    settings.DATA_DIR = tmp_path


@pytest.fixture
def queue(settings):
    settings.TASKS = DATABASE_QUEUE


def check(name):
    (found,) = checks_made(names=[name]).checks
    assert found.name == name
    if found.state != "ok":
        assert found.action
    return found


def task(**changes):
    values = {
        "task_path": "web.library.tasks.sync_repository",
        "args_kwargs": {"args": [], "kwargs": {}},
        "backend_name": "default",
        "run_after": NOON - timedelta(hours=1),
        **changes,
    }
    return DBTaskResult.objects.create(**values)


def test_a_fresh_installation_is_well():
    report = health_report(principal=STAFF)
    states = {found.name: found.state for found in report.checks}
    assert states == dict.fromkeys((made.name for made in CHECKS), "ok")
    assert report.state == "ok"
    assert report.checked_at == NOON
    assert all(found.meaning and found.seconds >= 0 for found in report.checks)


def test_what_a_process_needs_to_answer_is_part_of_it():
    assert [found.name for found in checks_made(names=READINESS).checks] == list(READINESS)


def test_only_staff_sees_it():
    with pytest.raises(NotAllowed):
        health_report(principal=Principal(user_id=2, is_member=True))


def test_the_state_is_that_of_the_worst_check():
    Repository.objects.create(name="a", url="https://x.example/a", stale_since=NOON)
    assert health_report(principal=STAFF).state == "warning"


def test_missing_migrations_are_named():
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM django_migrations WHERE app = 'operations' AND name = '0001_initial'"
        )
    try:
        found = check("migrations")
    finally:
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO django_migrations (app, name, applied) "
                "VALUES ('operations', '0001_initial', '2026-11-30')"
            )
    assert (found.state, found.details) == ("failing", ("operations.0001_initial",))


def test_a_cache_that_is_away_is_told_without_its_address(settings, caplog):
    secret_address = "redis://:planted-password@127.0.0.1:1/0"
    settings.CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": secret_address,
        }
    }
    found = check("cache")
    assert found.state == "failing"
    assert "planted" not in str(found) + caplog.text


def test_a_check_that_hangs_is_waited_for_only_so_long_and_started_once(monkeypatch):
    release, starts = threading.Event(), []

    def hang():
        starts.append(1)
        release.wait(60)
        return Finding("ok", "It answered.")

    def help_it():
        release.set()
        return Finding("ok", "Fine.")

    hanging = Check("hanging", hang, Finding("failing", "It does not answer.", "Restart it."))
    helping = Check("helping", help_it, hanging.failure)

    def waited_for(seconds, *checks):
        limits = LIMITS.model_copy(update={"health_check_seconds": seconds})
        monkeypatch.setattr(running, "LIMITS", limits)
        return running.made(checks)

    try:
        for _ in range(3):
            (found,) = waited_for(0.05, hanging)
            assert (found.state, found.action) == ("failing", "Restart it.")
            assert "No answer for" in found.meaning
        # Checks are made side by side: this one is not kept waiting.
        found, helped = waited_for(60, hanging, helping)
        assert (found.meaning, helped.meaning) == ("It answered.", "Fine.")
        assert len(starts) == 1
    finally:
        release.set()
        running._running["hanging"].thread.join()
    assert waited_for(60, hanging)[0].meaning == "It answered."
    assert len(starts) == 2


def test_a_check_that_raises_is_told_without_what_it_raised(caplog):
    def fail():
        raise RuntimeError("host=secret-host.example password=planted")

    (found,) = running.made((Check("broken", fail, Finding("failing", "Broken.", "Mend it.")),))
    assert (found.state, found.meaning) == ("failing", "Broken.")
    assert "planted" not in caplog.text
    assert "'broken' fails: RuntimeError" in caplog.text


def test_a_task_that_nobody_takes_means_that_no_worker_runs(queue):
    task(run_after=NOON - timedelta(minutes=LIMITS.max_task_wait_minutes - 1))
    assert check("worker").state == "ok"
    task(run_after=NOON - timedelta(minutes=LIMITS.max_task_wait_minutes))
    found = check("worker")
    assert (found.state, found.meaning.split(":")[0]) == ("failing", "No worker takes tasks")
    assert "db_worker" in found.action


def test_tasks_for_later_do_not_wait(queue):
    task(run_after=NOON + timedelta(days=1))
    assert check("worker").meaning == "0 tasks wait, 0 run."


def test_a_worker_that_is_busy_is_no_dead_one(queue):
    task()
    task(status=TaskResultStatus.RUNNING, started_at=NOON - timedelta(minutes=5))
    found = check("worker")
    assert (found.state, found.meaning.split(":")[0]) == ("warning", "The worker is busy")
    assert "sync_repository" in found.details[0]


def test_a_task_that_runs_for_hours_means_that_its_worker_died(queue):
    task(
        status=TaskResultStatus.RUNNING,
        started_at=NOON - timedelta(hours=LIMITS.max_task_hours, minutes=1),
    )
    found = check("worker")
    assert found.state == "warning"
    assert "may have been killed" in found.meaning


@pytest.mark.parametrize(
    ("free", "state"),
    [(100 * MIB, "failing"), (300 * MIB, "warning"), (5_000 * MIB, "ok")],
)
def test_the_disk_fails_below_what_a_sync_leaves(monkeypatch, free, state):
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(free=free))
    assert check("disk").state == state


def test_sources_that_cannot_be_read_or_were_not_for_long_are_named():
    Repository.objects.create(
        name="gone", url="https://x.example/a", stale_since=NOON, sync_error="the remote is away"
    )
    long_ago = NOON - timedelta(hours=LIMITS.max_source_age_hours, minutes=1)
    Repository.objects.create(name="old", url="https://x.example/b", synced_at=long_ago)
    Repository.objects.create(name="well", url="https://x.example/c", synced_at=NOON)
    found = check("sources")
    assert found.state == "warning"
    assert "repository gone: stale since 2026-11-30 12:00 UTC, the remote is away" in found.details
    assert "repository old: old" in found.details
    assert not any("well" in line for line in found.details)


def test_calls_that_were_not_recorded_are_told(settings, monkeypatch):
    settings.RECORD_CALLS = True
    monkeypatch.setattr(RECORDER, "dropped", 7)
    found = check("records")
    assert (found.state, "7 were dropped" in found.meaning) == ("warning", True)


@pytest.mark.parametrize(
    ("errors", "state"), [(0, "ok"), (1, "warning"), (5, "warning"), (6, "failing")]
)
def test_errors_of_the_server_are_counted_over_the_last_minutes(errors, state):
    before = NOON - timedelta(minutes=LIMITS.health_minutes, seconds=1)
    calls = [call(outcome="internal_error") for _ in range(errors)]
    calls += [call(outcome="not_found") for _ in range(100 - errors)]
    tool_calls_record(calls=[*calls, call(outcome="internal_error", at=before)])
    assert check("errors").state == state


def test_a_few_calls_are_too_few_to_fail():
    tool_calls_record(calls=[call(outcome="internal_error") for _ in range(work._FEW_CALLS - 1)])
    assert check("errors").state == "warning"


def test_the_regular_task_asks_for_itself_and_removes_what_is_old(queue):
    start_tidying()
    start_tidying()
    assert DBTaskResult.objects.filter(task_path=tidy_records.module_path).count() == 1
    DBTaskResult.objects.update(status=TaskResultStatus.RUNNING)
    old = NOON - timedelta(days=LIMITS.task_keep_days, seconds=1)
    task(status=TaskResultStatus.SUCCESSFUL, finished_at=old)
    tool_calls_record(calls=[call(at=NOON - timedelta(days=LIMITS.usage_keep_days + 1))])
    assert tidy_records.call() == "2 removed"
    assert ToolCall.objects.count() == 0
    waiting = DBTaskResult.objects.get(status=TaskResultStatus.READY)
    assert waiting.run_after == NOON + timedelta(minutes=LIMITS.tidy_minutes)
    assert records_forget_old() == 0
