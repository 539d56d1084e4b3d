"""A client of the authorization server that sends what MCP clients send, over Django's stack."""

import base64
import hashlib
import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from django.test import Client

LESSON = "http://127.0.0.1:8080/mcp/lesson/"
PROJECT = "http://127.0.0.1:8080/mcp/"
OPERATIONS = "http://127.0.0.1:8080/mcp/operations/"
CALLBACK = "http://127.0.0.1:33418/"
VERIFIER = "v" * 64
CHALLENGE = (
    base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
)


@dataclass
class Walker:
    """Registers, asks for consent as the signed-in member of `browser`, exchanges and refreshes."""

    browser: Client
    redirect_uri: str = CALLBACK
    client_id: str = ""
    wire: Client = field(default_factory=Client)

    def register(self, **metadata: Any) -> Any:
        document = {
            "client_name": "Chart reader",
            "redirect_uris": [self.redirect_uri],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
            **metadata,
        }
        response = self.wire.post(
            "/o/register/", json.dumps(document), content_type="application/json"
        )
        if response.status_code == 201:
            self.client_id = response.json()["client_id"]
        return response

    def query(self, **changes: Any) -> dict[str, Any]:
        query = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "scope": "project",
            "state": "st4te",
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
            "resource": LESSON,
            **changes,
        }
        return {name: value for name, value in query.items() if value is not None}

    def ask(self, **changes: Any) -> Any:
        """Open the consent page."""
        return self.browser.get("/o/authorize/", self.query(**changes))

    def answer(self, page: Any, *, allow: bool = True, **changes: Any) -> dict[str, list[str]]:
        """Press a button of the consent page; return what the client's address is called with."""
        fields = {name: value for name, value in page.context["form"].initial.items() if value}
        if allow:
            fields["allow"] = "true"
        response = self.browser.post(page.wsgi_request.get_full_path(), {**fields, **changes})
        assert response.status_code == 302, response.content
        return parse_qs(urlsplit(response["Location"]).query)

    def code(self, **changes: Any) -> str:
        if not self.client_id:
            self.register()
        return self.answer(self.ask(**changes))["code"][0]

    def exchange(self, code: str, **changes: Any) -> Any:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "code_verifier": VERIFIER,
            "resource": LESSON,
            **changes,
        }
        form = {name: value for name, value in form.items() if value is not None}
        return self.wire.post("/o/token/", form)

    def tokens(self, **changes: Any) -> dict[str, Any]:
        resource = changes.get("resource", LESSON)
        response = self.exchange(self.code(**changes), resource=resource)
        assert response.status_code == 200, response.content
        return dict(response.json())

    def refresh(self, refresh_token: str, **changes: Any) -> Any:
        form = {
            "grant_type": "refresh_token",
            "refresh_token": refresh_token,
            "client_id": self.client_id,
            **changes,
        }
        return self.wire.post("/o/token/", form)
