"""Instants as arguments: ISO 8601 text, a date or a date with time and offset."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, Field

MAX_INSTANT_CHARACTERS = 40


def instant_of(text: str) -> datetime:
    """Return the instant that a text names, in UTC; a date is its midnight, without offset UTC's.

    Raises ValueError, with what is accepted, for any other text, and for an instant that lies
    outside of the years 1 to 9999 in UTC.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise ValueError("Input should be an ISO 8601 date or instant, as 2026-11-02") from None


def instant_or_none(text: str | None) -> datetime | None:
    """Return the instant that a text names; None without one."""
    return instant_of(text) if text else None


def _checked(text: str | None) -> str | None:
    if text is not None:
        instant_of(text)
    return text


OptionalInstant = Annotated[
    str | None, Field(max_length=MAX_INSTANT_CHARACTERS), AfterValidator(_checked)
]
