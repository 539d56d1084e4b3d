"""`manage.py import_feeds [FEED…] [--due]`: look at feeds now."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from web.core.errors import PortolanError
from web.library.management.feed_lines import import_feeds
from web.library.selectors.feeds import feed_named, feeds_due, feeds_listed
from web.library.services.posts import posts_release_due


class Command(BaseCommand):
    """Imports feeds one after the other, and lets scheduled posts appear."""

    help = (
        "Import feeds: those named, else all active ones. Puts each into the worker's queue again. "
        "Exits with 1 when any failed; its posts stay and it is marked as stale."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the command line."""
        parser.add_argument(
            "feeds",
            nargs="*",
            metavar="FEED",
            help="Numbers of list_feeds, or addresses; all active by default.",
        )
        parser.add_argument(
            "--due", action="store_true", help="Only those whose interval has passed (for cron)."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Import each feed."""
        posts_release_due()
        try:
            named = [feed_named(name=name) for name in options["feeds"]]
        except PortolanError as error:
            raise CommandError(str(error)) from None
        feeds = feeds_due() if options["due"] else [f for f in feeds_listed() if f.is_active]
        failed = import_feeds(self, named or feeds)
        if not named and not feeds_listed():
            self.stdout.write("No feeds yet. Add one: manage.py add_feed URL")
        elif not named and not feeds:
            self.stdout.write("No feed is due." if options["due"] else "No feed is active.")
        if failed:
            raise CommandError(f"{failed} failed.")
