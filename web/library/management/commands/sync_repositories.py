"""`manage.py sync_repositories [NAME…] [--watch SECONDS]`: bring the index up to date."""

import signal
import threading
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import close_old_connections

from web.accounts.principals import Principal
from web.core.errors import PortolanError
from web.library.management.shown_progress import outcome_line, shown_progress
from web.library.selectors.repositories import repository_names_visible_to
from web.library.services.sync import repository_sync

_OPERATOR = Principal(is_member=True, is_staff=True)


class Command(BaseCommand):
    """Syncs repositories one after the other, once or again and again."""

    help = (
        "Fetch repositories and index what is new. All of them without a name. "
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
            help="Go on for ever, pausing so long between rounds. A failure does not end it.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Sync once, or until a signal asks to stop."""
        names, pause = options["names"], options["watch"]
        if pause is None:
            failed = self._round(names)
            if failed:
                raise CommandError(f"{len(failed)} failed: {', '.join(failed)}.")
            return
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
            self._round(names, stopped)
            close_old_connections()
            stopped.wait(pause)

    def _round(self, names: list[str], stopped: threading.Event | None = None) -> list[str]:
        """Sync each; return the names of those that failed."""
        everything = repository_names_visible_to(principal=_OPERATOR)
        if not names and not everything:
            self.stdout.write("No repositories yet. Add one: manage.py add_repository NAME URL")
        failed = []
        for name in names or everything:
            if stopped is not None and stopped.is_set():
                break
            try:
                with shown_progress(name, self.stderr) as show:
                    report = repository_sync(
                        name=name, progress=show, on_wait=self._tell_wait(name)
                    )
            except PortolanError as error:
                failed.append(name)
                self.stderr.write(f"{name}: {error}")
            else:
                self.stdout.write(outcome_line(report))
        return failed

    def _tell_wait(self, name: str) -> Any:
        return lambda: self.stderr.write(f"{name}: another sync is running, waiting for it.")
