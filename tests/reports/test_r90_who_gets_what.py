"""R21, R23, R90: who gets what at every endpoint, through nginx, and how soon that changes.

The table of docs/authorization.md is this test's: PORTOLAN_WRITE_DOCS=1 writes it anew.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.deploy.stack import Stack
from tests.messages import LIST_TOOLS
from tests.newcomer import PROJECT, newcomers_environment

pytestmark = pytest.mark.services
PUBLIC = "https://hub.example.org"
PAGE = PROJECT / "docs" / "authorization.md"
ENDPOINTS = {
    "/mcp/": "project",
    "/mcp/repositories/charts/": "project",
    "/mcp/repositories/hidden/": "project",
    "/mcp/repositories/absent/": "project",
    "/mcp/lesson/": "project",
    "/mcp/work/": "work",
    "/mcp/operations/": "operations",
}
CALLERS = (
    "anonymous",
    "GitHub token",
    "member",
    "staff",
    "OAuth, this resource",
    "OAuth, other resource",
    "revoked",
    "expired",
    "deactivated user",
    "unknown",
    "malformed",
)
REFUSED = CALLERS[5:]
STRANGERS = ("anonymous", "GitHub token")
# Who is refused although nothing is wrong with what they sent; everyone else gets 200.
EXCEPTIONS = {
    "/mcp/repositories/absent/": dict.fromkeys(CALLERS, 404),
    "/mcp/repositories/hidden/": dict.fromkeys(STRANGERS, 404),
    "/mcp/work/": dict.fromkeys(STRANGERS, 401),
    "/mcp/operations/": {**dict.fromkeys(STRANGERS, 401), "member": 403},
}
# Makes the callers' tokens; only OAuth's are written by hand, the walk has tests of its own.
MAKE = """
import json, sys
from datetime import timedelta
from django.contrib.auth.models import User
from django.utils import timezone
from oauth2_provider.models import AccessToken
from web.accounts.models import OAuthClient, PersonalAccessToken
from web.accounts.records import Actor
from web.accounts.secrets import access_token
from web.accounts.services.tokens import token_create, token_revoke
from web.library.models import Repository

Repository.objects.create(name="charts", url="https://git.example/charts")
Repository.objects.create(name="hidden", url="https://git.example/h", visibility="members")
mira = User.objects.create_user("mira", password="x")
stan = User.objects.create_user("stan", password="x", is_staff=True)
gone = User.objects.create_user("gone", password="x")

def personal(user, *scopes):
    made = token_create(
        actor=Actor.of(user), owner=user, name="t", scopes=scopes, expires_days=None
    )
    return made

made = {
    "member": personal(mira, "project", "work"),
    "staff": personal(stan, "project", "work", "operations"),
    "revoked": personal(mira, "project", "work"),
    "expired": personal(mira, "project", "work"),
    "deactivated user": personal(gone, "project", "work"),
}
token_revoke(actor=Actor.of(mira), owner_id=mira.pk, token_id=made["revoked"].token.token_id)
PersonalAccessToken.objects.filter(pk=made["expired"].token.token_id).update(
    expires_at=timezone.now() - timedelta(seconds=1)
)
User.objects.filter(pk=gone.pk).update(is_active=False)
client = OAuthClient.objects.create(
    name="Chart reader", client_type="public", authorization_grant_type="authorization-code",
    redirect_uris="http://127.0.0.1/",
)
oauth = {}
for path, scope in ENDPOINTS.items():
    row = AccessToken(
        user=stan, application=client, scope=scope, expires=timezone.now() + timedelta(hours=1),
        resource=[PUBLIC + path.rstrip("/")],
    )
    row._raw_token = oauth[path] = access_token(None)
    row.save()
