"""A private remote over HTTPS: a real git server that asks for a sign-in, and a stored token."""

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from django.core.management.base import BaseCommand

from tests.databases import FILE_NAME, copy_database
from tests.gitrepos import GitRepository
from tests.library import index_state, sync_failure
from tests.web.certificates import write_certificate
from tests.web.git_server import GitServer, serving_git
from tests.web.library.installation import Installation
from web.accounts.models import AuditEvent
from web.accounts.principals import Principal
from web.accounts.records import COMMAND_LINE
from web.core.errors import NotAllowed
from web.library.git.remotes import RemoteRefs, remote_refs
from web.library.management.rounds import each_repository
from web.library.models import Ref, RemoteCredential, Repository
from web.library.selectors.sources import sources_listed
from web.library.selectors.syncs import sync_failures
from web.library.services.credentials import credential_remove, credential_set
from web.library.services.repositories import RepositoryFields, repository_add, repository_update
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


class Moments:
    """The product's clock, moved by hand."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def move(self, **parts: int) -> None:
        self.now += timedelta(**parts)


@pytest.fixture
def moments(monkeypatch: pytest.MonkeyPatch) -> Moments:
    made = Moments()
    monkeypatch.setattr("web.core.clock._now", made)
    return made


@pytest.fixture
def refused(server: GitServer, moments: Moments) -> GitServer:
    """The server, which has refused a credential for the third time, and waits 20 minutes."""
    repository_add(name="project", url=server.url("origin"))
    _set("expired-token")
    for minutes in (0, 5, 10):
        moments.move(minutes=minutes)
        assert _asks_in_a_round(server)
    return server


def _asks_in_a_round(server: GitServer) -> bool:
    """Make a round of `sync_repositories --watch` and say whether it asked the server."""
    server.asked.clear()
    command = BaseCommand(stdout=StringIO(), stderr=StringIO())
    each_repository(command, [], repository_sync, stopped=Event())
    return bool(server.asked)


def test_rounds_ask_a_remote_that_refuses_the_sign_in_after_pauses_that_grow_to_an_hour(
    server: GitServer, moments: Moments
) -> None:
    repository_add(name="project", url=server.url("origin"))
    _set("expired-token")
    asked_after = []
    for minute in range(200):
        if _asks_in_a_round(server):
            asked_after.append(minute)
        moments.move(minutes=1)
    assert asked_after == [0, 5, 15, 35, 75, 135, 195]
    staff = Principal(is_staff=True)
    source = sources_listed(principal=staff, state="stale", limit=1, cursor=None).sources[0]
    assert source.next_at == moments.now + timedelta(minutes=55)
    assert (
        "not asked again by itself before 2026-11-30 16:15 UTC"
        in sync_failures(principal=staff)["project"]
    )


@pytest.mark.parametrize(
    ("parts", "asks"),
    [
        ({"minutes": 19}, False),
        ({"minutes": 20}, True),
        ({"days": 400}, True),
        ({"days": -400}, True),  # what the clock said of the refusal was wrong
        ({"minutes": -1}, True),
    ],
)
def test_a_clock_that_jumps_silences_no_repository(
    refused: GitServer, moments: Moments, parts: dict[str, int], asks: bool
) -> None:
    moments.move(**parts)
    assert _asks_in_a_round(refused) is asks


def test_what_may_have_changed_the_answer_lets_the_next_round_ask_at_once(
    refused: GitServer, moments: Moments
) -> None:
    url = refused.url("origin")
    repository_update(name="project", url=url, fields=RepositoryFields(title="The same address"))
    assert not _asks_in_a_round(refused)
    _set("another-wrong-token")
    assert _asks_in_a_round(refused)  # and is refused, for the first time with it
    moments.move(minutes=5)
    assert _asks_in_a_round(refused)
    assert not _asks_in_a_round(refused)
    repository_update(name="project", url=f"{url}/")
    assert _asks_in_a_round(refused)
    credential_remove(actor=COMMAND_LINE, name="project")
    assert _asks_in_a_round(refused)
    with pytest.raises(NotAllowed):
        repository_sync(name="project")  # as a push and a person have it done
    _set()
    assert _asks_in_a_round(refused)
    assert sync_failures(principal=Principal(is_staff=True)) == {}
    assert _asks_in_a_round(refused)


def test_a_credential_that_is_set_while_the_old_one_is_refused_is_not_silenced(
    server: GitServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository_add(name="project", url=server.url("origin"))
    _set("expired-token")

    def asks_and_is_changed(*given: Any, **options: Any) -> RemoteRefs:
        try:
            return remote_refs(*given, **options)
        finally:
            _set()

    with monkeypatch.context() as patch:
        patch.setattr("web.library.indexing.sync.remote_refs", asks_and_is_changed)
        assert _asks_in_a_round(server)
    assert _asks_in_a_round(server)
    assert index_state("project")


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
