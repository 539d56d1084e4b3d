"""What clients read before they ask for access, and the honest 404 for what there is not.

Clients try several addresses until one answers; a page of HTML, a redirect or a wrong document at
any of them makes sign-in fail in ways that nobody can read.
"""

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.db import InterfaceError, OperationalError
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseNotAllowed,
    JsonResponse,
)
from django.utils.decorators import method_decorator
from django.views.decorators.csrf import csrf_exempt
from oauth2_provider.views import OAuthServerMetadataView

from web.accounts.selectors.resources import protected_resource_metadata

logger = logging.getLogger(__name__)

_ALLOWED_HEADERS = "Authorization, Content-Type, MCP-Protocol-Version"


def open_to_browsers(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Let pages of any origin call this endpoint: it reads no cookie, so that is no risk.

    Answers the preflight (Fetch standard, CORS protocol) itself, and while the database is away
    with 503 in JSON: a page of HTML is nothing that these clients read.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, *arguments: Any, **options: Any) -> HttpResponseBase:
        is_preflight = (
            request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers
        )
        response: HttpResponseBase
        try:
            response = (
                HttpResponse(status=204) if is_preflight else view(request, *arguments, **options)
            )
        except (OperationalError, InterfaceError):
            logger.exception("The database did not answer %s", request.path)
            response = _unavailable()
        response["Access-Control-Allow-Origin"] = "*"
        if is_preflight:
            response["Access-Control-Allow-Methods"] = "GET, POST, PUT, DELETE"
            response["Access-Control-Allow-Headers"] = _ALLOWED_HEADERS
            response["Access-Control-Max-Age"] = "86400"
        return response

    return wrapped


@csrf_exempt
@open_to_browsers
def not_found(_request: HttpRequest, **_parts: str) -> JsonResponse:
    """Answer any method at an address that a client may try and that does not exist."""
    return _no_document()


@csrf_exempt
@open_to_browsers
def resource_metadata(request: HttpRequest, endpoint: str) -> HttpResponse:
    """Return the metadata of an MCP endpoint (RFC 9728), for installations without nginx in front.

    Behind nginx the sidecar answers these addresses, from the same selector.
    """
    document = protected_resource_metadata(endpoint)
    if document is None:
        return _no_document()
    if request.method not in {"GET", "HEAD"}:
        return HttpResponseNotAllowed(["GET", "HEAD"])
    return JsonResponse(document)


@method_decorator(csrf_exempt, name="dispatch")
@method_decorator(open_to_browsers, name="dispatch")
class ServerMetadataView(OAuthServerMetadataView):  # type: ignore[misc]
    """The authorization server's metadata (RFC 8414)."""


def _unavailable() -> JsonResponse:
    text = "The database does not answer now. Repeat the request later."
    body = {"error": "temporarily_unavailable", "error_description": text}
    return JsonResponse(body, status=503, headers={"Retry-After": "5"})


def _no_document() -> JsonResponse:
    return JsonResponse({"error": "not_found"}, status=404)
