"""When a host that refuses is asked again: later each time, for hosts lock out who insists."""

from datetime import datetime, timedelta

from web.core.errors import NotAllowed, PortolanError, TooManyRequests
from web.core.limits import LIMITS


def refusal_pause(error: PortolanError, *, earlier: int) -> timedelta | None:
    """Return how long to leave a host alone after this failure; None where it refused nobody.

    `earlier` counts the refusals before this one, since it last worked: each doubles the pause,
    from LIMITS.refusal_pause_minutes to LIMITS.max_refusal_pause_minutes. A host that says itself
    how long it wants to be left alone is left alone so long at least.
    """
    if not isinstance(error, NotAllowed | TooManyRequests):
        return None
    longest = LIMITS.max_refusal_pause_minutes
    doublings = min(earlier, longest.bit_length())
    pause = timedelta(minutes=min(LIMITS.refusal_pause_minutes << doublings, longest))
    if isinstance(error, TooManyRequests):
        pause = max(pause, timedelta(seconds=error.retry_after_seconds))
    return pause


def is_over(until: datetime | None, *, since: datetime | None, now: datetime) -> bool:
    """Say whether a pause is over; also one that began in the future: then the clock was wrong."""
    return until is None or now >= until or (since is not None and now < since)
