"""Writing down what was called."""

import json
import logging
import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

from django.db import DataError, IntegrityError, transaction
from django.db.models import CharField

from web.core.limits import LIMITS
from web.core.text import storable
from web.operations.models import ToolCall
from web.operations.records import NewToolCall

logger = logging.getLogger(__name__)

_MOST_NAMES = 20
_MOST_NAME_CHARACTERS = 100


def tool_calls_record(*, calls: Sequence[NewToolCall]) -> int:
    """Record the calls in one short transaction; return how many.

    Texts are cut to what a row holds; of arguments longer than MAX_RECORDED_ARGUMENTS_CHARACTERS
    only the names are kept. A call that the database refuses for what it holds is left out and
    logged. Raises OperationalError while the database is busy or away; then nothing was written.
    """
    rows = [_row(call) for call in calls]
    try:
        with transaction.atomic():
            ToolCall.objects.bulk_create(rows)
    except (DataError, IntegrityError):
        return sum(map(_saved, rows))
    return len(rows)


def _saved(row: ToolCall) -> bool:
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except (DataError, IntegrityError):
        logger.exception("a call of %s cannot be recorded", row.tool)
        return False
    return True


def _row(call: NewToolCall) -> ToolCall:
    return ToolCall(
        at=call.at,
        server=_text(call.server, "server"),
        endpoint=_text(call.endpoint, "endpoint"),
        tool=_text(call.tool, "tool"),
        user_id=call.user_id,
        caller=_text(call.caller, "caller"),
        outcome=_text(call.outcome, "outcome"),
        seconds=call.seconds,
        cached=call.cached,
        result_size=call.result_size,
        result_count=call.result_count,
        query=_text(" ".join(call.query.split()), "query"),
        arguments=_arguments(call.arguments),
        request_id=_text(call.request_id, "request_id"),
    )


def _text(text: str, field: str) -> str:
    longest = cast("CharField[str, str]", ToolCall._meta.get_field(field)).max_length
    return storable(text)[:longest]


def _arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = _storable(dict(arguments))
    if len(json.dumps(kept)) <= LIMITS.max_recorded_arguments_characters:
        return kept
    names = [name[:_MOST_NAME_CHARACTERS] for name in list(kept)[:_MOST_NAMES]]
    return dict.fromkeys(names, "(too long to record)")


def _storable(value: Any) -> Any:
    """Return JSON's value as every database can hold it."""
    if isinstance(value, dict):
        return {storable(str(name)): _storable(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_storable(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return storable(value) if isinstance(value, str) else value
