"""The one place that asks for the time, so that tests can set it."""

from collections.abc import Callable
from datetime import datetime

from django.utils import timezone

_now: Callable[[], datetime] = timezone.now


def now() -> datetime:
    """Return the current instant, aware, in UTC."""
    return _now()
