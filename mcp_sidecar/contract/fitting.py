"""Pages that fit: what an adapter does when a page of rows passes the size of an answer."""

from collections.abc import Awaitable, Callable

from mcp_sidecar.contract.base import Arguments, Result, ToolContract


async def fitted[A: Arguments, R: Result](
    contract: ToolContract[A, R], fetch: Callable[[int], Awaitable[R]], limit: int
) -> R:
    """Return a page of at most `limit` rows that can be shown whole.

    `fetch(limit)` gives a page with the cursor behind its last row. Rarely a page holds more than
    an answer may; then it is fetched once more with as many rows as fit, so that its cursor goes
    on without a gap.
    """
    result = await fetch(limit)
    rendering = contract.rendering(result)
    if rendering.left_out == 0:
        return result
    return await fetch(max(rendering.shown, 1))
