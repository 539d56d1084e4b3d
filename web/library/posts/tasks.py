"""What the worker does for posts: release the scheduled ones, and look at feeds regularly.

Each run of a feed puts the next one into the queue before it does its own work, so that a worker
that is killed loses nothing but time.
"""

from datetime import datetime, timedelta

from django.tasks import task

from web.core.errors import NotFound, PortolanError
from web.core.queue import enqueue_at, waits

_FEW_SECONDS = timedelta(seconds=10)


@task()
def release_posts() -> str:
    """Let posts appear whose time has come; return how many."""
    from web.library.services.posts import posts_release_due

    return f"{posts_release_due()} released"


@task()
def import_feed(feed_id: int, is_asked_for: bool = False) -> str:
    """Import a feed and have it looked at again; return what came of it in one line.

    A failure that is recorded at the feed is a result, not a failed task; a feed that is gone or
    not active any more is nothing to do, nor is one whose server wants to be left alone, unless a
    person asks for it.
    """
    from web.library.services.feeds import feed_import, feed_schedule

    try:
        is_due = feed_schedule(feed_id=feed_id)
        if not is_due and not is_asked_for:
            return "The feed is not due."
        report = feed_import(feed_id=feed_id)
    except NotFound:
        return "The feed is gone."
    except PortolanError as error:
        return f"failed: {error}"
    return f"{report.created} created, {report.updated} updated"


def release_at(instant: datetime) -> None:
    """Have `release_posts` run at that instant, unless it runs by then anyway."""
    if not waits(release_posts, run_after__lte=instant + _FEW_SECONDS):
        enqueue_at(release_posts, instant)


def import_feed_at(feed_id: int, instant: datetime) -> None:
    """Have `import_feed` run at that instant, unless it runs for this feed by then anyway."""
    by_then = {"run_after__lte": instant + _FEW_SECONDS}
    if not waits(import_feed, args_kwargs__kwargs__feed_id=feed_id, **by_then):
        enqueue_at(import_feed, instant, feed_id=feed_id)
