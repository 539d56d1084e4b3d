"""`manage.py remove_feed FEED`: look at a feed no more."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from web.core.errors import PortolanError
from web.core.redaction import redacted
from web.library.selectors.feeds import feed_named
from web.library.services.feeds import feed_remove


class Command(BaseCommand):
    """Removes a feed and leaves its posts."""

    help = "Remove a feed, which is not looked at any more. The posts that it brought stay."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the command line."""
        parser.add_argument("feed", metavar="FEED", help="Its number in list_feeds, or address.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Remove it."""
        try:
            feed = feed_named(name=options["feed"])
            feed_remove(feed_id=feed.id)
        except PortolanError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"Removed {redacted(feed.url)}. Posts that stay: {feed.post_count}.")
