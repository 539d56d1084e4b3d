"""Whether this sidecar can answer: the checks behind /ready, each one word and never a detail."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from mcp_sidecar import bridge
from web.core.limits import LIMITS
from web.operations.selectors.health import READINESS, checks_made

logger = logging.getLogger(__name__)


async def failing_checks(own_answer: Callable[[], Awaitable[bool]]) -> dict[str, bool]:
    """Return each check with whether it passed.

    They are those of the health that a process cannot answer without, and `own_answer`, which sends
    a request with the public Host through the sidecar's own stack: a sidecar that would refuse its
    clients is not ready.
    """
    report, answers = await asyncio.gather(
        bridge.look_up(checks_made, names=READINESS), _passes(own_answer)
    )
    checks = {check.name: check.state != "failing" for check in report.checks}
    return checks | {"endpoint": answers}


async def _passes(own_answer: Callable[[], Awaitable[bool]]) -> bool:
    try:
        async with asyncio.timeout(LIMITS.health_check_seconds):
            return await own_answer()
    except Exception as error:
        logger.warning("the check %r fails: %s", "endpoint", type(error).__name__)
        return False
