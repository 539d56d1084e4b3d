"""Who may register as a client, and which redirect addresses are accepted."""

import json
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from tests.web.accounts.walker import Walker
from web.accounts.models import OAuthClient
from web.core.limits import LIMITS

pytestmark = pytest.mark.django_db

# What these applications send when they register, as published or observed.
KNOWN_CLIENTS = {
    "Claude": ["https://claude.ai/api/mcp/auth_callback"],
    "Claude at claude.com": ["https://claude.com/api/mcp/auth_callback"],
    "Claude Code": ["http://localhost:54545/callback"],
    "ChatGPT": ["https://chatgpt.com/connector_platform_oauth_redirect"],
    "ChatGPT, one connector": ["https://chatgpt.com/connector/oauth/OUbdUMlL15Ct"],
    "VS Code": [
        "https://insiders.vscode.dev/redirect",
        "https://vscode.dev/redirect",
        "http://127.0.0.1/",
        "http://127.0.0.1:33418/",
    ],
    "Cursor": [
        "cursor://anysphere.cursor-mcp/oauth/callback",
        "https://www.cursor.com/agents/mcp/oauth/callback",
        "http://localhost:8787/callback",
    ],
    "a tool on IPv6": ["http://[::1]:3000/cb"],
}
STRANGERS = [
    "https://evil.example/callback",
    "https://claude.ai.evil.example/api/mcp/auth_callback",
    "https://claude.ai/api/mcp/auth_callback/../../evil",
    "https://claude.ai/other",
    "https://claude.ai:8443/api/mcp/auth_callback",
    "https://chatgpt.com/connector/oauth/",
    "https://chatgpt.com/connector/oauth/a/../../evil",
    "https://chatgpt.com/connector/oauth/a?next=evil",
    "http://evil.example/callback",
    "http://127.0.0.1.evil.example/",
    "http://user@127.0.0.1/",
    "http://127.0.0.1/#fragment",
    "https://claude.ai\\@evil.example/",
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "cursor://evil/oauth/callback",
    "vscode://x/y",
    "http://2130706433/",
    "http://0.0.0.0/",
    "http://169.254.169.254/",
    "//127.0.0.1/",
    "",
    "http://[::1",
    "http://127.0.0.1:99999/",
    "http://127.0.0.1:0/",
    "http://localhost:port/",
]


def post(document, **options):
    return Client().post(
        "/o/register/",
        document if isinstance(document, bytes) else json.dumps(document),
        content_type="application/json",
        **options,
    )


@pytest.mark.parametrize("name", KNOWN_CLIENTS)
def test_well_known_clients_register_and_reach_the_consent_page(name, member_client):
    for redirect_uri in KNOWN_CLIENTS[name]:
        walker = Walker(member_client, redirect_uri=redirect_uri)
        response = walker.register(redirect_uris=KNOWN_CLIENTS[name])
        assert response.status_code == 201, response.content
        assert response.json()["redirect_uris"] == KNOWN_CLIENTS[name]
        page = walker.ask()
        assert page.status_code == 200
        answer = walker.answer(page)
        assert answer["code"]


@pytest.mark.parametrize("uri", STRANGERS)
def test_other_redirect_addresses_are_refused_with_a_reason(uri):
    response = post({"redirect_uris": [uri], "token_endpoint_auth_method": "none"})
    assert response.status_code == 400
    assert response.json()["error"] == "invalid_redirect_uri"
    assert "redirect address" in response.json()["error_description"]
    assert not OAuthClient.objects.exists()


def test_what_is_not_accepted_is_left_out_where_something_remains():
    response = post(
        {
            "redirect_uris": ["https://evil.example/", "http://localhost:1/cb", "myapp://cb"],
            "grant_types": ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"],
            "token_endpoint_auth_method": "none",
        }
    )
    assert response.status_code == 201
    assert response.json()["redirect_uris"] == ["http://localhost:1/cb"]
    assert response.json()["grant_types"] == ["authorization_code", "refresh_token"]


def test_the_operator_can_allow_further_addresses(settings):
    settings.OAUTH_REDIRECT_URIS = frozenset({"https://agents.example.org/cb"})
    assert post({"redirect_uris": ["https://agents.example.org/cb"]}).status_code == 201
    assert post({"redirect_uris": ["https://agents.example.org/cb2"]}).status_code == 400


def test_loopback_matches_at_any_port_and_other_addresses_exactly(member_client):
    walker = Walker(member_client, redirect_uri="http://localhost:1234/callback")
    walker.register()
    assert walker.ask(redirect_uri="http://localhost:4321/callback").status_code == 200
    assert walker.ask(redirect_uri="http://127.0.0.1:1234/callback").status_code == 400
    assert walker.ask(redirect_uri="http://localhost:1234/callback?a=b").status_code == 400
    for port in ("65536", "0", "-1", "x"):
        page = walker.ask(redirect_uri=f"http://localhost:{port}/callback")
        assert page.status_code == 400
        assert "a number from 1 to 65535" in page.content.decode()
    page = walker.ask()
    form = {name: value for name, value in page.context["form"].initial.items() if value}
    form |= {"allow": "true", "redirect_uri": "http://localhost:65536/callback"}
    assert member_client.post(page.wsgi_request.get_full_path(), form).status_code == 400


