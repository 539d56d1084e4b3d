"""How a run of git is given a credential: by its environment alone.

A token is answered by a credential helper that reads it from the environment, and only for the host
it belongs to; an ssh key stands in a file of mode 0600 for as long as git runs, in memory where the
system has a place for that. Neither is ever an argument, part of an address, or written to a log.
Storing credentials is `web.library.services.credentials`' task.
"""

import base64
import os
import shlex
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from django.conf import settings

from web.core.errors import Unavailable
from web.core.redaction import hide
from web.library.git.urls import Address, pinned_host

_USERNAME, _PASSWORD = "PORTOLAN_GIT_USERNAME", "PORTOLAN_GIT_PASSWORD"
# Of the helper's argv only the names of the variables are seen; printf is part of the shell.
_HELPER = (
    '!f() { test "$1" = get && printf '
    f'\'username=%s\\npassword=%s\\n\' "${_USERNAME}" "${_PASSWORD}"; }}; f'
)
_MEMORY = Path("/dev/shm")  # noqa: S108 - the folder made in it has mode 0700
_SSH_PORT = 22


@dataclass(frozen=True, slots=True)
class Credential:
    """What one remote is signed in to with: a token for https, a private key for ssh.

    `remote` is the scheme, host and port that it belongs to, as `remote_of` gives them.
    """

    remote: str
    secret: str = field(repr=False)
    username: str = ""


@dataclass(frozen=True, slots=True)
class Transport:
    """What a run of git needs to reach an address: settings, and variables that stay secret."""

    address: Address
    configuration: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict, repr=False)


def remote_of(address: Address) -> str:
    """Return what a credential is bound to: "scheme://host:port" in lowercase."""
    return f"{address.scheme}://{address.host}:{address.port}".lower()


def conceal(credential: Credential) -> None:
    """Take the credential, in each form in which it is sent, out of all logs and messages."""
    hide(credential.secret)
    if credential.username:
        hide(quote(credential.secret, safe=""))
        hide(_base64(f"{credential.username}:{credential.secret}"))


@contextmanager
def transport(address: Address, credential: Credential | None = None) -> Iterator[Transport]:
    """Yield what lets git reach this very address, at the number it has now, and no other.

    Raises InvalidInput where the address leads to a private network and that is not allowed,
    Unavailable for an unknown host, and for a credential that belongs to another remote.
    """
    if address.is_local:
        yield Transport(address)
        return
    if credential is not None and credential.remote != remote_of(address):
        raise Unavailable(
            "The stored credential belongs to another host than this address.",
            hint="Set the credential of the new address.",
        )
    number = pinned_host(address)
    if address.scheme == "https":
        yield _https(address, number, credential)
    elif credential is None:
        yield Transport(address, environment={"GIT_SSH_COMMAND": _ssh(address, number)})
    else:
        with _key_file(credential.secret) as path:
            yield Transport(
                address, environment={"GIT_SSH_COMMAND": _ssh(address, number, key=path)}
            )


def _https(address: Address, number: str, credential: Credential | None) -> Transport:
    configuration: list[str] = []
    environment: dict[str, str] = {}
    host = address.host.strip("[]")
    if number:
        shown = f"[{number}]" if ":" in number else number
        configuration.append(f"http.curloptResolve={host}:{address.port}:{shown}")
    if credential is not None:
        conceal(credential)
        configuration.append(f"credential.{credential.remote}.helper={_HELPER}")
        environment = {_USERNAME: credential.username, _PASSWORD: credential.secret}
    return Transport(address, tuple(configuration), environment)


def _ssh(address: Address, number: str, *, key: Path | None = None) -> str:
    """Return the ssh that git starts, through a shell; with a key it offers no other."""
    host = address.host.strip("[]")
    alias = host if address.port == _SSH_PORT else f"[{host}]:{address.port}"
    known_hosts = f'"{Path(settings.DATA_DIR) / "known_hosts"}" ~/.ssh/known_hosts'
    strict = "accept-new" if settings.SSH_ACCEPT_NEW_HOSTS else "yes"
    options = [
        *("BatchMode=yes", "ConnectTimeout=30", "ServerAliveInterval=20"),
        *("ControlMaster=no", "ControlPath=none"),
        *(f"StrictHostKeyChecking={strict}", "UpdateHostKeys=no", "HashKnownHosts=no"),
        f"UserKnownHostsFile={known_hosts}",
        *(f"HostName={number}", f"HostKeyAlias={alias}"),
    ]
    if key is not None:
        options += [f'IdentityFile="{key}"', "IdentitiesOnly=yes", "IdentityAgent=none"]
    return " ".join(["ssh", *(shlex.quote(f"-o{option}") for option in options)])


@contextmanager
def _key_file(secret: str) -> Iterator[Path]:
    """Keep the key in a file that only this user may read, until the block ends."""
    memory = str(_MEMORY) if os.access(_MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="portolan-", dir=memory) as folder:
        path = Path(folder) / "key"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secret)
        yield path


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode("ascii")
