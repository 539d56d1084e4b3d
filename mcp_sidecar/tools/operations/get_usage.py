"""get_usage over the recorded calls."""

from mcp_sidecar import bridge
from mcp_sidecar.contract.operations.get_usage import GetUsageArguments, GetUsageResult
from mcp_sidecar.tools.base import Call
from web.operations.selectors.usage import usage_report


async def get_usage(call: Call, arguments: GetUsageArguments) -> GetUsageResult:
    """Return the report of the last days."""
    report = await bridge.call(usage_report, principal=call.principal, days=arguments.days)
    return GetUsageResult.of(report)
