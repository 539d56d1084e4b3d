"""R90: what is taken back is refused by every worker, also in connections that stay open.

Three sidecars, each a process of its own that is asked directly, so that none is left out. What is
taken back is taken back as people do it: by the tools of staff through one of the workers, by the
admin's fields, by an application's owner.
"""

import json
import subprocess
import sys
import time
from contextlib import ExitStack

import httpx
import pytest

from tests.databases import FILE_NAME, copy_database
from tests.deploy.stack import Process, answers
from tests.mcp_sidecar.processes import variables
from tests.messages import LIST_TOOLS, call
from tests.newcomer import PROJECT
from tests.reports.postgres import migrated_database
from tests.services import free_port

WORKERS = 3
PEOPLE = """
import json
from datetime import timedelta
from django.contrib.auth.models import User
from django.utils import timezone
from oauth2_provider.models import AccessToken
from web.accounts.models import OAuthClient
from web.accounts.records import Actor
from web.accounts.secrets import access_token
from web.accounts.selectors.resources import resource_url
from web.accounts.services.tokens import token_create

client = OAuthClient.objects.create(
    name="Chart reader", client_type="public", authorization_grant_type="authorization-code",
    redirect_uris="http://127.0.0.1/",
)
made = {}
for name in ("stan", "sue", "sam", "sid", "mira"):
    user = User.objects.create_user(name, is_staff=name.startswith("s"))
    scopes = ["project", "operations"] if user.is_staff else ["project"]
    token = token_create(
        actor=Actor.of(user), owner=user, name="t", scopes=scopes, expires_days=None
    )
    made[name] = {"id": user.pk, "personal": token.secret}
    for path in ("/mcp", "/mcp/operations") if user.is_staff else ("/mcp",):
        row = AccessToken(
            user=user, application=client, scope=path.rpartition("/")[2].replace("mcp", "project"),
            expires=timezone.now() + timedelta(hours=1), resource=[resource_url(path)],
        )
        made[name][path] = row._raw_token = access_token(None)
        row.save()
print(json.dumps(made))
"""


class Workers:
    """The sidecars, an open connection to each, and the accounts."""

    def __init__(self, folder, clients, more):
        self.folder = folder
        self.clients = clients
        self.more = more
        self.people = json.loads(self.python(PEOPLE))

    def python(self, code):
        return subprocess.run(
            [sys.executable, "manage.py", "shell", "--verbosity", "0", "-c", code],
            cwd=PROJECT, env=variables(self.folder, **self.more),
            check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip

    def statuses(self, name, path, *, oauth=False):
        """Return what each worker answers over its open connection."""
        return [
            self.ask(client, name, path, LIST_TOOLS, oauth=oauth).status_code
            for client in self.clients
        ]

    def assert_all(self, status, name, path, *, oauth=False):
        """Each worker answers so: with SQLite at once, with PostgreSQL within a second."""
        ends_at = time.monotonic() + (1 if self.more else 0)
        is_last = False
        while self.statuses(name, path, oauth=oauth) != [status] * WORKERS:
            assert not is_last
            is_last = time.monotonic() >= ends_at

    def ask(self, client, name, path, message, *, oauth=False):
        person = self.people[name]
        token = person[path.rstrip("/")] if oauth else person["personal"]
        return client.post(path, json=message, headers={"Authorization": f"Bearer {token}"})

    def call(self, worker, name, tool, **arguments):
        """Call a tool of the staff through one worker, and return its text."""
        message = call(tool, **arguments)
        answer = self.ask(self.clients[worker], name, "/mcp/operations/", message).json()
        assert not answer["result"]["isError"], answer
        return answer["result"]["content"][0]["text"]


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.services)]
)
def workers(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("workers")
    with ExitStack() as stack:
        more = {}
        if request.param == "postgresql":
            more["PORTOLAN_DATABASE_URL"] = stack.enter_context(migrated_database()).url
        else:
            copy_database(folder / FILE_NAME)
        clients = []
        for number in range(WORKERS):
            port = free_port()
            url = f"http://127.0.0.1:{port}"
            sidecar = Process(
                (sys.executable, "-m", "mcp_sidecar"),
                log=folder / f"{number}.output",
                answers=lambda url=url: answers(f"{url}/health"),
                **variables(folder, PORTOLAN_SIDECAR_PORT=str(port), **more),
            )
            stack.callback(sidecar.stop)
            sidecar.start()
            client = httpx.Client(base_url=url, trust_env=False, timeout=60)
            clients.append(stack.enter_context(client))
        yield Workers(folder, clients, more)


def test_a_deactivated_member_of_the_staff_is_refused_everywhere_from_the_next_call_on(workers):
    for path in ("/mcp/", "/mcp/operations/"):
        workers.assert_all(200, "sue", path)
        workers.assert_all(200, "sue", path, oauth=True)
    sue = workers.people["sue"]["id"]
    workers.call(0, "stan", "set_users_active", ids=[sue], active=False, reason="left")
    for path in ("/mcp/", "/mcp/operations/"):
        workers.assert_all(401, "sue", path)
        workers.assert_all(401, "sue", path, oauth=True)
    workers.call(1, "stan", "set_users_active", ids=[sue], active=True, reason="came back")
    workers.assert_all(200, "sue", "/mcp/operations/", oauth=True)


def test_revoked_tokens_and_applications_are_refused_everywhere(workers):
    workers.assert_all(200, "mira", "/mcp/")
    workers.assert_all(200, "mira", "/mcp/", oauth=True)
    ids = [workers.people[name]["id"] for name in ("mira", "sid")]
    text = workers.call(2, "stan", "revoke_tokens", user_ids=ids, reason="laptop lost")
    assert text.startswith("2 tokens and 2 applications of 2 accounts revoked.")
    workers.assert_all(401, "mira", "/mcp/")
    workers.assert_all(401, "mira", "/mcp/", oauth=True)
    workers.assert_all(401, "sid", "/mcp/operations/")
    workers.assert_all(401, "sid", "/mcp/operations/", oauth=True)


def test_who_is_no_longer_staff_is_refused_by_the_server_of_the_staff_and_stays_a_member(workers):
    workers.assert_all(200, "sam", "/mcp/operations/")
    workers.assert_all(200, "sam", "/mcp/operations/", oauth=True)
    change = "from django.contrib.auth.models import User\n"
    change += "User.objects.filter(username='sam').update(is_staff=False)"
    workers.python(change)
    workers.assert_all(401, "sam", "/mcp/operations/")
    workers.assert_all(401, "sam", "/mcp/operations/", oauth=True)
    workers.assert_all(200, "sam", "/mcp/")
