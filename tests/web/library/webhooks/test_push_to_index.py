"""From a push to the index, through real processes: git server, web, worker."""

import hashlib
import hmac
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import httpx

from tests.databases import FILE_NAME, copy_database
from tests.deploy.stack import Process, answers
from tests.gitrepos import GitRepository
from tests.services import free_port
from tests.web.certificates import write_certificate
from tests.web.git_server import serving_git
from tests.web.library.installation import Installation

_ADD = """
import io
from django.core.management import call_command
call_command("add_repository", "project", {address!r}, stdout=io.StringIO(), stderr=io.StringIO())
call_command("webhook_secret", "project")
"""


def test_push_event_ends_in_a_new_index(tmp_path: Path, origin: GitRepository) -> None:
    origin.write({"a.py": "A = 1\n"}).commit()
    tls = write_certificate(tmp_path / "server.pem")
    port = free_port()
    installation = Installation(tmp_path / "installation")
    installation.environment |= {
        "GIT_SSL_CAINFO": str(tmp_path / "server.pem"),
        "PORTOLAN_WEB_PORT": str(port),
    }
    web = Process(
        (*installation.python, "-m", "web"),
        log=tmp_path / "web.output",
        answers=lambda: answers(f"http://127.0.0.1:{port}/healthz"),
        **installation.environment,
    )
    with serving_git(tmp_path, tls=tls) as server:
        copy_database(installation.folder / FILE_NAME)
        exit_code, output = installation.outcome(_ADD.format(address=server.url("origin")))
        assert exit_code == 0, output
        secret = output.splitlines()[-1]
        origin.write({"a.py": "A = 2\n"}).commit()
        body = json.dumps({"repository": {"clone_url": server.url("origin")}}).encode()
        signature = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
        headers = {"X-GitHub-Event": "push", "X-Hub-Signature-256": f"sha256={signature}"}
        web.start()
        try:
            for _delivery in range(2):
                response = httpx.post(
                    f"http://127.0.0.1:{port}/webhooks/github/",
                    content=body,
                    headers=headers,
                    trust_env=False,
                    timeout=60,
                )
                assert response.status_code == 202, response.text
        finally:
            web.stop()
        worker = ("db_worker", "--batch", "--interval=0", "--no-startup-delay", "--no-reload")
        installation.manage(*worker)
    with closing(sqlite3.connect(installation.folder / FILE_NAME)) as database:
        (indexed,) = database.execute('SELECT "commit" FROM library_ref').fetchone()
    assert indexed == origin.head
    log = (tmp_path / "web.output").read_text()
    assert "GitHub tells of a push to project" in log
    assert secret not in log
