"""Addresses of repositories: which ones are accepted, and to which machine they lead.

Accepted are https, ssh (also as git@host:path) and, where the setting allows it, local paths.
Everything else that git would understand, such as `ext::` which runs a command, is refused.
"""

import re
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from django.conf import settings

from web.core.addresses import PRIVATE_SUFFIXES, is_public, system_resolver
from web.core.errors import InvalidInput

_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\.?|\[[0-9A-Fa-f:.]+\]", re.ASCII)
_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", re.ASCII)
_SCP_LIKE = re.compile(r"(?:([^@/:]+)@)?(\[[^\]]+\]|[^@/:\[\]]+):(?!:)(.+)")
# Numbers that only some programs read as an address: 2130706433, 0x7f000001, 127.1, 0177.0.0.1.
_ODD_NUMBER = re.compile(
    r"(?:0x[0-9a-f]+|\d+)(?:\.(?:0x[0-9a-f]+|\d+))*\.?", re.ASCII | re.IGNORECASE
)
_DOTTED_NUMBER = re.compile(r"(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}", re.ASCII)
_PRIVATE_ZONES = tuple(f".{suffix}" for suffix in PRIVATE_SUFFIXES)
_LOOK_UP_SECONDS = 10.0
_PORTS = {"https": 443, "ssh": 22}
_REMOTE_SCHEMES = frozenset(["http", "https", "ssh", "git", "git+ssh"])
_ACCEPTED = "Use https://host/path, ssh://git@host/path or git@host:path."


@dataclass(frozen=True, slots=True)
class Address:
    """A repository's address, taken apart: `text` is what git gets."""

    text: str
    scheme: str  # https, ssh or file
    host: str = ""
    port: int = 0
    path: str = ""

    @property
    def is_local(self) -> bool:
        """Whether the repository lies on this machine's own disk."""
        return self.scheme == "file"


def parse_address(text: str) -> Address:
    """Return the address in its parts, without asking any name server.

    Raises InvalidInput for what is not accepted: other transports, credentials in the address,
    host or path that begin with a hyphen, control characters, addresses of this machine or of
    private networks written as numbers, and local paths where the setting does not allow them.
    """
    text = text.strip()
    if not text:
        raise _refused("The address is empty.", _ACCEPTED)
    if len(text) > 1000:  # noqa: PLR2004 - the width of the column
        raise _refused("The address is longer than 1000 characters.", _ACCEPTED)
    may_have_spaces = text.startswith(("/", "file:///"))
    if not text.isprintable() or (" " in text and not may_have_spaces):
        raise _refused("The address holds spaces or control characters.", _ACCEPTED)
    if text.startswith("-"):
        raise _refused("The address begins with a hyphen.", _ACCEPTED)
    if text.startswith(("/", "file:", "~", ".")):
        return _local(text)
    if "://" in text:
        return _with_scheme(text)
    if match := _SCP_LIKE.fullmatch(text):
        user, host, path = match.groups()
        return _remote(text, scheme="ssh", user=user or "", host=host, port=0, path=path)
    raise _refused("This is not an address of a repository.", _ACCEPTED)


def remote_key(text: str) -> str:
    """Return what the spellings of one remote have in common: "host/path" in lowercase.

    Scheme, user, port and a last `.git` do not matter, so that https and ssh name the same; what
    differs in them belongs to one forge. Empty for local paths, sites, and what is no address.
    """
    text = text.strip()
    if "://" in text:
        try:
            parts = urlsplit(text)
            host, path = parts.hostname or "", parts.path
        except ValueError:
            return ""
        if parts.scheme.lower() not in _REMOTE_SCHEMES:
            return ""
    elif match := _SCP_LIKE.fullmatch(text):
        host, path = match[2].strip("[]"), match[3]
    else:
        return ""
    path = path.strip("/").removesuffix(".git").strip("/")
    return f"{host}/{path}".lower() if host and path else ""


