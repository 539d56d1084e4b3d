"""Clients that are known by a metadata document: fetched, checked, bound to its host."""

import json

import pytest
from oauth2_provider import cimd

from tests.web.accounts.walker import Walker
from tests.web.certificates import write_certificate
from tests.web.local_server import Reply, serving
from web.accounts.models import OAuthClient

pytestmark = pytest.mark.django_db

VS_CODE_GRANTS = [
    "authorization_code",
    "refresh_token",
    "urn:ietf:params:oauth:grant-type:device_code",
]


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A web site with TLS on loopback that the fetcher takes for a public one."""
    pem = tmp_path / "site.pem"
    context = write_certificate(pem)
    monkeypatch.setenv("SSL_CERT_FILE", str(pem))
    with serving(tls=context) as server:
        yield server


@pytest.fixture
def loopback_is_public(monkeypatch):
    monkeypatch.setattr(cimd, "_ip_is_public", lambda ip: ip in {"127.0.0.1", "::1"})


def publish(site, **changes):
    client_id = site.url("/client.json", host="localhost")
    document = {
        "client_id": client_id,
        "client_name": "Harbour master",
        "redirect_uris": ["http://127.0.0.1:33418/", f"https://localhost:{site.port}/cb"],
        "grant_types": VS_CODE_GRANTS,
        "token_endpoint_auth_method": "none",
        **changes,
    }
    site.routes["/client.json"] = Reply(
        json.dumps(document).encode(), headers={"Content-Type": "application/json"}
    )
    return client_id


@pytest.mark.usefixtures("loopback_is_public")
def test_a_document_makes_a_client_that_is_named_by_its_host(site, member_client):
    walker = Walker(member_client, client_id=publish(site))
    page = walker.ask()
    assert page.status_code == 200, page.content
    assert "Harbour master" in page.content.decode()
    assert "described by localhost" in page.content.decode()
    walker.exchange(walker.answer(page)["code"][0])
    assert len(site.asked) == 1
    assert OAuthClient.objects.get().registration_source == "cimd"


@pytest.mark.usefixtures("loopback_is_public")
@pytest.mark.parametrize(
    "changes",
    [
        {"client_id": "https://localhost/other.json"},
        {"redirect_uris": ["https://evil.example/cb"]},
        {"redirect_uris": "x"},
        {"client_name": 7},
        {"client_secret": "x"},
        {"token_endpoint_auth_method": "client_secret_basic"},
        {"grant_types": ["client_credentials"]},
    ],
)
def test_a_document_that_will_not_do_makes_no_client(site, member_client, changes):
    walker = Walker(member_client, client_id=publish(site, **changes))
    assert walker.ask().status_code == 400
    assert not OAuthClient.objects.exists()


@pytest.mark.usefixtures("loopback_is_public")
def test_redirects_other_types_and_large_documents_are_refused(site, member_client):
    client_id = publish(site)
    whole = site.routes["/client.json"].body
    site.routes["/moved.json"] = site.routes["/client.json"]
    for reply in (
        Reply(status=302, headers={"Location": "/moved.json"}),
        Reply(whole, headers={"Content-Type": "text/html"}),
        Reply(whole + b" " * 20_000, headers={"Content-Type": "application/json"}),
        Reply(b"{", headers={"Content-Type": "application/json"}),
        Reply(b"[" * 9_000, headers={"Content-Type": "application/json"}),
    ):
        site.routes["/client.json"] = reply
        from django.core.cache import cache

        cache.clear()
        assert Walker(member_client, client_id=client_id).ask().status_code == 400
    assert [asked.path for asked in site.asked] == ["/client.json"] * 5


def test_addresses_inside_the_network_are_never_called(site, member_client):
    port = site.port
    for client_id in (
        f"https://localhost:{port}/client.json",
        f"https://127.0.0.1:{port}/client.json",
        f"https://[::1]:{port}/client.json",
        f"https://[::ffff:127.0.0.1]:{port}/client.json",
        f"https://2130706433:{port}/client.json",
        f"https://0:{port}/client.json",
        f"http://localhost:{port}/client.json",
        f"https://u:p@localhost:{port}/client.json",
        f"https://localhost:{port}/a/../client.json",
        "https://169.254.169.254/latest/meta-data",
        "https://10.0.0.1/client.json",
    ):
        assert Walker(member_client, client_id=client_id).ask().status_code == 400, client_id
    assert site.asked == []


def test_a_name_that_changes_its_address_is_connected_where_it_was_checked(
    site, member_client, monkeypatch
):
    """Rebinding: the second look-up would give the loopback address; it never happens."""
    answers = iter(["203.0.113.1", "127.0.0.1", "127.0.0.1"])
    asked = []

    def resolve(host, port, **_options):
        asked.append(host)
        return [(2, 1, 6, "", (next(answers), port))]

    monkeypatch.setattr(cimd.socket, "getaddrinfo", resolve)
    monkeypatch.setattr(cimd, "_ip_is_public", lambda ip: ip == "203.0.113.1")
    connected = []
    pool = cimd.urllib3.HTTPSConnectionPool

    def recording_pool(**options):
        connected.append(options["host"])
        return pool(**{**options, "host": "127.0.0.1", "port": 1})

    monkeypatch.setattr(cimd.urllib3, "HTTPSConnectionPool", recording_pool)
    walker = Walker(member_client, client_id=f"https://rebind.example:{site.port}/client.json")
    assert walker.ask().status_code == 400
    assert (asked, connected, site.asked) == (["rebind.example"], ["203.0.113.1"], [])


def test_documents_can_be_turned_off(site, member_client, settings):
    settings.OAUTH2_PROVIDER = {**settings.OAUTH2_PROVIDER, "CIMD_ENABLED": False}
    assert Walker(member_client, client_id=publish(site)).ask().status_code == 400
    metadata = member_client.get("/.well-known/oauth-authorization-server/o").json()
    assert metadata["client_id_metadata_document_supported"] is False


def test_well_known_clients_are_known_where_their_document_cannot_be_fetched(
    member_client, monkeypatch
):
    def nobody(*_arguments, **_options):
        raise cimd.socket.gaierror("no way out")

    monkeypatch.setattr(cimd.socket, "getaddrinfo", nobody)
    walker = Walker(
        member_client,
        redirect_uri="https://claude.ai/api/mcp/auth_callback",
        client_id="https://claude.ai/oauth/mcp-oauth-client-metadata",
    )
    page = walker.ask()
    assert page.status_code == 200
    assert "described by claude.ai" in page.content.decode()
    walker.redirect_uri = "http://127.0.0.1:1/"
    assert walker.ask().status_code == 400
