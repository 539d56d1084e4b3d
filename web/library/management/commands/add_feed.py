"""`manage.py add_feed URL`: import the posts of an RSS or Atom feed, now and regularly."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from web.core.errors import PortolanError
from web.library.management.feed_lines import report_line
from web.library.services.feeds import feed_add, feed_import, feed_schedule


class Command(BaseCommand):
    """Adds a feed and imports it."""

    help = "Add an RSS or Atom feed and import its posts; the worker looks at it regularly."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the command line."""
        parser.add_argument("url", help="https://… of the feed itself.")
        parser.add_argument("--title", default="", help="Name for people; the feed's by default.")
        parser.add_argument(
            "--tag",
            action="append",
            default=[],
            metavar="TAG",
            help="Tag that its posts get besides their own; may be repeated.",
        )
        parser.add_argument(
            "--interval", type=int, default=60, metavar="MINUTES", help="Time between looks (60)."
        )
        parser.add_argument(
            "--no-import",
            dest="import",
            action="store_false",
            help="Only add it; import_feeds or the worker imports it later.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Add the feed, then import it."""
        try:
            feed_id = feed_add(
                url=options["url"],
                title=options["title"],
                tags=options["tag"],
                interval_minutes=options["interval"],
            )
            self.stdout.write(f"Added {options['url']}.")
            feed_schedule(feed_id=feed_id)
            if options["import"]:
                self.stdout.write(report_line(feed_import(feed_id=feed_id)))
        except PortolanError as error:
            raise CommandError(str(error)) from None
