"""`manage.py sync_repositories [NAME…] [--watch SECONDS]`: bring the index up to date."""

import functools
import logging
import signal
import threading
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import close_old_connections

from web.library.management.feed_lines import import_feeds
from web.library.management.rounds import each_repository
from web.library.selectors.feeds import feeds_due
from web.library.services.posts import posts_release_due
from web.library.services.sync import repository_sync

logger = logging.getLogger(__name__)


class Command(BaseCommand):
    """Syncs repositories one after the other, once or again and again."""

    help = (
        "Fetch repositories and sites, and index what is new. All of them without a name. "
        "Exits with 1 when any failed; their old index stays and is marked as stale."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the command line."""
        parser.add_argument(
            "names", nargs="*", metavar="NAME", help="Repositories; all by default."
        )
        parser.add_argument(
            "--watch",
            type=float,
            metavar="SECONDS",
            help="Go on for ever, pausing so long between rounds. A failure does not end it. "
            "Without names each round also imports the feeds that are due, and lets scheduled "
            "posts appear.",
        )
        parser.add_argument(
            "--force",
            action="store_true",
            help="Copy repositories anew, for a mirror that lost something; crawl sites at once, "
            "however long ago that was, and ask for every page as if it were new.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Sync once, or until a signal asks to stop."""
        names, pause = options["names"], options["watch"]
        if pause is None:
            work = functools.partial(repository_sync, force=options["force"])
            failed = each_repository(self, names, work)
            if failed:
                raise CommandError(f"{len(failed)} failed: {', '.join(failed)}.")
            return
        if options["force"]:
            raise CommandError("--force is for one round; leave out --watch.")
        if not 1 <= pause <= threading.TIMEOUT_MAX:
            raise CommandError("--watch takes a number of seconds, 1 or more.")
        self._watch(names, pause)

    def _watch(self, names: list[str], pause: float) -> None:
        stopped = threading.Event()

        def stop(_signal: int, _frame: FrameType | None) -> None:
            stopped.set()

        signal.signal(signal.SIGTERM, stop)
        signal.signal(signal.SIGINT, stop)
        while not stopped.is_set():
            try:
                each_repository(self, names, repository_sync, stopped=stopped)
                if not names and not stopped.is_set():
                    posts_release_due()
                    import_feeds(self, feeds_due())
            except Exception:
                logger.exception("A round failed; the next one tries again")
            close_old_connections()
            stopped.wait(pause)
