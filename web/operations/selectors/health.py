"""Whether the installation is well."""

from collections.abc import Collection
from typing import Final

from web.accounts.principals import Principal
from web.core import clock
from web.operations.health import parts, work
from web.operations.health.running import made
from web.operations.records import HealthReport, State

CHECKS: Final = (
    parts.DATABASE,
    parts.MIGRATIONS,
    parts.INDEX,
    parts.CACHE,
    work.WORKER,
    work.RECORDS,
    work.DISK,
    work.SOURCES,
    work.ERRORS,
)
READINESS: Final = ("database", "migrations", "index", "cache")
"""What a process cannot answer without; the others concern the installation as a whole."""

_BY_SEVERITY: Final[tuple[State, ...]] = ("ok", "warning", "failing")


def health_report(*, principal: Principal) -> HealthReport:
    """Return all checks; raises NotAllowed for callers who are not staff."""
    principal.require_staff()
    return checks_made(names=[check.name for check in CHECKS])


def checks_made(*, names: Collection[str]) -> HealthReport:
    """Make the checks of these names, in the order of CHECKS, within HEALTH_CHECK_SECONDS.

    Raises nothing: a check that fails or hangs says so. Meant for the product itself; what checks
    find is for staff.
    """
    checks = made(tuple(check for check in CHECKS if check.name in names))
    worst = max((_BY_SEVERITY.index(check.state) for check in checks), default=0)
    return HealthReport(_BY_SEVERITY[worst], clock.now(), checks)
