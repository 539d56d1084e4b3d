"""Tasks that run later: asked for by the tasks that run regularly."""

from datetime import datetime
from typing import Any, NamedTuple

from django.tasks import DEFAULT_TASK_BACKEND_ALIAS, Task, TaskResultStatus, task_backends


class Due(NamedTuple):
    """The tasks that may run now: how many wait, and since when the first of them may."""

    number: int
    since: datetime | None


def has_queue() -> bool:
    """Return whether tasks can wait for their time; else they run at once, or not at all."""
    return bool(task_backends[DEFAULT_TASK_BACKEND_ALIAS].supports_defer)


def waits(wanted: Task[Any, Any], **conditions: Any) -> bool:
    """Return whether such a task stands in the queue; False where there is no queue."""
    if not has_queue():
        return False
    from django_tasks_db.models import DBTaskResult

    return DBTaskResult.objects.filter(
        status=TaskResultStatus.READY, task_path=wanted.module_path, **conditions
    ).exists()


def tasks_due(now: datetime) -> Due:
    """Return what waits for a worker; tasks for a later instant do not wait yet."""
    from django.db.models import Min
    from django_tasks_db.models import DBTaskResult, get_date_max

    ready = DBTaskResult.objects.filter(status=TaskResultStatus.READY)
    at_once = ready.filter(run_after=get_date_max())
    in_time = ready.filter(run_after__lte=now)
    since = (at_once.aggregate(Min("enqueued_at")) | in_time.aggregate(Min("run_after"))).values()
    return Due(
        at_once.count() + in_time.count(),
        min((instant for instant in since if instant is not None), default=None),
    )


def enqueue_at(wanted: Task[Any, Any], instant: datetime, **arguments: Any) -> None:
    """Queue a task for later; without a queue that can wait, commands do the work."""
    if has_queue():
        wanted.using(run_after=instant).enqueue(**arguments)
