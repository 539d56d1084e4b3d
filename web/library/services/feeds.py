"""Feeds: adding, importing, scheduling, removing. A feed that fails keeps its posts."""

import logging
from collections.abc import Sequence
from datetime import timedelta

from django.conf import settings
from django.db import IntegrityError

from web.core import clock
from web.core.addresses import check_host, web_address
from web.core.errors import Conflict, InvalidInput, NotFound, PortolanError
from web.core.fetching import Fetched, Gone, fetch
from web.core.limits import LIMITS
from web.core.logs import ANSWER
from web.core.refusals import is_over, refusal_pause
from web.library.indexing.publish import raise_generation
from web.library.indexing.statements import index_transaction
from web.library.posts.entries import ParsedFeed, parsed_feed
from web.library.posts.merging import FeedMerge
from web.library.posts.models import Feed
from web.library.posts.records import FeedReport
from web.library.posts.writing import checked_tags

logger = logging.getLogger(__name__)

FEED_TYPES = (
    "application/rss+xml",
    "application/atom+xml",
    "application/rdf+xml",
    "application/xml",
    "text/xml",
    "text/html",
    "text/plain",
    "application/octet-stream",
)
_EARLY = timedelta(minutes=1)


def feed_add(
    *, url: str, title: str = "", tags: Sequence[str] = (), interval_minutes: int = 60
) -> int:
    """Add a feed and return its id; its posts come with the first import.

    Raises InvalidInput for an address that is never fetched, Conflict for one that is known.
    """
    address = feed_check(url=url, tags=tags, interval_minutes=interval_minutes)
    checked = list(checked_tags(tags))
    try:
        with index_transaction():
            feed = Feed.objects.create(
                url=address,
                title=" ".join(title.split()),
                tags=checked,
                interval_minutes=interval_minutes,
            )
    except IntegrityError:
        number = Feed.objects.get(url=address).pk
        raise Conflict(
            "This feed is there already.",
            hint=f"Import it: manage.py import_feeds {number}; change it in the admin.",
            fields={"url": "belongs to a feed already"},
        ) from None
    return int(feed.pk)


def feed_check(*, url: str, tags: Sequence[str], interval_minutes: int) -> str:
    """Return the address of a feed as it is stored.

    Raises InvalidInput, naming the field, for what `feed_add` refuses; nothing is looked up.
    """
    checked_tags(tags)
    _check_interval(interval_minutes)
    address = web_address(url.strip())
    check_host(address.host, private_hosts=settings.FETCH_PRIVATE_HOSTS)
    return address.url


def feed_change(
    *,
    feed_id: int,
    title: str,
    tags: Sequence[str],
    interval_minutes: int,
    is_active: bool,
) -> None:
    """Change a feed. New tags are given to posts with the next change of theirs.

    Raises NotFound, and InvalidInput that names the field.
    """
    checked = list(checked_tags(tags))
    _check_interval(interval_minutes)
    with index_transaction():
        feed = _feed(feed_id)
        feed.title = " ".join(title.split())
        feed.tags = checked
        feed.interval_minutes = interval_minutes
        feed.is_active = is_active
        feed.save(update_fields=["title", "tags", "interval_minutes", "is_active"])
        raise_generation()  # posts show the title


def feed_remove(*, feed_id: int) -> None:
    """Remove a feed; its posts stay. Raises NotFound."""
    with index_transaction():
        _feed(feed_id).delete()
        raise_generation()


def feed_import_enqueue(*, feed_id: int) -> None:
    """Have the worker import a feed now, and regularly from then on. Raises NotFound."""
    from web.library.posts.tasks import import_feed

    import_feed.enqueue(feed_id=_feed(feed_id).pk, is_asked_for=True)


def feed_schedule(*, feed_id: int) -> bool:
    """Put the next look at an active feed into the worker's queue; return whether it is due now.

    Raises NotFound.
    """
    from web.library.posts.tasks import import_feed_at

    feed = _feed(feed_id)
    now = clock.now()
    if feed.is_active:
        import_feed_at(feed.pk, now + timedelta(minutes=feed.interval_minutes))
    is_due = is_over(feed.next_fetch_at, since=feed.attempted_at, now=now + _EARLY)
    return feed.is_active and is_due


def feed_import(*, feed_id: int) -> FeedReport:
    """Fetch a feed, if it changed, and bring its posts up to date.

    Known entries are recognised by their guid, else by their address; posts of entries that the
    feed does not show any more stay. Raises NotFound for an unknown feed, and what went wrong
    while fetching or reading: then nothing changes but the feed, which says why it is stale, and
    which is not looked at any more where its server says that it is gone for good.
    """
    feed = _feed(feed_id)
    try:
        fetched = fetch(
            feed.url,
            content_types=FEED_TYPES,
            etag=feed.etag,
            last_modified=feed.last_modified,
            max_bytes=LIMITS.max_feed_bytes,
        )
        parsed = None if fetched.is_unchanged else parsed_feed(fetched)
    except PortolanError as error:
        logger.warning("The feed %s could not be imported: %s", feed.pk, error, extra=ANSWER)
        _record_failure(feed_id, error)
        raise
    with index_transaction():
        feed = _feed(feed_id)
        report = _merged(feed, parsed)
        _record_success(feed, fetched, parsed)
    return report


def _merged(feed: Feed, parsed: ParsedFeed | None) -> FeedReport:
    if parsed is None:
        return FeedReport(feed=str(feed), is_unchanged=True)
    feed.feed_title = parsed.title or feed.feed_title
    return FeedMerge(feed).run(parsed)


def _record_success(feed: Feed, fetched: Fetched, parsed: ParsedFeed | None) -> None:
    now = clock.now()
    if feed.stale_since is not None:
        raise_generation()
    if parsed is not None:
        feed.etag, feed.last_modified = fetched.etag, fetched.last_modified
    feed.attempted_at = feed.fetched_at = now
    feed.next_fetch_at = now + timedelta(minutes=feed.interval_minutes)
    feed.stale_since, feed.error, feed.error_hint, feed.refusals = None, "", "", 0
    feed.save()


def _record_failure(feed_id: int, error: PortolanError) -> None:
    """Mark the feed as stale, since the first failure; answers that are cached say so too."""
    now = clock.now()
    with index_transaction():
        feed = _feed(feed_id)
        wait = timedelta(minutes=feed.interval_minutes)
        if pause := refusal_pause(error, earlier=feed.refusals):
            wait = max(wait, pause)
            feed.refusals += 1
        if feed.stale_since is None or feed.error != error.message:
            raise_generation()
        feed.attempted_at = now
        feed.is_active = feed.is_active and not isinstance(error, Gone)
        feed.next_fetch_at = now + wait
        feed.stale_since = feed.stale_since or now
        feed.error, feed.error_hint = error.message, error.advice
        feed.save()


def _feed(feed_id: int) -> Feed:
    try:
        return Feed.objects.get(pk=feed_id)
    except Feed.DoesNotExist:
        raise NotFound("There is no such feed.", hint="It may have been removed.") from None


def _check_interval(minutes: int) -> None:
    if not LIMITS.min_feed_interval_minutes <= minutes <= 60 * 24 * 31:
        least = LIMITS.min_feed_interval_minutes
        message = f"The interval is {least} minutes at least, and a month at most."
        raise InvalidInput(message, fields={"interval_minutes": message})
