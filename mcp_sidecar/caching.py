"""Results of read-only tools, kept until the index changes.

In the Django cache, so that several sidecars share one where there is Redis. A cache that does not
answer makes calls slower, never wrong: it counts as empty.
"""

import functools
import hashlib
import logging
from typing import Any, Final, NamedTuple

from django.core.cache import DEFAULT_CACHE_ALIAS, caches
from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.locmem import LocMemCache
from pydantic import BaseModel

from mcp_sidecar import bridge, counters
from mcp_sidecar.contract.base import AnyContract
from mcp_sidecar.tools.base import Call
from mcp_sidecar.version import VERSION
from web.core.errors import PortolanError
from web.core.redaction import without_tokens

logger = logging.getLogger(__name__)

SEPARATOR: Final = "\x1f"


class Answer(NamedTuple):
    """A successful result as it is kept: its text, its structured content as JSON, and the count.

    `result_count` is how much was found; None where that has no meaning.
    """

    text: str
    structured: bytes | None = None
    result_count: int | None = None

    def without_tokens(self) -> "Answer":
        """Return the answer with every token in it replaced by "[redacted]"."""
        structured = self.structured
        if structured is not None:
            structured = without_tokens(structured.decode()).encode()
        return self._replace(text=without_tokens(self.text), structured=structured)


def may_be_cached(contract: AnyContract) -> bool:
    """Return whether results of the tool are kept at all.

    Never those of tools that write or that reach another service with the caller's own token.
    """
    return (
        contract.cache_seconds is not None
        and contract.hints.read_only
        and not contract.requires_github_token
    )


def key_of(
    contract: AnyContract, call: Call, arguments: BaseModel, *, server: str, generation: int
) -> str:
    """Return the key of a call's result.

    Version, index generation, endpoint, repository, tool and validated arguments decide it, and
    what of the caller results depend on: which repositories they see, and whether they are
    members or staff.
    """
    principal = call.principal
    parts = (
        VERSION,
        str(generation),
        server,
        call.scope.single or "*",
        call.repository or "*",
        contract.name,
        arguments.model_dump_json(),
        f"{principal.is_member:d}{principal.is_staff:d}",
        *call.scope.names,
    )
    digest = hashlib.blake2b(SEPARATOR.join(parts).encode(), digest_size=20)
    return f"portolan-tool-{digest.hexdigest()}"


async def kept(key: str) -> Answer | None:
    """Return the result kept under `key`, or None."""
    try:
        found = await _on_its_thread("get", key)
    except Exception as error:
        _say_it_is_away(error)
        counters.cache["away"] += 1
        return None
    if not isinstance(found, tuple):
        counters.cache["miss"] += 1
        return None
    counters.cache["hit"] += 1
    return Answer(*found)


async def keep(key: str, answer: Answer, *, seconds: int) -> None:
    """Keep a result for at most `seconds`."""
    try:
        await _on_its_thread("set", key, tuple(answer), seconds)
    except Exception as error:
        _say_it_is_away(error)


@functools.cache
def _store() -> BaseCache:
    """Return the one connection to the cache: Django would open one per task of the event loop."""
    return caches.create_connection(DEFAULT_CACHE_ALIAS)


async def _on_its_thread(method: str, *arguments: Any) -> Any:
    """Call the cache: here where it is memory of this process, else on a thread, as it may wait."""
    if isinstance(_store(), LocMemCache):
        return _ask(method=method, arguments=arguments)
    return await bridge.look_up(_ask, method=method, arguments=arguments)


def _ask(*, method: str, arguments: tuple[Any, ...]) -> Any:
    return getattr(_store(), method)(*arguments)


def _say_it_is_away(error: Exception) -> None:
    if not isinstance(error, PortolanError):
        logger.warning("the cache does not answer (%s); serving without it", type(error).__name__)
