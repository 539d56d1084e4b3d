"""Calls to be recorded, made of a few words."""

from dataclasses import replace
from datetime import UTC, datetime

from web.accounts.principals import Principal
from web.operations.records import NewToolCall

STAFF = Principal(user_id=1, is_member=True, is_staff=True, username="ada")
NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
_CALL = NewToolCall(
    at=NOON,
    server="portolan-project",
    endpoint="/mcp/",
    tool="search_code",
    user_id=None,
    caller="anonymous",
    outcome="ok",
    seconds=0.02,
    cached=False,
    result_size=1_200,
    result_count=3,
    query="csrf",
    arguments={"query": "csrf"},
    request_id="r-1",
)


def call(**changes):
    """Return an anonymous search that found three places at noon, but for the changes."""
    return replace(_CALL, **changes)
