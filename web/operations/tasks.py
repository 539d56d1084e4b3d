"""What the worker does for operations, regularly."""

from datetime import timedelta

from django.tasks import task

from web.core import clock
from web.core.limits import LIMITS
from web.core.queue import enqueue_at, has_queue, waits


@task()
def tidy_records() -> str:
    """Have itself run again, then remove what is older than it is kept; return how much."""
    from web.operations.services.retention import records_forget_old

    tidy_later(minutes=LIMITS.tidy_minutes)
    return f"{records_forget_old()} removed"


def tidy_later(*, minutes: int) -> None:
    """Have `tidy_records` run in so many minutes, unless it waits already."""
    if not waits(tidy_records):
        enqueue_at(tidy_records, clock.now() + timedelta(minutes=minutes))


def start_tidying(**_signal: object) -> None:
    """Begin with it once the tables are there: after a migration."""
    if not has_queue():
        return
    from django.db import connection
    from django_tasks_db.models import DBTaskResult

    if DBTaskResult._meta.db_table in connection.introspection.table_names():
        tidy_later(minutes=0)
