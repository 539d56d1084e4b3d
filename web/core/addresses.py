"""Which hosts and network addresses the product may call on somebody's word.

An address that a feed, a site or a client names could lead into the network that Portolan stands
in (server-side request forgery). Whatever is not plainly a public host is refused here; fetching
itself is in `web.core.fetching`.
"""

import ipaddress
import re
import socket
import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

import idna

from web.core.errors import InvalidInput, Unavailable
from web.core.limits import LIMITS

Resolver = Callable[[str, float], Sequence[str]]
"""Return the network addresses of a host within so many seconds; raise Unavailable for none."""

HINT = "Only public http and https addresses are fetched."
_REMEDY = "PORTOLAN_FETCH_PRIVATE_HOSTS names hosts of your own network that may be as well."
PRIVATE_SUFFIXES = (
    "localhost",
    "local",
    "internal",
    "intranet",
    "private",
    "corp",
    "home",
    "lan",
    "home.arpa",
    "onion",
)
_WELL_KNOWN_PORTS = {"http": 80, "https": 443}
_FIRST_FREE_PORT = 1024
# Translation and tunnel prefixes carry an IPv4 address that a gateway would call for us.
_REFUSED_NETWORKS = tuple(
    ipaddress.ip_network(network)
    for network in (
        "0.0.0.0/8",  # RFC 1122, this network
        "168.63.129.16/32",  # Azure's platform address
        "192.88.99.0/24",  # RFC 7526, 6to4 relays
        "::/96",  # RFC 4291, IPv4-compatible
        "::ffff:0:0/96",  # RFC 4291, IPv4-mapped
        "::ffff:0:0:0/96",  # RFC 2765, IPv4-translated
        "64:ff9b::/96",  # RFC 6052, NAT64
        "64:ff9b:1::/48",  # RFC 8215, local NAT64
        "2001::/32",  # RFC 4380, Teredo
        "2002::/16",  # RFC 3056, 6to4
        "fec0::/10",  # RFC 3879, site-local
    )
)


@dataclass(frozen=True, slots=True)
class WebAddress:
    """An http or https address taken apart once, so that nobody reads it in a second way.

    `host` is in ASCII without brackets, `target` the path and query as sent.
    """

    scheme: str
    host: str
    port: int
    target: str

    @property
    def authority(self) -> str:
        """Host and port as they stand in the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _WELL_KNOWN_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The address as text, without a fragment."""
        return f"{self.scheme}://{self.authority}{self.target}"


def web_address(url: str) -> WebAddress:
    """Take `url` apart; nothing is looked up.

    Raises InvalidInput for other schemes, credentials in the address, characters that programs
    read differently, a missing host, and ports below 1024 other than 80 and 443.
    """
    if len(url) > LIMITS.max_url_characters:
        raise _refused(f"An address may have {LIMITS.max_url_characters} characters at most.")
    if re.search(r"[\x00-\x20\x7f\\]", url):
        raise _refused("An address may hold no space, control character or backslash.")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise _refused("This is not a valid web address.") from None
    if parts.scheme not in _WELL_KNOWN_PORTS:
        raise _refused("The address must start with http:// or https://.")
    if "@" in parts.netloc:
        raise _refused("An address with a user name or password in it is not fetched.")
    port = _WELL_KNOWN_PORTS[parts.scheme] if port is None else port
    if port < _FIRST_FREE_PORT and port not in _WELL_KNOWN_PORTS.values():
        raise _refused(f"Port {port} belongs to another service than the web.")
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
    query = quote(parts.query, safe="/%:@!$&'()*+,;=~-._?")
    return WebAddress(
        parts.scheme, _ascii_host(parts.hostname), port, f"{path}?{query}" if query else path
    )


def allowed_addresses(
    host: str, *, resolver: Resolver, private_hosts: Collection[str], timeout_seconds: float
) -> tuple[str, ...]:
    """Look `host` up once and return its addresses, all checked; connect to these and no others.

    A host named in `private_hosts` may have any address. Raises InvalidInput for a private name,
    and when one of the addresses is not public; Unavailable when the host is not found.
    """
    check_host(host, private_hosts=private_hosts)
    if host in private_hosts:
        return tuple(resolver(host, timeout_seconds))
    addresses = tuple(resolver(host, timeout_seconds))
    for address in addresses:
        if not is_public(address):
            raise _refused(f"{host} leads to an address that is not public.")
    return addresses


def check_host(host: str, *, private_hosts: Collection[str]) -> None:
    """Raise InvalidInput for a private name or address, as far as that is seen without a look-up.

    One named in `private_hosts` may be private.
    """
    if host in private_hosts:
        return
    if _literal(host) is None:
        if _is_private_name(host):
            raise _refused(f"{host} is a name of a private network.")
    elif not is_public(host):
        raise _refused(f"{host} is an address that is not public.")


def is_public(address: str) -> bool:
    """Say whether a network address is one of the public internet, reached without translation."""
    parsed = _literal(address)
    if parsed is None or not parsed.is_global or parsed.is_multicast or parsed.is_reserved:
        return False
    return not any(parsed in network for network in _REFUSED_NETWORKS)


def system_resolver(host: str, timeout_seconds: float) -> tuple[str, ...]:
    """Return the addresses of `host` as the operating system knows them, in its order.

    Raises Unavailable when there is none or the look-up takes too long.
    """
    found: list[str] = []

    def look_up() -> None:
        try:
            answers = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            return
        found.extend(dict.fromkeys(str(answer[4][0]) for answer in answers))

    # getaddrinfo knows no deadline of its own.
    thread = threading.Thread(target=look_up, daemon=True)
    thread.start()
    thread.join(max(timeout_seconds, 0.0))
    if thread.is_alive() or not found:
        raise Unavailable(f"The host {host} was not found.", hint="Check the address.")
    return tuple(found)


def _ascii_host(name: str | None) -> str:
    """Return a host name as it is looked up: lowercase, international names encoded (UTS 46)."""
    host = (name or "").rstrip(".")
    if not host or "%" in host:
        raise _refused("The address names no host, or not plainly.")
    if _literal(host) is not None:
        return host.lower()
    try:
        encoded = idna.encode(host, uts46=True).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        encoded = host.lower()
    if not re.fullmatch(r"[a-z0-9_](?:[a-z0-9._-]{0,251}[a-z0-9_])?", encoded):
        raise _refused("The address names no valid host.")
    return encoded


def _is_private_name(host: str) -> bool:
    """Say whether a name cannot be public: a single label, or one of a private zone."""
    return "." not in host or any(host.endswith(f".{suffix}") for suffix in PRIVATE_SUFFIXES)


def _literal(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _refused(message: str) -> InvalidInput:
    return InvalidInput(message, hint=HINT, remedy=_REMEDY, fields={"url": message})
