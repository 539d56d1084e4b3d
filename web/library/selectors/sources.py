"""Every source with its state, for staff: what is fresh, what is not, and what goes on."""

from collections import Counter
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import QuerySet

from web.accounts.principals import Principal
from web.core import clock
from web.core.limits import LIMITS
from web.core.paging import cursor_for, offset_of
from web.core.redaction import redacted
from web.library.models import Repository
from web.library.posts.models import Feed
from web.library.records.sources import Source, SourceListing
from web.library.selectors.feeds import feed_summary
from web.library.selectors.syncs import next_sync_at, sync_activity, sync_reason
from web.library.sites.address import is_site

STATES: Final = ("stale", "old", "new", "paused", "fresh")
BUSY: Final = "busy"
_SYNC_TASK = "web.library.tasks.sync_repository"


def sources_listed(
    *, principal: Principal, state: str | None, limit: int, cursor: str | None
) -> SourceListing:
    """Return a page of repositories, sites and feeds, in the order of STATES, then by name.

    `state` is one of STATES, or BUSY for what is queued or read just now; None for all. Raises
    NotAllowed for who is not staff, InvalidInput for a cursor of another state.
    """
    principal.require_staff()
    start = offset_of(cursor, filters={"state": state})
    moment = clock.now()
    everything = [*_repositories(moment), *_feeds(moment)]
    states = Counter(source.state for source in everything)
    wanted = [
        source
        for source in everything
        if state is None or source.state == state or (state == BUSY and source.activity)
    ]
    wanted.sort(key=lambda source: (STATES.index(source.state), source.kind, source.name))
    end = start + limit
    return SourceListing(
        sources=tuple(wanted[start:end]),
        total_count=len(wanted),
        states=tuple((name, states[name]) for name in STATES if states[name]),
        next_cursor=(
            cursor_for(offset=end, filters={"state": state}) if end < len(wanted) else None
        ),
    )


def waiting_syncs() -> QuerySet[Any]:
    """Return the tasks of syncs that wait for a worker."""
    from django_tasks_db.models import DBTaskResult

    waiting: QuerySet[Any] = DBTaskResult.objects.ready().filter(task_path=_SYNC_TASK)
    return waiting


def _repositories(moment: datetime) -> list[Source]:
    kept = waiting_syncs().values_list("args_kwargs", flat=True)
    queued = {arguments.get("kwargs", {}).get("name") for arguments in kept}
    return [
        Source(
            kind="site" if is_site(row.url) else "repository",
            name=row.name,
            address=redacted(row.url),
            state=_state(row.synced_at, row.stale_since, moment),
            activity=sync_activity(row) or ("queued" if row.name in queued else ""),
            read_at=row.synced_at,
            stale_since=row.stale_since,
            reason=redacted(sync_reason(row)),
            next_at=next_sync_at(row),
        )
        for row in Repository.objects.all()
    ]


def _feeds(moment: datetime) -> list[Source]:
    return [
        Source(
            kind="feed",
            name=redacted(str(row)),
            address=redacted(row.url),
            state=_state(row.fetched_at, row.stale_since, moment) if row.is_active else "paused",
            activity="",
            read_at=row.fetched_at,
            stale_since=row.stale_since,
            reason=redacted(feed_summary(row, post_count=0).error),
            next_at=row.next_fetch_at if row.is_active else None,
        )
        for row in Feed.objects.all()
    ]


def _state(read_at: datetime | None, stale_since: datetime | None, moment: datetime) -> str:
    if stale_since is not None:
        return "stale"
    if read_at is None:
        return "new"
    is_old = moment - read_at > timedelta(hours=LIMITS.max_source_age_hours)
    return "old" if is_old else "fresh"
