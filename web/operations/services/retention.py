"""The end of what was recorded: rows older than they are kept for are removed."""

from datetime import datetime, timedelta

from django.db.models import Model

from web.core import clock
from web.core.limits import LIMITS
from web.operations.models import LogLine, ToolCall

ROWS_AT_ONCE = 2_000


def records_forget_old() -> int:
    """Remove recorded calls and log lines that are older than they are kept; return how many.

    In transactions of at most ROWS_AT_ONCE rows, so that nobody waits for it long.
    """
    now = clock.now()
    calls = _forget(ToolCall, before=now - timedelta(days=LIMITS.usage_keep_days))
    return calls + _forget(LogLine, before=now - timedelta(days=LIMITS.log_keep_days))


def _forget(model: type[Model], *, before: datetime) -> int:
    rows = model._default_manager.filter(at__lt=before).order_by("at")
    removed = 0
    while keys := list(rows.values_list("pk", flat=True)[:ROWS_AT_ONCE]):
        removed += model._default_manager.filter(pk__in=keys).delete()[0]
    return removed
