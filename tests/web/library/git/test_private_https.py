"""A private remote over HTTPS: a real git server that asks for a sign-in, and a stored token."""

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.databases import FILE_NAME, copy_database
from tests.gitrepos import GitRepository
from tests.library import index_state, sync_failure
from tests.web.certificates import write_certificate
from tests.web.git_server import GitServer, serving_git
from tests.web.library.installation import Installation
from web.accounts.models import AuditEvent
from web.accounts.records import COMMAND_LINE
from web.library.models import Ref, RemoteCredential, Repository
from web.library.services.credentials import credential_set
from web.library.services.repositories import repository_add, repository_update
from web.library.services.sync import repository_sync

pytestmark = pytest.mark.django_db
TOKEN = "a-token/that?nobody=may+see%20"


@pytest.fixture
def server(
    origin: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[GitServer]:
    """Serve one repository to who signs in as reader with the token."""
    origin.write({"a.py": "A = 1\n"}).commit()
    tls = write_certificate(tmp_path / "server.pem")
    monkeypatch.setenv("GIT_SSL_CAINFO", str(tmp_path / "server.pem"))
    with serving_git(tmp_path, tls=tls, username="reader", password=TOKEN) as git:
        yield git


def _set(secret: str = TOKEN) -> None:
    credential_set(actor=COMMAND_LINE, name="project", secret=secret, username="reader")


def _running() -> dict[str, str]:
    """Return the command lines of all processes, by their paths below /proc."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found[str(path)] = path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
    return found


def test_token_signs_in_and_is_in_no_command_line(server: GitServer) -> None:
    seen: dict[str, str] = {}
    server.before = lambda _path: seen.update(_running())
    repository_add(name="project", url=server.url("origin"))
    assert "asks for a sign-in" in sync_failure("project")
    _set("expired-token")
    assert "refuses the stored credential" in sync_failure("project")
    assert not seen
    _set()
    repository_sync(name="project")
    assert index_state("project")
    assert any("remote-https" in line for line in seen.values())
    assert not any(TOKEN in line or server.authorization[6:] in line for line in seen.values())
    assert {path.partition("?")[0] for _, path, _ in server.asked} == {
        "/origin/info/refs",
        "/origin/git-upload-pack",
    }


def test_token_is_in_no_log_message_or_row_even_if_the_server_repeats_it(
    server: GitServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.password = "another"
    server.refusal = f"fatal: you sent {{authorization}}, that is {TOKEN} of reader:{TOKEN}@"
    repository_add(name="project", url=server.url("origin"))
    _set()
    with caplog.at_level(logging.DEBUG):
        said = sync_failure("project")
    assert server.asked[-1][2]
    rows = [*Repository.objects.values(), *AuditEvent.objects.values()]
    rows += list(RemoteCredential.objects.values())
    for text in (said, repr(rows), *(repr(vars(record)) for record in caplog.records)):
        for secret in (TOKEN, server.authorization[6:], server.asked[-1][2][6:]):
            assert secret not in text


def test_token_goes_to_no_other_host(server: GitServer) -> None:
    repository_add(name="project", url=server.url("origin"))
    _set()
    other = server.url("origin").replace("127.0.0.1", "localhost")
    repository_update(name="project", url=other)
    asked = len(server.asked)
    assert "belongs to another host" in sync_failure("project")
    assert len(server.asked) == asked


def test_token_follows_no_redirect(
    server: GitServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tls = write_certificate(tmp_path / "thief.pem")
    bundle = (tmp_path / "thief.pem").read_text() + (tmp_path / "server.pem").read_text()
    (tmp_path / "both.pem").write_text(bundle)
    monkeypatch.setenv("GIT_SSL_CAINFO", str(tmp_path / "both.pem"))
    with serving_git(tmp_path, tls=tls, username="x", password="y") as thief:
        server.redirect = thief.url("")
        repository_add(name="project", url=server.url("origin"))
        _set()
        sync_failure("project")
        assert thief.asked == []


def test_token_of_another_secret_key_fails_the_sync_in_a_sentence(
    server: GitServer, settings: Any
) -> None:
    repository_add(name="project", url=server.url("origin"))
    _set()
    repository_sync(name="project")
    settings.SECRET_KEY = "changed meanwhile"
    assert "PORTOLAN_SECRET_KEY" in sync_failure("project")
    assert "PORTOLAN_SECRET_KEY" not in Repository.objects.get().sync_error
    assert Ref.objects.get().counts["files"] == 1


def test_command_reads_the_token_from_standard_input_and_lets_the_next_process_use_it(
    server: GitServer, tmp_path: Path, origin: GitRepository
) -> None:
    installation = Installation(tmp_path / "installation")
    installation.environment["GIT_SSL_CAINFO"] = os.environ["GIT_SSL_CAINFO"]
    copy_database(installation.folder / FILE_NAME)
    installation.manage("add_repository", "project", server.url("origin"), "--no-sync")
    done = subprocess.run(
        [sys.executable, "manage.py", "set_credential", "project", "--username", "reader"],
        cwd=Path(__file__).resolve().parents[4],
        env=installation.environment,
        input=f"{TOKEN}\n",
        text=True,
        capture_output=True,
        check=True,
    )
    assert "with a stored token and the user name reader" in done.stdout
    assert "manage.py sync_repositories project" in done.stderr
    assert TOKEN not in done.stdout + done.stderr
    assert "1 indexed" in installation.manage("sync_repositories")
    written = b"".join(
        path.read_bytes() for path in installation.folder.rglob("*") if path.is_file()
    )
    assert origin.head.encode() in written
    assert TOKEN.encode() not in written
