"""`manage.py list_feeds`: the feeds that posts are imported from, and how they stand."""

from typing import Any

from django.core.management.base import BaseCommand

from web.core.redaction import redacted
from web.library.management.tables import write_table
from web.library.selectors.feeds import feeds_listed


class Command(BaseCommand):
    """Lists all feeds."""

    help = "List the feeds with their addresses, the number of their posts and their state."

    def handle(self, *args: Any, **options: Any) -> None:
        """Print one row for each."""
        feeds = feeds_listed()
        if not feeds:
            self.stdout.write("No feeds yet. Add one: manage.py add_feed URL")
            return
        rows = [
            (str(feed.id), feed.title, redacted(feed.url), f"{feed.post_count:,}", feed.state)
            for feed in feeds
        ]
        write_table(self.stdout, ("Number", "Title", "Address", "Posts", "State"), rows)
