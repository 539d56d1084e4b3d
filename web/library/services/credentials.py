"""Credentials of private remotes: set, made, shown without their secret, removed."""

import re
from dataclasses import dataclass
from datetime import datetime

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    SSHPrivateKeyTypes,
    load_pem_private_key,
    load_ssh_private_key,
)

from web.accounts.records import Actor
from web.accounts.services.audit import audit_write
from web.core import clock
from web.core.encryption import decrypted, encrypted
from web.core.errors import InvalidInput, NotFound
from web.core.transactions import write_transaction
from web.library.git.credentials import Credential, conceal, remote_of
from web.library.git.urls import Address, parse_address
from web.library.models import RemoteCredential, Repository
from web.library.services.repositories import end_pause, repository_named
from web.library.sites.address import is_site

_PURPOSE = "credential of a remote"
# What GitHub's applications use, and what every host takes beside a token that says who it is.
_USUAL_USERNAME = "x-access-token"
_USERNAME = re.compile(r"[!-9;-~]{1,200}", re.ASCII)  # printable, and no colon (RFC 7617)
_TOKEN = re.compile(r"[!-~]{8,4096}", re.ASCII)
_MAX_KEY_CHARACTERS = 20_000
_OPENSSH_BEGIN = "-----BEGIN OPENSSH PRIVATE KEY-----"


@dataclass(frozen=True, slots=True)
class StoredCredential:
    """A credential without its secret.

    `kind` is "token" or "ssh key"; a token has a user name, a key its public half.
    `is_of_this_remote` says whether it belongs to the repository's present address.
    """

    repository: str
    kind: str
    remote: str
    username: str
    public_key: str
    set_at: datetime
    is_of_this_remote: bool


def credential_set(*, actor: Actor, name: str, secret: str, username: str = "") -> StoredCredential:
    """Store what a repository's remote is signed in to with, in place of what was there.

    For an https address a token (or password), sent with the user name; for an ssh address a
    private key without a passphrase, in OpenSSH's form or PEM. Raises NotFound, and InvalidInput,
    which never repeats the secret.
    """
    repository = repository_named(name)
    address = _remote_address(repository.url)
    if address.scheme == "https":
        token = secret.strip()
        _check_token(token, username)
        return _store(actor, repository, address, token, username=username or _USUAL_USERNAME)
    if username:
        raise _wrong("username", "The user of an ssh remote stands in its address.")
    key = _private_key(secret)
    return _store(actor, repository, address, _key_text(key), public_key=_public_text(key, name))


def credential_check(*, url: str, secret: str, username: str = "") -> None:
    """Raise InvalidInput, naming the field, for what `credential_set` refuses at this address."""
    address = _remote_address(url)
    if address.scheme == "https":
        _check_token(secret.strip(), username)
    else:
        _private_key(secret)


def credential_generate(*, actor: Actor, name: str) -> StoredCredential:
    """Make an ssh key (Ed25519) for a repository; its `public_key` is what the remote is given.

    Raises NotFound, and InvalidInput unless the address is one of ssh.
    """
    repository = repository_named(name)
    address = _remote_address(repository.url)
    if address.scheme != "ssh":
        raise _wrong(
            "url",
            "An https remote takes a token, which its host makes. Keys are for ssh addresses.",
        )
    key = Ed25519PrivateKey.generate()
    return _store(actor, repository, address, _key_text(key), public_key=_public_text(key, name))


def credential_remove(*, actor: Actor, name: str) -> None:
    """Forget a repository's credential. Raises NotFound, also when there is none."""
    repository = repository_named(name)
    with write_transaction("credentials"):
        removed, _ = RemoteCredential.objects.filter(repository=repository).delete()
        if not removed:
            raise NotFound(f"{name} has no stored credential.")
        end_pause(repository.pk)
        audit_write(actor=actor, action="credential.removed", target=name)


def credential_shown(*, name: str) -> StoredCredential | None:
    """Return a repository's credential without its secret. Raises NotFound for an unknown name."""
    repository = repository_named(name)
    row = RemoteCredential.objects.filter(repository=repository).first()
    return _shown(row, repository) if row is not None else None


