"""From a push to the index, through real processes: git server, web, worker."""

import hashlib
import hmac
import json
from pathlib import Path

import httpx

from tests.databases import FILE_NAME, copy_database
from tests.deploy.stack import Process, answers
from tests.gitrepos import GitRepository
from tests.services import free_port
from tests.web.certificates import write_certificate
from tests.web.git_server import serving_git
from tests.web.library.installation import Installation

_COMMIT = "from web.library.models import Ref; print(Ref.objects.get().commit)"


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
        installation.manage("add_repository", "project", server.url("origin"))
        secret = installation.manage("webhook_secret", "project").strip()
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
    indexed, errors = installation.run(_COMMIT).communicate()
    assert indexed.strip() == origin.head, errors
    log = (tmp_path / "web.output").read_text()
    assert "GitHub tells of a push to project" in log
    assert secret not in log
