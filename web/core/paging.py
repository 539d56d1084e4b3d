"""Cursors: opaque positions in a list that are bound to the filters they were made for."""

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from web.core.errors import InvalidInput

_MAX_DIGITS = 15  # of a row number or a key; nothing keeps a caller from making up a cursor


@dataclass(frozen=True, slots=True)
class Page[Row]:
    """One page: its rows, how many match in all, and the cursor of the next page or None."""

    rows: tuple[Row, ...]
    total_count: int
    next_cursor: str | None


def check_limit(limit: int, *, most: int) -> None:
    """Raise InvalidInput where a page is to have less than one row, or more than `most`."""
    if not 1 <= limit <= most:
        raise InvalidInput(
            f"limit must be from 1 to {most}.",
            hint="Take a smaller limit and page with the cursor.",
            fields={"limit": f"Input should be from 1 to {most}"},
        )


def _fingerprint(filters: Mapping[str, Any]) -> str:
    text = json.dumps(dict(filters), sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def cursor_for(*, offset: int, filters: Mapping[str, Any]) -> str:
    """Return the cursor of the row number `offset` (from 0) in the list that `filters` gives."""
    return cursor_behind(str(offset), filters=filters)


def offset_of(cursor: str | None, *, filters: Mapping[str, Any]) -> int:
    """Return the row number that `cursor` stands for; 0 without a cursor.

    Raises InvalidInput for a cursor that is malformed or was made with other filters.
    """
    place = place_of(cursor, filters=filters)
    if place is None:
        return 0
    return number_of(place)


def number_of(place: str) -> int:
    """Return the number that a place of a cursor stands for.

    Raises InvalidInput for a place that is none, or that no database could count to.
    """
    if not (place.isascii() and place.isdigit() and len(place) <= _MAX_DIGITS):
        raise foreign_cursor()
    return int(place)


def cursor_behind(place: str, *, filters: Mapping[str, Any]) -> str:
    """Return a cursor for a place of the list's own making, in ASCII, such as a row's key."""
    text = f"{place}:{_fingerprint(filters)}"
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def place_of(cursor: str | None, *, filters: Mapping[str, Any]) -> str | None:
    """Return the place that `cursor_behind` was given; None without a cursor.

    Raises InvalidInput for a cursor that is malformed or was made with other filters.
    """
    if not cursor:
        return None
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        text = base64.urlsafe_b64decode(padded.encode("ascii")).decode("ascii")
    except (ValueError, UnicodeError):
        raise foreign_cursor() from None
    place, _, mark = text.rpartition(":")
    if mark != _fingerprint(filters):
        raise foreign_cursor()
    return place


def foreign_cursor() -> InvalidInput:
    """Return the error of a cursor that does not belong to the arguments it came with."""
    return InvalidInput(
        "The cursor does not belong to this call: other arguments are not those of the call that "
        "returned it, or what it pages through changed since.",
        hint="Begin again without cursor.",
        fields={"cursor": "does not belong to these arguments"},
    )
