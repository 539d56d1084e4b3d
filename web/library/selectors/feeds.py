"""Reading the feeds: what they are, and how they stand."""

from django.db.models import Count, Q

from web.core import clock
from web.core.errors import NotFound
from web.core.redaction import redacted
from web.library.posts.models import Feed
from web.library.posts.records import FeedSummary


def feeds_listed() -> tuple[FeedSummary, ...]:
    """Return all feeds by title, their own where they were given none."""
    feeds = Feed.objects.annotate(post_count=Count("posts"))
    found = [feed_summary(feed, feed.post_count) for feed in feeds]
    return tuple(sorted(found, key=lambda feed: (feed.title.casefold(), feed.url)))


def feeds_due() -> tuple[FeedSummary, ...]:
    """Return the active feeds that should be looked at now, the longest waiting first.

    Also those that were looked at in the future: the clock was wrong then.
    """
    now = clock.now()
    is_due = Q(next_fetch_at__lte=now) | Q(attempted_at__gt=now)
    feeds = Feed.objects.filter(is_due, is_active=True)
    counted = feeds.order_by("next_fetch_at").annotate(post_count=Count("posts"))
    return tuple(feed_summary(feed, feed.post_count) for feed in counted)


def feed_named(*, name: str) -> FeedSummary:
    """Return the feed with a number or an address. Raises NotFound that lists the numbers."""
    feeds = feeds_listed()
    for feed in feeds:
        if name.strip() in {str(feed.id), feed.url}:
            return feed
    known = ", ".join(f"{feed.id} ({feed.title})" for feed in feeds) or "none yet"
    raise NotFound(f"There is no feed {redacted(name)!r}.", hint=f"Feeds: {known}.")


def feed_summary(feed: Feed, post_count: int) -> FeedSummary:
    """Return a feed as staff see it."""
    return FeedSummary(
        id=feed.pk,
        url=feed.url,
        title=str(feed),
        is_active=feed.is_active,
        post_count=post_count,
        fetched_at=feed.fetched_at,
        next_fetch_at=feed.next_fetch_at,
        stale_since=feed.stale_since,
        error=f"{feed.error} {feed.error_hint}".strip(),
    )
