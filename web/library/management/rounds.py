"""Doing one thing to several repositories, one after the other, as commands show it."""

import logging
from collections.abc import Callable, Sequence
from threading import Event
from typing import Protocol

from django.core.management.base import BaseCommand

from web.accounts.principals import Principal
from web.core.errors import PortolanError
from web.library.indexing.progress import SyncProgress
from web.library.management.shown_progress import outcome_line, shown_progress
from web.library.selectors.repositories import repository_names_visible_to
from web.library.selectors.syncs import sync_is_due
from web.library.services.sync import SyncReport

logger = logging.getLogger(__name__)

_OPERATOR = Principal(is_member=True, is_staff=True)


class Work(Protocol):
    """What is done to a repository."""

    def __call__(
        self,
        *,
        name: str,
        progress: Callable[[SyncProgress], None],
        on_wait: Callable[[], None],
    ) -> SyncReport:
        """Do it and return what was done."""
        ...


def each_repository(
    command: BaseCommand, names: Sequence[str], work: Work, *, stopped: Event | None = None
) -> list[str]:
    """Do the work to each of the repositories, all of them without names; return those that failed.

    Where there is a `stopped`, this is one round of many: it ends early once that is set, goes on
    after any failure, and leaves remotes alone that refused the sign-in, until their pause is over.
    """
    everything = repository_names_visible_to(principal=_OPERATOR)
    if not names and not everything:
        command.stdout.write("No repositories yet. Add one: manage.py add_repository NAME URL")
    failed = []
    for name in names or everything:
        if stopped is not None and stopped.is_set():
            break
        if stopped is not None and not sync_is_due(name):
            continue
        try:
            with shown_progress(name, command.stderr) as show:
                report = work(name=name, progress=show, on_wait=tells_wait(command, name))
        except PortolanError as error:
            failed.append(name)
            command.stderr.write(f"{name}: {error}")
        except Exception:
            if stopped is None:
                raise
            failed.append(name)
            logger.exception("%s failed; the next round tries again", name)
        else:
            command.stdout.write(outcome_line(report))
    return failed


def tells_wait(command: BaseCommand, name: str) -> Callable[[], None]:
    """Return what says on a command's output that another sync has to end first."""
    return lambda: command.stderr.write(f"{name}: another sync is running, waiting for it.")
