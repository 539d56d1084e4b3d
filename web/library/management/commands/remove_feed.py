"""`manage.py remove_feed URL`: look at a feed no more."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from web.core.errors import PortolanError
from web.library.selectors.feeds import feed_at
from web.library.services.feeds import feed_remove


class Command(BaseCommand):
    """Removes a feed and leaves its posts."""

    help = "Remove a feed, which is not looked at any more. The posts that it brought stay."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the command line."""
        parser.add_argument("url", metavar="URL", help="Address of the feed, as list_feeds has it.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Remove it."""
        try:
            feed = feed_at(url=options["url"])
            feed_remove(feed_id=feed.id)
        except PortolanError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"Removed {feed.url}. Posts that stay: {feed.post_count}.")