def pinned_host(address: Address) -> str:
    """Return the IP address that the host has now, for git to connect to and to no other.

    Empty for local paths and where a proxy makes the connection. Raises InvalidInput when any
    address of the host belongs to this machine or to a private network and local repositories are
    not allowed, Unavailable when the name is unknown.
    """
    if address.is_local or _has_proxy(address):
        return ""
    numbers = system_resolver(address.host.strip("[]"), _LOOK_UP_SECONDS)
    if not settings.ALLOW_LOCAL_REPOSITORIES and not all(map(is_public, numbers)):
        raise _private()
    return numbers[0].partition("%")[0]


def _with_scheme(text: str) -> Address:
    try:
        parts = urlsplit(text)
        port = parts.port or 0
    except ValueError as error:
        raise _refused("The address is malformed.", _ACCEPTED) from error
    scheme = parts.scheme.lower()
    if scheme == "http":
        raise _refused("http is not encrypted and not accepted.", "Use https.")
    if scheme not in _PORTS:
        raise _refused(f"The scheme {scheme!r} is not accepted.", _ACCEPTED)
    if parts.password is not None or (scheme == "https" and parts.username is not None):
        raise _refused(
            "The address holds credentials.",
            "Take them out; store them with manage.py set_credential NAME once it is added.",
        )
    if parts.query or parts.fragment:
        raise _refused("The address has a query or a fragment.", "Leave out ? and # and the rest.")
    _, _, host_and_port = parts.netloc.rpartition("@")
    host = host_and_port[: host_and_port.rfind("]") + 1] or host_and_port.partition(":")[0]
    return _remote(
        text,
        scheme=scheme,
        user=parts.username or "",
        host=host,
        port=port,
        path=parts.path.lstrip("/"),
    )


def _remote(text: str, *, scheme: str, user: str, host: str, port: int, path: str) -> Address:
    if not _HOST.fullmatch(host) or (user and not _USER.fullmatch(user)):
        raise _refused("The address has no valid host name.", _ACCEPTED)
    if _ODD_NUMBER.fullmatch(host) and not _DOTTED_NUMBER.fullmatch(host):
        raise _refused("The host is a number in an unusual form.", "Write it as 192.0.2.1.")
    if not path.strip("/") or path.startswith("-"):
        raise _refused("The address has no path to a repository.", _ACCEPTED)
    if not settings.ALLOW_LOCAL_REPOSITORIES and _is_private(host.strip("[]")):
        raise _private()
    return Address(text=text, scheme=scheme, host=host, port=port or _PORTS[scheme], path=path)


def _local(text: str) -> Address:
    if not settings.ALLOW_LOCAL_REPOSITORIES:
        raise _refused(
            "Paths of this machine are not accepted.",
            f"{_ACCEPTED} PORTOLAN_ALLOW_LOCAL_REPOSITORIES=1 allows local paths.",
        )
    if text.startswith("file:"):
        parts = urlsplit(text)
        if parts.netloc not in {"", "localhost"} or not parts.path.startswith("/"):
            raise _refused("The file address names another machine.", "Use file:///path.")
        text = unquote(parts.path)
    path = Path(text).expanduser()
    if not path.is_absolute():
        raise _refused(
            "The path is relative.", "Give the path from the root, such as /srv/project."
        )
    return Address(text=str(path), scheme="file", path=str(path))


def _is_private(host: str) -> bool:
    """Say whether a host is one of a private network by its number or its name."""
    try:
        ip_address(host)
    except ValueError:
        name = host.lower().rstrip(".")
        return "." not in name or name.endswith(_PRIVATE_ZONES)
    return not is_public(host)


def _has_proxy(address: Address) -> bool:
    proxies = getproxies()
    return (
        address.scheme == "https"
        and bool(proxies.get("https") or proxies.get("all"))
        and not proxy_bypass(address.host)
    )


def _private() -> InvalidInput:
    return _refused(
        "The address leads to this machine or to a private network.",
        "Use a public host, or set PORTOLAN_ALLOW_LOCAL_REPOSITORIES=1 on a trusted network.",
    )


def _refused(message: str, hint: str) -> InvalidInput:
    return InvalidInput(message, hint=hint, fields={"url": message})
