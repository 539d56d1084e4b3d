"""Tasks that run later: asked for by the tasks that run regularly."""

from datetime import datetime
from typing import Any

from django.tasks import DEFAULT_TASK_BACKEND_ALIAS, Task, TaskResultStatus, task_backends


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


def enqueue_at(wanted: Task[Any, Any], instant: datetime, **arguments: Any) -> None:
    """Queue a task for later; without a queue that can wait, commands do the work."""
    if has_queue():
        wanted.using(run_after=instant).enqueue(**arguments)
