"""Checks are made side by side, each on a thread of its own, and waited for only so long."""

import logging
import threading
import time

from django.db import connections

from web.core.limits import LIMITS
from web.operations.health.findings import Check, Finding
from web.operations.records import HealthCheck

logger = logging.getLogger(__name__)

_lock = threading.Lock()
_running: dict[str, "_Run"] = {}


class _Run:
    """A check that is made just now."""

    def __init__(self, check: Check) -> None:
        self.check = check
        self.finding: Finding | None = None
        self.started = time.monotonic()
        self.ended = 0.0
        self.thread = threading.Thread(target=self._make, name=f"health-{check.name}", daemon=True)

    def _make(self) -> None:
        try:
            finding = self.check.look()
        except Exception as error:
            logger.warning("the check %r fails: %s", self.check.name, type(error).__name__)
            finding = self.check.failure
        finally:
            connections.close_all()
        self.ended = time.monotonic()
        self.finding = finding

    def outcome(self) -> HealthCheck:
        """Return what was found by now; a check that still hangs fails."""
        name, found = self.check.name, self.finding
        if found is None:
            seconds = time.monotonic() - self.started
            logger.warning("the check %r hangs since %.1f s", name, seconds)
            found = self.check.failure
            meaning = f"{found.meaning} (No answer for {seconds:.0f} s.)"
            return HealthCheck(name, found.state, meaning, found.action, seconds, found.details)
        seconds = self.ended - self.started
        return HealthCheck(name, found.state, found.meaning, found.action, seconds, found.details)


def made(checks: tuple[Check, ...]) -> tuple[HealthCheck, ...]:
    """Make the checks; return within HEALTH_CHECK_SECONDS, in their order.

    A check that hangs from an earlier time is not started a second time.
    """
    runs = [_started(check) for check in checks]
    until = time.monotonic() + LIMITS.health_check_seconds
    for run in runs:
        run.thread.join(max(0.0, until - time.monotonic()))
    return tuple(run.outcome() for run in runs)


def _started(check: Check) -> _Run:
    with _lock:
        run = _running.get(check.name)
        if run is None or not run.thread.is_alive():
            run = _running[check.name] = _Run(check)
            run.thread.start()
        return run
