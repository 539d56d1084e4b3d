"""list_sources: repositories, sites and feeds with their state, for staff."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from mcp_sidecar.contract.base import (
    FIX,
    RETRY,
    Arguments,
    Description,
    Listing,
    Rendering,
    Result,
    ToolContract,
)
from mcp_sidecar.contract.fields import Cursor, row_limit
from mcp_sidecar.contract.limits import DEFAULT_LIST_LIMIT, MAX_LIST_LIMIT
from mcp_sidecar.contract.rendering.freshness import instant
from mcp_sidecar.contract.rendering.lists import listed
from mcp_sidecar.contract.text import span, word

NAME = "list_sources"

State = Literal["stale", "old", "new", "paused", "fresh", "busy"]


class ListSourcesArguments(Arguments):
    """What list_sources takes."""

    state: State | None = Field(
        None,
        description="stale: cannot be read; old: nobody read it for long; new: never read; "
        "paused: a feed switched off; fresh: all well; busy: queued or syncing now; left out: all.",
        examples=["stale"],
    )
    limit: int = row_limit(DEFAULT_LIST_LIMIT, MAX_LIST_LIMIT, noun="Sources", example=20)
    cursor: Cursor = None


class SourceItem(Result):
    """A source; see the record Source."""

    kind: str
    name: str
    address: str
    state: str
    activity: str
    read_at: datetime | None
    stale_since: datetime | None
    reason: str
    next_at: datetime | None


class ListSourcesResult(Listing):
    """One page of sources, those that need somebody first."""

    sources: tuple[SourceItem, ...]
    states: tuple[tuple[str, int], ...]


def render(result: ListSourcesResult) -> Rendering:
    """Return one line per source, what to do below those that need it."""
    counts = ", ".join(f"{number} {word(name)}" for name, number in result.states)
    when_empty = "No source is in this state. Leave state out to see all."
    if not result.states:
        when_empty = "There is no source yet: manage.py add_repository NAME ADDRESS adds one."
    return listed(
        NAME,
        result,
        [_line(source) for source in result.sources],
        title=f"Sources of this server: {counts or 'none yet'}.",
        noun="sources",
        when_empty=when_empty,
    )


def _line(source: SourceItem) -> str:
    read = f"last read {instant(source.read_at)}" if source.read_at else "never read"
    parts = [
        f"- {word(source.kind)} {span(source.name, 200)} ({span(source.address, 300)}): "
        f"{word(source.state)}",
        read,
    ]
    if source.stale_since is not None:
        parts.append(f"since {instant(source.stale_since)} because {span(source.reason, 400)}")
    if source.activity:
        parts.append(span(source.activity, 100))
    if source.next_at is not None:
        again = "read again" if source.kind == "feed" else "not read again by itself before"
        parts.append(f"{again} {instant(source.next_at)}")
    action = _next_action(source)
    return ", ".join(parts) + (f". Next: {action}" if action else "")


def _next_action(source: SourceItem) -> str:
    """Return what somebody should do now; empty where nothing is to be done."""
    if source.activity or source.state == "fresh":
        return ""
    if source.kind == "feed":
        actions = {
            "stale": "check the address in the admin; it is tried again by itself.",
            "old": "see whether the worker runs.",
            "new": "see whether the worker runs.",
            "paused": "switch it on in the admin when it is wanted again.",
        }
        return actions.get(source.state, "")
    sync = f'sync_repository with repository="{word(source.name)}"'
    return f"remove the cause, then {sync}." if source.state == "stale" else f"{sync}."


CONTRACT = ToolContract(
    name=NAME,
    title="List sources",
    description=Description(
        purpose="List the repositories, documentation sites and feeds that this server reads, with "
        "address, state, when each was last read, the error of those that cannot be read, and what "
        "to do next; those that need somebody come first. Use it when answers are out of date or "
        "to watch a sync. Without state it lists all.",
        not_for="starting a sync (sync_repository).",
        returns='Markdown: how many are in which state, then one line per source, such as "- '
        "repository `django` (`https://github.com/django/django`): stale, last read 2026-11-05 "
        '09:12 UTC, since 2026-11-06 00:00 UTC because `the remote does not answer`"; '
        "filters_applied; total_count; the cursor of the next page.",
        errors=f"{FIX} {RETRY}",
    ),
    arguments=ListSourcesArguments,
    result=ListSourcesResult,
    renderer=render,
    cache_seconds=None,
)
