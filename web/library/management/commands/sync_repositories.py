"""`manage.py sync_repositories [NAME…] [--watch SECONDS]`: bring the index up to date."""

import functools
import logging
import signal
import threading
from types import FrameType
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import close_old_connections

from web.library.management.feed_lines import import_feeds
from web.library.management.rounds import each_repository
from web.library.selectors.feeds import feeds_due
from web.library.services.posts import posts_release_due
from web.library.services.repositories import finish_removals
from web.library.services.sync import repository_sync

logger = logging.getLogger(__name__)

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


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
            help="Go on until SIGTERM or Ctrl-C, pausing so long between rounds. A failure does "
            "not end it; a signal stops a sync that runs, and the next one completes it. "
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
            finish_removals()
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

        def stop(_signal: int, _frame: FrameType | None) -> NoReturn:
            for number in _SIGNALS:
                signal.signal(number, signal.SIG_DFL)  # the second one ends the process
            stopped.set()  # where the exception meets code that takes none
            raise KeyboardInterrupt

        for number in _SIGNALS:
            signal.signal(number, stop)
        try:
            self._rounds(names, pause, stopped)
        except KeyboardInterrupt:
            self.stderr.write("Stopped.")

    def _rounds(self, names: list[str], pause: float, stopped: threading.Event) -> None:
        while not stopped.is_set():
            try:
                finish_removals()
                each_repository(self, names, repository_sync, stopped=stopped)
                if not names and not stopped.is_set():
                    posts_release_due()
                    import_feeds(self, feeds_due())
            except Exception:
                logger.exception("A round failed; the next one tries again")
            close_old_connections()
            stopped.wait(pause)