print(json.dumps({"personal": {name: one.secret for name, one in made.items()}, "oauth": oauth}))
"""


class Hub(Stack):
    """The stack with three sidecar workers, and Python code run on its database."""

    def __init__(self, folder):
        # Every caller of this test comes from one address.
        super().__init__(folder, public_url=PUBLIC, PORTOLAN_MAX_WRONG_TOKENS_PER_MINUTE="10000")
        self.sidecar.command = (*self.sidecar.command, "--workers", "3")
        # Each request on a connection of its own, so that it may be any worker's.
        self.http = httpx.Client(
            base_url=self.url,
            trust_env=False,
            timeout=60,
            limits=httpx.Limits(max_keepalive_connections=0),
        )

    def python(self, code):
        done = subprocess.run(
            [sys.executable, "manage.py", "shell", "--verbosity", "0", "-c", code],
            cwd=PROJECT,
            env=newcomers_environment() | self.variables,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout

    def post(self, path, authorization=None, message=LIST_TOOLS):
        """Send one message."""
        headers = {"Host": "hub.example.org", "Accept": "application/json, text/event-stream"}
        if authorization is not None:
            headers["Authorization"] = authorization
        return self.http.post(path, json=message, headers=headers)

    def get(self, address):
        path = address.removeprefix(PUBLIC)
        return self.http.get(path, headers={"Host": "hub.example.org"})


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    hub = Hub(tmp_path_factory.mktemp("hub"))
    with hub.http, hub.running():
        yield hub


@pytest.fixture(scope="module")
def tokens(hub):
    head = f"ENDPOINTS = {ENDPOINTS!r}\nPUBLIC = {PUBLIC!r}\n"
    return json.loads(hub.python(head + MAKE))


def authorization(tokens, caller, path):
    """Return what the caller sends in the header Authorization."""
    elsewhere = "/mcp/lesson/" if path == "/mcp/" else "/mcp/"
    bearers = {
        "GitHub token": "ghp_" + "a" * 36,
        "OAuth, this resource": tokens["oauth"][path],
        "OAuth, other resource": tokens["oauth"][elsewhere],
        "unknown": "ptl_" + "b" * 43,
        "malformed": "not a token",
        **tokens["personal"],
    }
    return None if caller == "anonymous" else f"Bearer {bearers[caller]}"


def served(path):
    """Return whether the sidecar has that server at all."""
    from mcp_sidecar.transport.application import SERVERS

    return path.startswith("/mcp/repositories/") or path.rstrip("/") in {
        server.path for server in SERVERS
    }


def expected_status(path, caller):
    if caller in REFUSED:
        return 401
    return EXCEPTIONS.get(path, {}).get(caller, 200)


def test_every_caller_gets_at_every_endpoint_what_it_should(hub, tokens):
    rows = []
    for path in filter(served, ENDPOINTS):
        cells = []
        for caller in CALLERS:
            answers = [
                hub.post(spelling, authorization(tokens, caller, path))
                for spelling in (path, path.rstrip("/"))
            ]
            assert [a.status_code for a in answers] == [expected_status(path, caller)] * 2, (
                path,
                caller,
                answers[0].text,
            )
            assert answers[0].headers["content-type"] == "application/json"
            assert answers[0].json().keys() == answers[1].json().keys()
            cells.append(_cell(answers[0]))
        rows.append(f"| `{path}` | {' | '.join(cells)} |")
    head = f"| endpoint | {' | '.join(CALLERS)} |\n|---|{'---|' * len(CALLERS)}"
    table = "\n".join(["<!-- matrix -->", head, *rows, "<!-- /matrix -->"])
    text = PAGE.read_text()
    measured = re.sub(r"<!-- matrix -->.*<!-- /matrix -->", lambda _: table, text, flags=re.DOTALL)
    if os.environ.get("PORTOLAN_WRITE_DOCS") == "1":
        Path(PAGE).write_text(measured)
    assert PAGE.read_text() == measured, "run this test with PORTOLAN_WRITE_DOCS=1"


def _cell(answer):
    if answer.status_code != 200:
        return str(answer.status_code)
    return f"200, {len(answer.json()['result']['tools'])}"


def test_a_401_leads_to_the_metadata_of_exactly_the_address_that_was_called(hub, tokens):
    for path in filter(served, ENDPOINTS):
        for spelling in (path, path.rstrip("/")):
            refused = hub.post(spelling, authorization(tokens, "unknown", path))
            challenge = refused.headers["www-authenticate"]
            address = re.search(r'resource_metadata="([^"]+)"', challenge)[1]
            assert address == f"{PUBLIC}/.well-known/oauth-protected-resource{spelling}"
            document = hub.get(address).json()
            assert document["resource"] == PUBLIC + spelling
            (issuer,) = document["authorization_servers"]
            assert issuer == f"{PUBLIC}/o"
            server = hub.get(f"{PUBLIC}/.well-known/oauth-authorization-server/o").json()
            assert server["issuer"] == issuer
            assert all(
                value.startswith(f"{PUBLIC}/o/")
                for name, value in server.items()
                if name.endswith("_endpoint")
            )


def test_hidden_and_absent_repositories_are_refused_alike(hub, tokens):
    for caller in ("anonymous", "GitHub token", "unknown", "revoked"):
        answers = [
            hub.post(f"/mcp/repositories/{name}/", authorization(tokens, caller, "/mcp/"))
            for name in ("hidden", "absent")
        ]
        assert answers[0].status_code == answers[1].status_code
        assert answers[0].content == answers[1].content
        metadata = [
            hub.get(f"/.well-known/oauth-protected-resource/mcp/repositories/{name}/")
            for name in ("hidden", "absent")
        ]
        assert [m.status_code for m in metadata] == [200, 200]
        assert metadata[0].text.replace("hidden", "absent") == metadata[1].text


@pytest.mark.parametrize(
    ("change", "back"),
    [
        (
            "PersonalAccessToken.objects.filter(pk=PK).update(revoked_at=timezone.now())",
            "PersonalAccessToken.objects.filter(pk=PK).update(revoked_at=None)",
        ),
        (
            "User.objects.filter(username='mira').update(is_active=False)",
            "User.objects.filter(username='mira').update(is_active=True)",
        ),
    ],
)
def test_what_is_taken_back_is_refused_by_every_worker_from_the_next_call_on(
    hub, tokens, change, back
):
    bearer = f"Bearer {tokens['personal']['member']}"
    head = (
        "from django.contrib.auth.models import User\nfrom django.utils import timezone\n"
        "from web.accounts.models import PersonalAccessToken\n"
        "PK = PersonalAccessToken.objects.filter(user__username='mira').order_by('pk')[0].pk\n"
    )
    for _ in range(20):
        assert hub.post("/mcp/repositories/hidden/", bearer).status_code == 200
    hub.python(head + change)
    for _ in range(40):
        refused = hub.post("/mcp/repositories/hidden/", bearer)
        assert refused.status_code == 401
        assert "result" not in refused.json()
    hub.python(head + back)
    assert hub.post("/mcp/repositories/hidden/", bearer).status_code == 200


def test_a_token_in_the_address_is_refused_and_nothing_secret_is_written(hub, tokens):
    secret = tokens["personal"]["member"]
    assert hub.post(f"/mcp/?token={secret}").status_code == 401
    hub.post("/mcp/", f"Bearer {secret}")
    hub.post("/mcp/", f"Bearer {secret}x")
    hub.get(f"{PUBLIC}/accounts/invitations/pti_{'c' * 43}/")
    hub.get(f"{PUBLIC}/accounts/password/reset/MQ/abcdef-{'d' * 32}/")
    written = "".join(
        path.read_text(errors="replace")
        for path in Path(hub.folder).rglob("*")
        if path.suffix in {".jsonl", ".output", ".log"}
    )
    assert "/mcp/" in written
    for planted in (secret, "c" * 43, "d" * 32):
        assert planted not in written
