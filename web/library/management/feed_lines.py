"""Importing feeds one after the other, as commands show it."""

from collections.abc import Iterable

from django.core.management.base import BaseCommand

from web.core.errors import PortolanError
from web.library.posts.records import FeedReport, FeedSummary
from web.library.services.feeds import feed_import, feed_schedule


def import_feeds(command: BaseCommand, feeds: Iterable[FeedSummary]) -> int:
    """Import each feed and put it into the worker's queue again; return how many failed."""
    failed = 0
    for feed in feeds:
        try:
            feed_schedule(feed_id=feed.id)
            command.stdout.write(report_line(feed_import(feed_id=feed.id)))
        except PortolanError as error:
            failed += 1
            command.stderr.write(f"{feed.title}: {error}")
    return failed


def report_line(report: FeedReport) -> str:
    """Return what an import did, in one line."""
    if report.is_unchanged:
        return f"{report.feed}: unchanged."
    counts = f"{report.created} new, {report.updated} changed, {report.kept} as before"
    left_out = "".join(f"; left out {count}: {reason}" for reason, count in report.skipped)
    return f"{report.feed}: {counts}{left_out}."
