"""Clients that are known by a metadata document: fetched, checked, bound to its host."""

import json
import socket

import pytest
from django.core.cache import cache
from django.test import Client

from tests.web.accounts.walker import Walker
from tests.web.certificates import write_certificate
from tests.web.local_server import Reply, serving
from web.accounts.models import OAuthClient
from web.accounts.oauth import documents
from web.core.limits import LIMITS

pytestmark = pytest.mark.django_db

BOUND = {"max_client_registrations_per_hour": 2}
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
def localhost_may_be_fetched(settings):
    settings.FETCH_PRIVATE_HOSTS = frozenset({"localhost"})


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


@pytest.mark.usefixtures("localhost_may_be_fetched")
def test_a_document_makes_a_client_that_is_named_by_its_host(site, member_client):
    walker = Walker(member_client, client_id=publish(site))
    page = walker.ask()
    assert page.status_code == 200, page.content
    assert "Harbour master" in page.content.decode()
    assert "described by localhost" in page.content.decode()
    walker.exchange(walker.answer(page)["code"][0])
    assert len(site.asked) == 1
    assert OAuthClient.objects.get().registration_source == "cimd"


@pytest.mark.usefixtures("localhost_may_be_fetched")
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


@pytest.mark.usefixtures("localhost_may_be_fetched")
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
        cache.clear()
        assert Walker(member_client, client_id=client_id).ask().status_code == 400
    assert [asked.path for asked in site.asked] == ["/client.json"] * 5


@pytest.mark.usefixtures("localhost_may_be_fetched")
def test_strangers_have_only_so_many_documents_fetched(site, monkeypatch):
    monkeypatch.setattr(documents, "LIMITS", LIMITS.model_copy(update=BOUND))
    published = publish(site)
    for number in range(5):
        client_id = site.url(f"/{number}.json", host="localhost")
        refused = Client().get("/o/authorize/", {"client_id": client_id, "response_type": "code"})
        assert refused.status_code == 400
    assert [asked.path for asked in site.asked] == ["/0.json", "/1.json"]
    elsewhere = Walker(Client(REMOTE_ADDR="192.0.2.7"), client_id=published)
    assert elsewhere.ask().status_code == 302  # to sign in
    # Known by now, so that nothing has to be fetched.
    assert Walker(Client(), client_id=published).ask().status_code == 302


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


def resolving(monkeypatch, *answers):
    """Have names lead to these addresses, one answer a look-up; return the names asked for."""
    asked, left, really = [], iter(answers), socket.getaddrinfo

    def resolve(host, port, *arguments, **options):
        if not any(letter.isalpha() for letter in host):
            return really(host, port, *arguments, **options)  # a connection to a checked address
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port)) for ip in next(left)]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    return asked


@pytest.mark.usefixtures("localhost_may_be_fetched")
def test_a_name_that_changes_its_address_is_looked_up_once_and_connected_where_it_was_checked(
    site, member_client, monkeypatch
):
    asked = resolving(monkeypatch, ["127.0.0.1"], ["169.254.169.254"])
    assert Walker(member_client, client_id=publish(site)).ask().status_code == 200
    assert (asked, len(site.asked)) == (["localhost"], 1)


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["10.0.0.7"],
        ["169.254.169.254"],
        ["8.8.8.8", "127.0.0.1"],
        ["::ffff:127.0.0.1"],
        ["64:ff9b::7f00:1"],
    ],
)
def test_a_public_name_with_an_address_inside_the_network_is_never_called(
    site, member_client, monkeypatch, addresses
):
    asked = resolving(monkeypatch, addresses)
    walker = Walker(member_client, client_id=f"https://client.example:{site.port}/client.json")
    assert walker.ask().status_code == 400
    assert (asked, site.asked) == (["client.example"], [])


@pytest.mark.usefixtures("localhost_may_be_fetched")
def test_a_document_may_have_a_media_type_that_is_json_by_its_ending(site, member_client):
    client_id = publish(site)
    body = site.routes["/client.json"].body
    for media_type, status in (("application/cimd+json", 200), ("application/jsonish", 400)):
        OAuthClient.objects.all().delete()
        cache.clear()
        site.routes["/client.json"] = Reply(body, headers={"Content-Type": media_type})
        assert Walker(member_client, client_id=client_id).ask().status_code == status


@pytest.mark.usefixtures("localhost_may_be_fetched")
@pytest.mark.parametrize(
    ("cache_control", "asked"), [("max-age=86400", 1), ("no-store", 1), ("", 1)]
)
def test_a_document_is_kept_for_a_while_whatever_its_host_says(
    site, member_client, cache_control, asked
):
    client_id = publish(site)
    site.routes["/client.json"].headers["Cache-Control"] = cache_control
    for _ in range(3):
        assert Walker(member_client, client_id=client_id).ask().status_code == 200
    assert len(site.asked) == asked


def test_documents_can_be_turned_off(site, member_client, settings):
    settings.OAUTH2_PROVIDER = {**settings.OAUTH2_PROVIDER, "CIMD_ENABLED": False}
    assert Walker(member_client, client_id=publish(site)).ask().status_code == 400
    metadata = member_client.get("/.well-known/oauth-authorization-server/o").json()
    assert metadata["client_id_metadata_document_supported"] is False


def test_well_known_clients_are_known_where_their_document_cannot_be_fetched(
    member_client, monkeypatch
):
    def nobody(*_arguments, **_options):
        raise socket.gaierror("no way out")

    monkeypatch.setattr(socket, "getaddrinfo", nobody)
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
