"""A private remote over ssh: a real sshd on loopback, and deploy keys."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.gitrepos import GitRepository
from tests.library import index_state, sync_failure
from tests.web.ssh_server import SshServer, make_key, serving_ssh
from web.accounts.records import COMMAND_LINE
from web.library.git import credentials
from web.library.services.credentials import credential_generate, credential_set
from web.library.services.repositories import repository_add
from web.library.services.sync import repository_sync

pytestmark = [pytest.mark.django_db, pytest.mark.services]


@pytest.fixture
def server(
    tmp_path: Path, origin: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> Iterator[SshServer]:
    """Serve a repository, which is in the catalogue as project."""
    origin.write({"a.py": "A = 1\n"}).commit()
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    with serving_ssh(tmp_path / "ssh") as ssh:
        repository_add(name="project", url=ssh.url(origin.path))
        yield ssh


@pytest.fixture
def known_hosts(data_folder: Path) -> Path:
    """Return where the installation keeps the keys of ssh hosts."""
    return data_folder / "known_hosts"


def test_generated_key_signs_in_and_leaves_no_trace(
    server: SshServer, known_hosts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = tmp_path / "memory"
    memory.mkdir()
    monkeypatch.setattr(credentials, "_MEMORY", memory)
    known_hosts.write_text(server.host_key)
    server.let_in(make_key(tmp_path / "nobody"))
    made = credential_generate(actor=COMMAND_LINE, name="project")
    assert "refuses the stored credential" in sync_failure("project")
    server.let_in(made.public_key)
    repository_sync(name="project")
    assert index_state("project")
    assert "-oIdentityFile=" in server.seen
    assert "PRIVATE KEY" not in server.seen
    assert list(memory.iterdir()) == []


def test_key_file_may_be_read_by_its_owner_only_while_git_runs(
    server: SshServer, known_hosts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(credentials, "_MEMORY", tmp_path)
    session = server.folder / "session"
    listing = f"stat -c '%a %n' {tmp_path}/portolan-* {tmp_path}/portolan-*/key"
    session.write_text(f'{listing} > "{server.folder}/modes"\n{session.read_text()}')
    known_hosts.write_text(server.host_key)
    server.let_in(credential_generate(actor=COMMAND_LINE, name="project").public_key)
    repository_sync(name="project")
    modes = [line.split(" ")[0] for line in (server.folder / "modes").read_text().splitlines()]
    assert modes == ["700", "600"]


@pytest.mark.parametrize("kind", [("ed25519",), ("rsa", "-b", "2048"), ("rsa", "-m", "PEM")])
def test_key_of_any_kind_is_taken_however_its_lines_end(
    kind: tuple[str, ...], server: SshServer, known_hosts: Path, tmp_path: Path
) -> None:
    known_hosts.write_text(server.host_key)
    server.let_in(make_key(tmp_path / "key", "-t", *kind))
    pasted = (tmp_path / "key").read_text().replace("\n", "\r\n").rstrip()
    credential_set(actor=COMMAND_LINE, name="project", secret=pasted)
    repository_sync(name="project")
    assert index_state("project")


def test_unknown_host_is_refused_and_with_the_setting_its_key_is_kept(
    server: SshServer, known_hosts: Path, settings: Any
) -> None:
    server.let_in(credential_generate(actor=COMMAND_LINE, name="project").public_key)
    assert "key of the remote's ssh host is not known" in sync_failure("project")
    settings.SSH_ACCEPT_NEW_HOSTS = True
    repository_sync(name="project")
    assert known_hosts.read_text() == server.host_key


@pytest.mark.parametrize("accepts_new", [False, True])
def test_host_whose_key_changed_is_never_believed(
    accepts_new: bool, server: SshServer, known_hosts: Path, tmp_path: Path, settings: Any
) -> None:
    settings.SSH_ACCEPT_NEW_HOSTS = accepts_new
    server.let_in(credential_generate(actor=COMMAND_LINE, name="project").public_key)
    kind, key, *_ = make_key(tmp_path / "other").split()
    known_hosts.write_text(f"[127.0.0.1]:{server.port} {kind} {key}\n")
    assert "is not the one that is known" in sync_failure("project")
    assert not (server.folder / "seen").exists()
