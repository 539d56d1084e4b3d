"""What clients discover, and the JSON 404 for everything that does not exist."""

import pytest
from django.test import Client

from web.accounts.selectors import protected_resource_metadata, protected_resource_metadata_url
from web.library.models import Repository, Visibility

pytestmark = pytest.mark.django_db
PUBLIC = "http://127.0.0.1:8080"
RESOURCE = "/.well-known/oauth-protected-resource"
ENDPOINTS = {
    "/mcp": "project",
    "/mcp/operations": "operations",
    "/mcp/lesson": "project",
    "/mcp/repositories/charts": "project",
    "/mcp/repositories/hidden": "project",  # so that members find how to sign in
    "/mcp/repositories/absent": "project",  # so that nobody learns which ones there are
}
NOWHERE = [
    RESOURCE,
    f"{RESOURCE}/",
    f"{RESOURCE}/mcp//",
    f"{RESOURCE}/mcp/mcp",
    f"{RESOURCE}/mcp/nothing/",
    f"{RESOURCE}/mcp/work/",  # until there is such a server
    f"{RESOURCE}/mcp/repositories/",
    f"{RESOURCE}/mcp/repositories/charts/more",
    f"{RESOURCE}/mcp/repositories/%7Bname%7D/",
    f"{RESOURCE}/mcp/repositories/..",
    f"{RESOURCE}/mcp/repositories/a%00b/",
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server/",
    "/.well-known/oauth-authorization-server/mcp",
    "/.well-known/oauth-authorization-server/o/",
    "/.well-known/openid-configuration",
    "/.well-known/openid-configuration/o",
    "/.well-known/openid-configuration/mcp",
    "/.well-known/jwks.json",
    "/.well-known/",
    "/o",
    "/o/",
    "/o/.well-known/openid-configuration",
    "/o/introspect/",
    "/o/applications/",
    "/o/userinfo/",
    "/o/device-authorization/",
    "/o/authorized_tokens/",
    "/register",
    "/authorize",
    "/register/",
]


@pytest.fixture(autouse=True)
def _repositories():
    Repository.objects.create(name="charts", url="https://git.example/charts")
    Repository.objects.create(
        name="hidden", url="https://git.example/hidden", visibility=Visibility.MEMBERS
    )


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_both_spellings_of_an_endpoint_have_metadata_with_exactly_that_spelling(endpoint):
    for spelling in (endpoint, f"{endpoint}/"):
        response = Client().get(RESOURCE + spelling)
        document = response.json()
        assert response.status_code == 200
        assert document["resource"] == PUBLIC + spelling
        assert document["authorization_servers"] == [f"{PUBLIC}/o"]
        assert document["scopes_supported"] == [ENDPOINTS[endpoint]]
        assert document["bearer_methods_supported"] == ["header"]
        assert document == protected_resource_metadata(spelling)
        assert protected_resource_metadata_url(spelling) == PUBLIC + RESOURCE + spelling
        assert response["Access-Control-Allow-Origin"] == "*"


def test_the_authorization_server_says_what_it_does_and_nothing_else():
    for path in (
        "/.well-known/oauth-authorization-server/o",
        "/o/.well-known/oauth-authorization-server",
    ):
        response = Client().get(path)
        assert response.json() == {
            "issuer": f"{PUBLIC}/o",
            "authorization_endpoint": f"{PUBLIC}/o/authorize/",
            "token_endpoint": f"{PUBLIC}/o/token/",
            "revocation_endpoint": f"{PUBLIC}/o/revoke/",
            "registration_endpoint": f"{PUBLIC}/o/register/",
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "scopes_supported": ["operations", "project"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": [
                "none",
                "client_secret_basic",
                "client_secret_post",
            ],
            "revocation_endpoint_auth_methods_supported": [
                "none",
                "client_secret_basic",
                "client_secret_post",
            ],
            "client_id_metadata_document_supported": True,
            "authorization_response_iss_parameter_supported": True,
        }
        assert response["Access-Control-Allow-Origin"] == "*"


@pytest.mark.parametrize("path", NOWHERE)
@pytest.mark.parametrize("method", ["get", "post"])
def test_every_other_discovery_path_is_a_json_404(path, method):
    response = getattr(Client(enforce_csrf_checks=True), method)(path)
    assert response.status_code == 404
    assert response["Content-Type"] == "application/json"
    assert response.json() == {"error": "not_found"}


def test_the_preflight_of_a_browser_application_is_answered():
    for path in (f"{RESOURCE}/mcp/", "/.well-known/oauth-authorization-server/o", "/o/register/"):
        response = Client().options(
            path,
            headers={
                "Origin": "http://localhost:6274",
                "Access-Control-Request-Method": "GET",
                "Access-Control-Request-Headers": "mcp-protocol-version",
            },
        )
        assert response.status_code == 204
        assert response["Access-Control-Allow-Origin"] == "*"
        assert "MCP-Protocol-Version" in response["Access-Control-Allow-Headers"]
        assert "Access-Control-Allow-Credentials" not in response


def test_there_are_exactly_the_resources_that_there_are_servers_for():
    from mcp_sidecar.transport.application import SERVERS
    from web.accounts.selectors import resources

    served = {server.path: server.token_scope or "project" for server in SERVERS}
    assert {path: scope for path, (scope, _title) in resources._SERVERS.items()} == served
