"""How many messages a caller may send: an account over all its tokens, else an address.

Anonymous messages count against the address they come from, wrong tokens too, on a count of their
own. What is refused without asking anything of the platform (a foreign Host, a method, an unknown
address) is not counted: the refusal of too many would cost as much.
"""

import math
from collections.abc import Mapping
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from typing import Final

from mcp_sidecar.auth import Caller, is_in_use
from mcp_sidecar.errors import TOO_MANY_REQUESTS, ProtocolError
from mcp_sidecar.transport import messages
from mcp_sidecar.transport.rate_counts import Count, SharedCount
from mcp_sidecar.transport.responses import Refusal, Scope
from web.core.limits import LIMITS, Limits

NETWORK_BITS: Final = 64
MAX_ADDRESS_CHARACTERS: Final = 64
NO_ADDRESS: Final = "unreadable"


class RateLimits:
    """The counts of one sidecar, or its part of those that `shared` keeps for several."""

    def __init__(self, limits: Limits = LIMITS, *, shared: SharedCount | None = None) -> None:
        self._accounts = Count(limits.max_messages_per_minute, shared=shared)
        self._addresses = Count(limits.max_anonymous_messages_per_minute, shared=shared)
        self._wrong_tokens = Count(limits.max_wrong_tokens_per_minute, shared=shared)

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

    def check_token(self, headers: Mapping[bytes, bytes], address: str, *, resource: str) -> None:
        """Raise Refusal 429 for a token that is not in use, from an address that tried too many."""
        if not address or b"authorization" not in headers:
            return
        wait_seconds = self._wrong_tokens.wait_seconds(f"wrong-token:{address}")
        if wait_seconds and not is_in_use(headers, resource=resource):
            raise too_many(
                "Too many wrong tokens came from this address",
                wait_seconds=wait_seconds,
                advice=" Make sure that the token is complete, not expired and not revoked.",
            )

    async def note_wrong_token(self, address: str) -> None:
        """Count a token that is none against the address it came from."""
        if address:
            await self._wrong_tokens.take(f"wrong-token:{address}")


def too_many(what: str, *, wait_seconds: float, advice: str = "") -> Refusal:
    """Return the refusal 429: what was too much, when to try again, what else may help.

    Its body is a JSON-RPC error, which clients show as the answer to what they sent.
    """
    seconds = max(1, math.ceil(wait_seconds))
    message = f"{what}. Wait {seconds} seconds, then send it again.{advice}"
    error = ProtocolError(
        TOO_MANY_REQUESTS,
        message,
        {"code": "too_many_requests", "retry_after_seconds": seconds},
    )
    return Refusal(
        429,
        "too_many_requests",
        message,
        headers=((b"retry-after", b"%d" % seconds),),
        body=messages.error_json(messages.NULL, error),
    )


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