def credential_of(repository: Repository) -> Credential | None:
    """Return what git is to sign in with, concealed from logs from now on; None without one.

    Raises Unavailable when it cannot be read any more.
    """
    row = RemoteCredential.objects.filter(repository=repository).first()
    if row is None:
        return None
    secret = decrypted(row.secret, purpose=_PURPOSE)
    credential = Credential(remote=row.remote, secret=secret, username=row.username)
    conceal(credential)
    return credential


def _store(
    actor: Actor,
    repository: Repository,
    address: Address,
    secret: str,
    *,
    username: str = "",
    public_key: str = "",
) -> StoredCredential:
    conceal(Credential(remote=remote_of(address), secret=secret, username=username))
    with write_transaction("credentials"):
        row, _ = RemoteCredential.objects.update_or_create(
            repository=repository,
            defaults={
                "remote": remote_of(address),
                "username": username,
                "secret": encrypted(secret, purpose=_PURPOSE),
                "public_key": public_key,
                "set_at": clock.now(),
            },
        )
        end_pause(repository.pk)
        detail = {"remote": row.remote, "username": username, "public_key": public_key}
        audit_write(actor=actor, action="credential.set", target=repository.name, detail=detail)
    return _shown(row, repository)


def _shown(row: RemoteCredential, repository: Repository) -> StoredCredential:
    return StoredCredential(
        repository=repository.name,
        kind="ssh key" if row.public_key else "token",
        remote=row.remote,
        username=row.username,
        public_key=row.public_key,
        set_at=row.set_at,
        is_of_this_remote=_is_of(row, repository),
    )


def _is_of(row: RemoteCredential, repository: Repository) -> bool:
    try:
        return row.remote == remote_of(_remote_address(repository.url))
    except InvalidInput:
        return False


def _remote_address(url: str) -> Address:
    """Return the address. Raises InvalidInput for one that nobody signs in to."""
    address = None if is_site(url) else parse_address(url)
    if address is None or address.is_local:
        raise _wrong("url", "Only https and ssh remotes are signed in to.")
    return address


def _check_token(token: str, username: str) -> None:
    if "PRIVATE KEY" in token:
        raise _wrong(
            "secret", "An https remote takes a token. For a key change the address to its ssh form."
        )
    if not _TOKEN.fullmatch(token):
        raise _wrong("secret", "A token is 8 to 4096 printable ASCII characters without spaces.")
    if username and not _USERNAME.fullmatch(username):
        raise _wrong(
            "username", "A user name is up to 200 printable ASCII characters without a colon."
        )


def _private_key(text: str) -> SSHPrivateKeyTypes:
    """Return the key of a text whose lines may end in any way."""
    if len(text) > _MAX_KEY_CHARACTERS:
        raise _wrong("secret", f"The key is longer than {_MAX_KEY_CHARACTERS:,} characters.")
    lines = [line.strip() for line in text.strip().splitlines()]
    data = ("\n".join(lines) + "\n").encode("utf-8", "replace")
    try:
        is_openssh = lines[:1] == [_OPENSSH_BEGIN]
        key = load_ssh_private_key(data, None) if is_openssh else load_pem_private_key(data, None)
        public = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
    except TypeError as error:
        raise _wrong("secret", "The key has a passphrase. Store one without.") from error
    except (ValueError, AttributeError, UnsupportedAlgorithm) as error:
        raise _wrong(
            "secret",
            "This is no private key for ssh. Give the whole file, from -----BEGIN to -----END, and "
            "not the one that ends in .pub.",
        ) from error
    if public.startswith(b"ssh-dss"):
        raise _wrong("secret", "ssh takes no DSA keys any more. Make an Ed25519 key.")
    return key  # type: ignore[return-value]


def _key_text(key: SSHPrivateKeyTypes) -> str:
    made = key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
    return made.decode("ascii")


def _public_text(key: SSHPrivateKeyTypes, name: str) -> str:
    made = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
    return f"{made.decode('ascii')} portolan-{name}"


def _wrong(field: str, message: str) -> InvalidInput:
    return InvalidInput(message, fields={field: message})
