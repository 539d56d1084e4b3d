"""What the sidecar itself must know of the library: the visible names and the index generation."""

from collections.abc import Hashable

from mcp_sidecar import bridge
from mcp_sidecar.remembered import Remembered
from web.accounts.principals import Principal
from web.library.selectors.generation import index_generation as read_generation
from web.library.selectors.repositories import repository_names_visible_to

_Visibility = tuple[int | None, bool, bool]

_names: Remembered[_Visibility, tuple[str, ...]] = Remembered()
_generation: Remembered[None, int] = Remembered()


async def names_visible_to(
    principal: Principal, *, at: Hashable = None, fresh: bool = False
) -> tuple[str, ...]:
    """Return the names of the repositories that `principal` may see, in list order."""
    key = (principal.user_id, principal.is_member, principal.is_staff)

    async def read() -> tuple[str, ...]:
        return tuple(await bridge.look_up(repository_names_visible_to, principal=principal))

    return await (_names.fresh(key, read) if fresh else _names.get(key, read, at=at))


async def index_generation(*, at: Hashable) -> int:
    """Return the generation of the index."""

    async def read() -> int:
        return await bridge.look_up(read_generation)

    return await _generation.get(None, read, at=at)
