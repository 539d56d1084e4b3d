"""find_symbol over the symbol table."""

from mcp_sidecar import bridge
from mcp_sidecar.contract.base import filters_of
from mcp_sidecar.contract.project.find_symbol import FindSymbolArguments, FindSymbolResult
from mcp_sidecar.tools.base import Call
from web.library.selectors.search import symbols_named


async def find_symbol(call: Call, arguments: FindSymbolArguments) -> FindSymbolResult:
    """Return the definitions of a name in one repository or in all."""
    found = await bridge.call(
        symbols_named,
        principal=call.principal,
        repository=call.repository,
        **arguments.model_dump(),
    )
    return FindSymbolResult.of(found, filters_applied=filters_of(arguments, call.repository))
