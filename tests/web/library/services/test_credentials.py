"""Credentials of remotes: what is taken, what is shown, what is stored."""

import io
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.web.ssh_server import make_key
from web.accounts.models import AuditEvent
from web.accounts.records import COMMAND_LINE
from web.core.encryption import decrypted, encrypted
from web.core.errors import InvalidInput, NotFound, Unavailable
from web.library.models import RemoteCredential, Repository
from web.library.services.credentials import (
    credential_remove,
    credential_set,
    credential_shown,
)
from web.library.services.repositories import repository_add, repository_remove, repository_update

pytestmark = pytest.mark.django_db
HTTPS, SSH = "https://code.example.org/a/b", "ssh://git@code.example.org:2222/a/b"


def _command(*arguments: str) -> str:
    output = io.StringIO()
    call_command("set_credential", *arguments, stdout=output, stderr=output)
    return output.getvalue()


def test_encrypted_text_is_read_for_its_purpose_and_key_only(settings: Any) -> None:
    stored = encrypted("a secret", purpose="one")
    assert "secret" not in stored
    assert stored != encrypted("a secret", purpose="one")
    assert decrypted(stored, purpose="one") == "a secret"
    with pytest.raises(Unavailable, match="PORTOLAN_SECRET_KEY"):
        decrypted(stored, purpose="two")
    with pytest.raises(Unavailable):
        decrypted(stored[:-9] + "changed==", purpose="one")
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "new", [settings.SECRET_KEY]
    assert decrypted(stored, purpose="one") == "a secret"


@pytest.mark.parametrize(
    ("url", "secret", "username", "message"),
    [
        (HTTPS, "short", "", "8 to 4096"),
        (HTTPS, "token with spaces", "", "8 to 4096"),
        (HTTPS, "token-öäü-token", "", "8 to 4096"),
        (HTTPS, "line-one\nline-two", "", "8 to 4096"),
        (HTTPS, "-----BEGIN OPENSSH PRIVATE KEY-----", "", "takes a token"),
        (HTTPS, "long-enough", "a:b", "without a colon"),
        (HTTPS, "long-enough", "a\nb", "without a colon"),
        (SSH, "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE me", "", "no private key"),
        (SSH, "-----BEGIN OPENSSH PRIVATE KEY-----\nx\n-----END", "", "no private key"),
        (SSH, "-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----", "", "no private key"),
        (SSH, "x" * 30_000, "", "longer than 20,000"),
        (SSH, "anything", "me", "stands in its address"),
        ("site+https://docs.example.org/sitemap.xml", "long-enough", "", "Only https and ssh"),
    ],
)
def test_what_cannot_be_used_is_refused_without_repeating_it(
    url: str, secret: str, username: str, message: str
) -> None:
    Repository.objects.create(name="project", url=url)
    with pytest.raises(InvalidInput, match=message) as refused:
        credential_set(actor=COMMAND_LINE, name="project", secret=secret, username=username)
    assert secret not in str(refused.value)
    assert not RemoteCredential.objects.exists()


def test_key_with_a_passphrase_is_refused(tmp_path: Path) -> None:
    repository_add(name="project", url=SSH)
    make_key(tmp_path / "key", "-N", "a passphrase")
    with pytest.raises(InvalidInput, match="has a passphrase"):
        credential_set(actor=COMMAND_LINE, name="project", secret=(tmp_path / "key").read_text())


def test_command_takes_a_key_from_a_file_and_shows_its_public_half(tmp_path: Path) -> None:
    repository_add(name="project", url=SSH)
    public = make_key(tmp_path / "key").split()[1]
    assert public in _command("project", "--file", str(tmp_path / "key"))
    shown = _command("project", "--show")
    assert "signs in to ssh://code.example.org:2222 with a stored ssh key" in shown
    secret = "".join((tmp_path / "key").read_text().splitlines()[1:-1])
    assert secret[:40] not in shown
    assert secret[:40] not in repr(list(RemoteCredential.objects.values()))
    assert AuditEvent.objects.get().detail["public_key"].split()[1] == public


def test_command_makes_shows_and_forgets() -> None:
    repository_add(name="project", url=SSH)
    assert "has no stored credential" in _command("project", "--show")
    first, second = (_command("project", "--generate") for _ in range(2))
    assert "ssh-ed25519" in first
    assert first != second
    assert ["takes the place of the ssh key" in said for said in (first, second)] == [False, True]
    output = io.StringIO()
    call_command("set_credential", "project", "--generate", stdout=output, stderr=io.StringIO())
    assert output.getvalue().startswith("ssh-ed25519 ")  # nothing else: > deploy.pub
    repository_update(name="project", url="git@elsewhere.example.org:a/b")
    assert "It is not used" in _command("project", "--show")
    assert "Forgot" in _command("project", "--remove")
    with pytest.raises(CommandError, match="no stored credential"):
        _command("project", "--remove")
    with pytest.raises(CommandError, match="There is no repository 'other'"):
        _command("other", "--show")
    with pytest.raises(CommandError, match="cannot be read: No such file"):
        _command("project", "--file", "/no/such/file")


def test_removed_repository_takes_its_credential_with_it() -> None:
    repository_add(name="project", url=HTTPS)
    credential_set(actor=COMMAND_LINE, name="project", secret="long-enough")
    repository_remove(name="project")
    repository_add(name="project", url=HTTPS)
    assert credential_shown(name="project") is None
    with pytest.raises(NotFound):
        credential_remove(actor=COMMAND_LINE, name="project")
