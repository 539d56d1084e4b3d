"""Instants as arguments: ISO 8601 text, a date or a date with time and offset."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, Field

MAX_INSTANT_CHARACTERS = 40


def instant_of(text: str) -> datetime:
    """Return the instant that a text names; a date is its midnight, UTC where no offset is given.

    Raises ValueError, with what is accepted, for any other text.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise ValueError("Input should be an ISO 8601 date or instant, as 2026-11-02") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


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
