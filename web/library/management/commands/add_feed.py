"""`manage.py add_feed [URL]`: import the posts of an RSS or Atom feed, now and regularly."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from web.core.errors import PortolanError
from web.core.redaction import redacted
from web.library.management.feed_lines import report_line
from web.library.management.secret_input import (
    ADDRESS_HELP,
    add_address_arguments,
    given_address,
)
from web.library.services.feeds import feed_add, feed_import, feed_schedule


class Command(BaseCommand):
    """Adds a feed and imports it."""

    help = (
        "Add an RSS or Atom feed and import its posts; the worker looks at it regularly. "
        + ADDRESS_HELP
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the command line."""
        add_address_arguments(parser, about="https://… of the feed itself.")
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
        url = given_address(options, self.stderr)
        try:
            feed_id = feed_add(
                url=url,
                title=options["title"],
                tags=options["tag"],
                interval_minutes=options["interval"],
            )
            self.stdout.write(f"Added {redacted(url)}.")
            feed_schedule(feed_id=feed_id)
        except PortolanError as error:
            raise CommandError(str(error)) from None
        if options["import"]:
            self._import(feed_id)

    def _import(self, feed_id: int) -> None:
        try:
            self.stdout.write(report_line(feed_import(feed_id=feed_id)))
        except PortolanError as error:
            raise CommandError(
                f"{error} The worker tries again; if the address is wrong, take it out: "
                f"manage.py remove_feed {feed_id}"
            ) from None
