"""The figures of the whole installation that monitoring reads: counts only, no names."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Min, Q
from django_tasks_db.models import DBTaskResult

from web.core.clock import now
from web.core.queue import tasks_due
from web.library.models import Repository
from web.library.selectors.generation import index_generation

RUNNING, FAILED = "RUNNING", "FAILED"


@dataclass(frozen=True)
class InstallationFigures:
    """What holds for all processes together; ages are in seconds, 0 where there is nothing.

    A repository is fresh, stale (its last sync failed; the old index is served) or new (never
    indexed); `failing` of any kind have a failed last sync.
    """

    index_generation: int
    fresh_repositories: int
    stale_repositories: int
    new_repositories: int
    failing_repositories: int
    oldest_index_seconds: float
    tasks_waiting: int
    tasks_running: int
    tasks_failed: int
    oldest_task_seconds: float


def installation_figures() -> InstallationFigures:
    """Return the figures of now, in a few short queries."""
    is_new, is_stale = Q(synced_at=None), Q(stale_since__isnull=False)
    repositories = Repository.objects.aggregate(
        new=Count("pk", filter=is_new),
        stale=Count("pk", filter=is_stale & ~is_new),
        fresh=Count("pk", filter=~is_stale & ~is_new),
        failing=Count("pk", filter=~Q(sync_error="")),
        oldest=Min("synced_at"),
    )
    tasks = DBTaskResult.objects.aggregate(
        running=Count("pk", filter=Q(status=RUNNING)),
        failed=Count("pk", filter=Q(status=FAILED)),
    )
    due = tasks_due(now())
    return InstallationFigures(
        index_generation=index_generation(),
        fresh_repositories=repositories["fresh"],
        stale_repositories=repositories["stale"],
        new_repositories=repositories["new"],
        failing_repositories=repositories["failing"],
        oldest_index_seconds=_age(repositories["oldest"]),
        tasks_waiting=due.number,
        tasks_running=tasks["running"],
        tasks_failed=tasks["failed"],
        oldest_task_seconds=_age(due.since),
    )


def _age(instant: datetime | None) -> float:
    return 0.0 if instant is None else max(0.0, (now() - instant).total_seconds())
