"""get_health over the checks of the installation."""

from mcp_sidecar import bridge
from mcp_sidecar.contract.operations.get_health import GetHealthArguments, GetHealthResult
from mcp_sidecar.tools.base import Call
from web.operations.selectors.health import health_report


async def get_health(call: Call, arguments: GetHealthArguments) -> GetHealthResult:
    """Return all checks."""
    del arguments
    return GetHealthResult.of(await bridge.call(health_report, principal=call.principal))
