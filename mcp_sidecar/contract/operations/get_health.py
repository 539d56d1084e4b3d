"""get_health: whether this server is well, for staff."""

from datetime import datetime

from mcp_sidecar.contract.base import (
    RETRY,
    Arguments,
    Description,
    Rendering,
    Result,
    ToolContract,
)
from mcp_sidecar.contract.rendering.answer import WRITTEN_BY_OTHERS, Answer
from mcp_sidecar.contract.rendering.freshness import instant
from mcp_sidecar.contract.text import span, word

NAME = "get_health"


class GetHealthArguments(Arguments):
    """get_health takes nothing."""


class HealthCheck(Result):
    """One check; see the record of the same name."""

    name: str
    state: str
    meaning: str
    action: str
    seconds: float
    details: tuple[str, ...]


class GetHealthResult(Result):
    """All checks in their fixed order."""

    state: str
    checked_at: datetime
    checks: tuple[HealthCheck, ...]


def render(result: GetHealthResult) -> Rendering:
    """Return one line per check, what to do and the particulars below it."""
    answer = Answer(
        [f"Health of this server: {word(result.state)}, checked {instant(result.checked_at)}."],
        notice=WRITTEN_BY_OTHERS,
    )
    shown = sum(answer.add(_block(check)) for check in result.checks)
    left_out = len(result.checks) - shown
    closing = [f"checks: {len(result.checks)}"]
    if left_out:
        closing.append(f"{left_out} checks did not fit.")
    return Rendering(answer.text(closing), shown, left_out)


def _block(check: HealthCheck) -> str:
    lines = [
        f"- {word(check.name)}: {word(check.state)}. {span(check.meaning)} "
        f"({check.seconds * 1000:.0f} ms)"
    ]
    if check.action:
        lines.append(f"  - next: {span(check.action)}")
    lines += [f"  - {span(detail, 300)}" for detail in check.details]
    return "\n".join(lines)


CONTRACT = ToolContract(
    name=NAME,
    title="Get health",
    description=Description(
        purpose="Check the health of this server: database, migrations, index, cache, worker "
        "queue, recording of calls, disk, freshness of sources, error rate. Each with its state "
        "(ok, warning or failing), what it means and what to do. Use it first when somebody says "
        "that something does not work.",
        not_for="why a request failed (search_logs), the state of each source (list_sources).",
        returns='Markdown: the worst state, then each check, such as "- worker: failing. `No '
        'worker takes tasks: 3 tasks wait` (4 ms)" with "next:" and the particulars below it.',
        errors=RETRY,
    ),
    arguments=GetHealthArguments,
    result=GetHealthResult,
    renderer=render,
    cache_seconds=None,
)
