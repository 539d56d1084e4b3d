"""Whether this sidecar can answer: the checks behind /ready, each one word and never a detail."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from mcp_sidecar import bridge
from web.core.errors import PortolanError
from web.core.limits import LIMITS
from web.operations.selectors.health import READINESS, checks_made

logger = logging.getLogger(__name__)


async def failing_checks(own_answer: Callable[[], Awaitable[bool]]) -> dict[str, bool]:
    """Return each check with whether it passed.

    They are those of the health that a process cannot answer without, and `own_answer`, which sends
    a request with the public Host through the sidecar's own stack: a sidecar that would refuse its
    clients is not ready.
    """
    checks, answers = await asyncio.gather(_checked(), _passes(own_answer))
    return checks | {"endpoint": answers}


async def _checked() -> dict[str, bool]:
    """Return the checks of the health; all fail where they cannot even be made."""
    try:
        report = await bridge.look_up(checks_made, names=READINESS)
    except PortolanError as error:
        logger.warning("the checks of the health cannot be made", exc_info=error)
        return dict.fromkeys(READINESS, False)
    return {check.name: check.state != "failing" for check in report.checks}


async def _passes(own_answer: Callable[[], Awaitable[bool]]) -> bool:
    try:
        async with asyncio.timeout(LIMITS.health_check_seconds):
            return await own_answer()
    except Exception as error:
        logger.warning("the check %r fails: %s", "endpoint", type(error).__name__)
        return False
