"""The end of what was recorded: rows older than they are kept for are removed."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Model

from web.core import clock
from web.core.limits import LIMITS
from web.core.logs import log_files_forget_old
from web.operations.models import LogLine, ToolCall

ROWS_AT_ONCE = 2_000


def records_forget_old() -> int:
    """Remove recorded calls, log lines, log files and finished tasks older than they are kept.

    In transactions of at most ROWS_AT_ONCE calls or lines, so that nobody waits for it long. How
    many were removed is returned.
    """
    log_files_forget_old(settings.DATA_DIR / "log", keep_days=LIMITS.log_keep_days)
    now = clock.now()
    calls = _forget(ToolCall, before=now - timedelta(days=LIMITS.usage_keep_days))
    lines = _forget(LogLine, before=now - timedelta(days=LIMITS.log_keep_days))
    return calls + lines + _forget_tasks(before=now - timedelta(days=LIMITS.task_keep_days))


def _forget_tasks(*, before: datetime) -> int:
    from django_tasks_db.models import DBTaskResult

    old = DBTaskResult.objects.finished().filter(finished_at__lt=before).order_by()
    removed: int = old.delete()[0]
    return removed


def _forget(model: type[Model], *, before: datetime) -> int:
    rows = model._default_manager.filter(at__lt=before).order_by("at")
    removed = 0
    while keys := list(rows.values_list("pk", flat=True)[:ROWS_AT_ONCE]):
        removed += model._default_manager.filter(pk__in=keys).delete()[0]
    return removed
