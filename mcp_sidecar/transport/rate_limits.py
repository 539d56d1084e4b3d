"""How many messages a caller may send: an account over all its tokens, else an address.

Anonymous messages count against the address they come from, wrong tokens too, on a count of their
own. Beyond that count a right token is taken all the same: many people may share an address with
one client that has a wrong one. What is refused without asking anything of the platform (a foreign
Host, a method, an unknown address) is not counted: the refusal of too many would cost as much.
"""

import asyncio
import math
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from typing import Final

from mcp_sidecar.auth import Caller, is_in_use
from mcp_sidecar.transport.rate_counts import Count, SharedCount
from mcp_sidecar.transport.responses import Refusal, Scope
from web.core.limits import LIMITS, Limits

NETWORK_BITS: Final = 64
MAX_ADDRESS_CHARACTERS: Final = 64
NO_ADDRESS: Final = "unreadable"
MOST_IN_LINE: Final = 20


@dataclass(slots=True)
class _Line:
    """The requests of one address whose tokens are looked up one after the other."""

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    length: int = 0


class RateLimits:
    """The counts of one sidecar, or its part of those that `shared` keeps for several."""

    def __init__(self, limits: Limits = LIMITS, *, shared: SharedCount | None = None) -> None:
        self._accounts = Count(limits.max_messages_per_minute, shared=shared)
        self._addresses = Count(limits.max_anonymous_messages_per_minute, shared=shared)
        self._wrong_tokens = Count(limits.max_wrong_tokens_per_minute, shared=shared)
        self._lines: dict[str, _Line] = {}

    async def take(self, caller: Caller, address: str, amount: int = 1) -> None:
        """Count `amount` messages against the caller. Raises Refusal 429 where there were too many.

        A caller that is neither an account nor has an address is this process itself.
        """
        user_id = caller.principal.user_id
        if user_id is not None:
            count, key = self._accounts, f"account:{user_id}"
        elif address:
            count, key = self._addresses, f"address:{address}"
        else:
            return
        wait_seconds = count.at_once(key, amount)
        if wait_seconds is None:
            wait_seconds = await count.take(key, amount)
        if wait_seconds:
            if user_id is not None:
                whose, advice = "this account", ""
            else:
                whose = "this address"
                advice = " Sign in, or send a token, for a limit of your own."
            raise too_many(
                f"Too many messages: {whose} may send {count.per_minute} in a minute",
                wait_seconds=wait_seconds,
                advice=advice,
            )

    @asynccontextmanager
    async def looking_up(
        self, headers: Mapping[bytes, bytes], address: str, *, resource: str
    ) -> AsyncIterator[None]:
        """Look up the token of a request in the block: at once, as long as few were wrong.

        From an address that tried too many, tokens that are not in use are looked up one at a time,
        so that guessing takes no more than one thread. Raises Refusal 429 where the line is long.
        """
        suspect = b"authorization" in headers and self._wrong_tokens.wait_seconds(_wrong(address))
        if not suspect or is_in_use(headers, resource=resource):
            yield
            return
        line = self._lines.setdefault(address, _Line())
        if line.length >= MOST_IN_LINE:
            raise _too_many_wrong(1.0)
        line.length += 1
        try:
            async with line.turn:
                yield
        finally:
            line.length -= 1
            if not line.length:
                del self._lines[address]

    async def note_wrong_token(self, address: str) -> None:
        """Count a token that is none against its address. Raises Refusal 429 for one too many."""
        if address and (wait_seconds := await self._wrong_tokens.take(_wrong(address))):
            raise _too_many_wrong(wait_seconds)


def _wrong(address: str) -> str:
    return f"wrong-token:{address}"


def _too_many_wrong(wait_seconds: float) -> Refusal:
    return too_many(
        "Too many wrong tokens came from this address",
        wait_seconds=wait_seconds,
        advice=" Make sure that the token is complete, not expired and not revoked.",
    )


def too_many(what: str, *, wait_seconds: float, advice: str = "") -> Refusal:
    """Return the refusal 429: what was too much, when to try again, what else may help."""
    seconds = max(1, math.ceil(wait_seconds))
    message = f"{what}. Wait {seconds} seconds, then send it again.{advice}"
    return Refusal(429, "too_many_requests", message, retry_after_seconds=seconds)


def address_of(scope: Scope) -> str:
    """Return the address to count against; empty where the request came over no network.

    The server has already taken it from X-Forwarded-For, counted from the right through
    PORTOLAN_TRUSTED_PROXIES. Of IPv6 it is the /64 network, which one customer has to itself. All
    that is no address counts as one, so that nobody gets a new count with every new nonsense.
    """
    client = scope.get("client")
    return _network_of(client[0][:MAX_ADDRESS_CHARACTERS]) if client and client[0] else ""


@lru_cache(maxsize=4096)
def _network_of(host: str) -> str:
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return NO_ADDRESS
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    shift = address.max_prefixlen - NETWORK_BITS
    return f"{IPv6Address(int(address) >> shift << shift)}/{NETWORK_BITS}"