def test_a_confidential_client_gets_a_secret_that_never_expires_and_must_use_it(member_client):
    walker = Walker(member_client)
    document = walker.register(token_endpoint_auth_method="client_secret_post").json()
    assert document["client_secret_expires_at"] == 0
    code = walker.code()
    assert walker.exchange(code).json()["error"] == "invalid_client"
    assert walker.exchange(code, client_secret=document["client_secret"]).status_code == 200
    stored = OAuthClient.objects.get(client_id=walker.client_id)
    assert stored.client_secret != document["client_secret"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"[]", 400),
        (b"{", 400),
        (b"\xff", 400),
        (b"[" * 10_000, 400),
        (b'{"redirect_uris": "http://localhost/"}', 400),
        (b'{"redirect_uris": [7]}', 400),
        (b'{"redirect_uris": []}', 400),
        (b'{"redirect_uris": ["http://localhost/a b"]}', 400),
        (b'{"redirect_uris": ["http://localhost/"], "client_name": ["x"]}', 400),
        (b'{"redirect_uris": ["http://localhost/"], "client_name": "a\\u0000b"}', 400),
        (b'{"redirect_uris": ["http://localhost/"], "grant_types": 7}', 400),
        (b'{"redirect_uris": ["http://localhost/"], "grant_types": ["password"]}', 400),
        (b'{"redirect_uris": ["http://localhost/"], "token_endpoint_auth_method": "x"}', 400),
        (b'{"redirect_uris": ["http://localhost/"], "token_endpoint_auth_method": [1]}', 400),
        (b'{"a": "' + b"x" * LIMITS.max_registration_bytes + b'"}', 413),
    ],
)
def test_a_bad_registration_is_an_error_in_json(body, status):
    response = post(body)
    assert response.status_code == status
    assert response.json()["error"] in {"invalid_client_metadata", "invalid_redirect_uri"}
    assert not OAuthClient.objects.exists()


def test_a_name_cannot_hide_or_turn_what_the_consent_page_shows(member_client):
    walker = Walker(member_client)
    walker.register(client_name="Claude\u202e\u200b<b>\n\nby\u2066 Anthropic")
    assert OAuthClient.objects.get().name == "Claude<b> by Anthropic"
    assert "Claude&lt;b&gt; by Anthropic" in walker.ask().content.decode()


def test_registrations_are_bounded_per_address_and_hour(settings):
    document = {"redirect_uris": ["http://localhost/"], "token_endpoint_auth_method": "none"}
    for _ in range(LIMITS.max_client_registrations_per_hour):
        assert post(document).status_code == 201
    refused = post(document)
    assert refused.status_code == 429
    assert int(refused["Retry-After"]) > 0
    assert refused.json()["error"] == "too_many_requests"
    assert post(document, REMOTE_ADDR="192.0.2.9").status_code == 201
    forged = post(document, headers={"X-Forwarded-For": "192.0.2.10"})
    assert forged.status_code == 429


def test_clients_that_nobody_agreed_to_are_forgotten_after_a_week(member_client):
    used, unused = Walker(member_client), Walker(member_client)
    used.tokens()
    unused.register()
    OAuthClient.objects.create(
        name="by staff",
        redirect_uris="https://x.example/",
        client_type="public",
        authorization_grant_type="authorization-code",
    )
    OAuthClient.objects.update(created=timezone.now() - timedelta(days=8))
    new = Walker(member_client)
    new.register()
    left = set(OAuthClient.objects.values_list("client_id", flat=True))
    assert unused.client_id not in left
    assert {used.client_id, new.client_id} <= left
    assert OAuthClient.objects.filter(name="by staff").exists()


def test_a_client_reads_changes_and_deletes_its_own_registration(member_client):
    walker = Walker(member_client)
    document = walker.register().json()
    own = f"/o/register/{walker.client_id}/"
    bearer = {"Authorization": f"Bearer {document['registration_access_token']}"}
    assert walker.wire.get(own).status_code == 401
    assert walker.wire.get(own, headers=bearer).json()["client_name"] == "Chart reader"
    evil = json.dumps({"redirect_uris": ["https://evil.example/"]})
    put = walker.wire.put(own, evil, content_type="application/json", headers=bearer)
    assert put.status_code == 400
    assert walker.wire.delete(own, headers=bearer).status_code == 204
    assert not OAuthClient.objects.exists()
