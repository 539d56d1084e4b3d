"""Cursors: opaque positions in a list that are bound to the filters they were made for."""

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from web.core.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Page[Row]:
    """One page: its rows, how many match in all, and the cursor of the next page or None."""

    rows: tuple[Row, ...]
    total_count: int
    next_cursor: str | None


def _fingerprint(filters: Mapping[str, Any]) -> str:
    text = json.dumps(dict(filters), sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def cursor_for(*, offset: int, filters: Mapping[str, Any]) -> str:
    """Return the cursor of the row number `offset` (from 0) in the list that `filters` gives."""
    return (
        base64.urlsafe_b64encode(f"{offset}:{_fingerprint(filters)}".encode()).decode().rstrip("=")
    )


def offset_of(cursor: str | None, *, filters: Mapping[str, Any]) -> int:
    """Return the row number that `cursor` stands for; 0 without a cursor.

    Raises InvalidInput for a cursor that is malformed or was made with other filters.
    """
    if not cursor:
        return 0
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        offset, _, mark = (
            base64.urlsafe_b64decode(padded.encode("ascii")).decode("ascii").partition(":")
        )
        number = int(offset)
    except (ValueError, UnicodeError):
        number, mark = -1, ""
    if number < 0 or mark != _fingerprint(filters):
        raise InvalidInput(
            "The cursor does not belong to this query.",
            hint="Repeat the call without cursor, or with exactly the arguments of the call that "
            "returned it.",
            fields={"cursor": "does not belong to these arguments"},
        )
    return number
