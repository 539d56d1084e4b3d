"""sync_repository: a sync put into the worker's queue, by staff."""

from datetime import datetime

from pydantic import Field

from mcp_sidecar.contract.base import (
    FIX,
    RETRY,
    Arguments,
    Description,
    Rendering,
    Result,
    ToolContract,
)
from mcp_sidecar.contract.fields import OptionalWord
from mcp_sidecar.contract.operations.scopes import REVERSIBLE
from mcp_sidecar.contract.rendering.answer import Answer
from mcp_sidecar.contract.rendering.freshness import instant
from mcp_sidecar.contract.text import link, span

NAME = "sync_repository"
MAX_NAME_CHARACTERS = 63


class SyncRepositoryArguments(Arguments):
    """What sync_repository takes."""

    repository: str = Field(
        min_length=1,
        max_length=MAX_NAME_CHARACTERS,
        description="Name of a repository or site, as list_sources shows it.",
        examples=["django"],
    )
    reason: OptionalWord = Field(
        None, description="Why, for the audit.", examples=["the release was tagged just now"]
    )


class SyncRepositoryResult(Result):
    """A sync that waits; see the record SyncRequested."""

    repository: str
    is_new: bool
    waiting_count: int
    running_since: datetime | None
    page: str


def render(result: SyncRepositoryResult) -> Rendering:
    """Return that it waits, and where to watch."""
    name = span(result.repository)
    lines = [
        f"A sync of {name} is queued."
        if result.is_new
        else f"A sync of {name} was queued already: nothing was added.",
        f"An earlier sync of it goes on since {instant(result.running_since)}."
        if result.running_since
        else "",
        f"Tasks waiting for a worker, this one included: {result.waiting_count}."
        if result.waiting_count
        else "",
    ]
    closing = [
        'Watch it: list_sources with state="busy" while it goes on; afterwards list_sources shows '
        "when it was last read, or why it failed.",
        f"On the web: {link(result.page)}",
    ]
    return Rendering(Answer(lines).text(closing))


CONTRACT = ToolContract(
    name=NAME,
    title="Sync repository",
    description=Description(
        purpose="Have a worker read a repository or documentation site anew, and return at once "
        "where to watch it. Use it when a push is not in the index yet, or when the cause of a "
        "failed sync is gone. Asking twice queues it once.",
        not_for="how the sources stand and why one fails (list_sources).",
        returns='text such as "A sync of `django` is queued." with how many tasks wait and the '
        "address of its page; not the outcome of the sync.",
        errors=f"{FIX} not_found: no source has that name, the hint lists them. not_allowed: the "
        f"caller is no longer staff; tell the user. {RETRY}",
    ),
    arguments=SyncRepositoryArguments,
    result=SyncRepositoryResult,
    renderer=render,
    hints=REVERSIBLE,
    cache_seconds=None,
)
