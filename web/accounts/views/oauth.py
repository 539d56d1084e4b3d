"""The endpoints of the authorization server: consent, token, revocation, registration."""

import json
import logging
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from oauth2_provider.exceptions import OAuthToolkitError
from oauth2_provider.models import (
    get_access_token_model,
    get_application_model,
    get_grant_model,
)
from oauth2_provider.oauth2_backends import _add_iss_to_redirect
from oauth2_provider.views import (
    AuthorizationView,
    DynamicClientRegistrationManagementView,
    DynamicClientRegistrationView,
    RevokeTokenView,
    TokenView,
)

from web.accounts.oauth.consent import objection_to
from web.accounts.oauth.redirects import destination_of, form_action_of, malformed
from web.accounts.oauth.registration import granted_metadata, read_metadata
from web.accounts.selectors.connections import client_identity
from web.accounts.selectors.resources import issuer, resource_named
from web.accounts.services.audit import audit_write
from web.accounts.services.connections import clients_forget_unused
from web.accounts.throttle import count_request
from web.accounts.views.discovery import open_to_browsers
from web.accounts.views.sign_in import actor_of, address_of
from web.core.errors import InvalidInput, TooLarge, TooManyRequests
from web.core.limits import LIMITS

logger = logging.getLogger(__name__)


def _is_unreadable(request: HttpRequest) -> bool:
    """Return whether a parameter holds what neither databases nor oauthlib can take."""
    sent = [*request.GET.lists(), *request.POST.lists()]
    return any("\0" in text or "\ufffd" in text for _, values in sent for text in values)


def _error(error: str, description: str, *, status: int = 400) -> JsonResponse:
    return JsonResponse({"error": error, "error_description": description}, status=status)


@method_decorator(never_cache, name="dispatch")
class AuthorizeView(AuthorizationView):  # type: ignore[misc]
    """The consent page (RFC 6749 section 4.1.1).

    Consent is asked for every time: a client that registered itself proves nothing by its name,
    so an earlier consent says nothing about who asks now (RFC 8252 section 8.6).
    """

    template_name = "accounts/authorize.html"

    def dispatch(self, request: HttpRequest, *arguments: Any, **options: Any) -> HttpResponse:
        """Take out what would skip the consent; answer 400 to what cannot be read.

        So are a client that was removed while its page stood open, and one that never was.
        """
        asked = request.GET.copy()
        asked.pop("approval_prompt", None)
        request.GET = asked  # type: ignore[assignment]
        if _is_unreadable(request):
            return self._unreadable()
        address = str(asked.get("redirect_uri") or "")
        if address and (refusal := malformed(address)):
            return self._refusal("invalid_request", refusal)
        try:
            response: HttpResponse = super().dispatch(request, *arguments, **options)
        except ValueError:
            logger.info("an authorization request could not be read", exc_info=True)
            response = self._unreadable()
        except get_application_model().DoesNotExist:
            response = self._refusal("invalid_client", "This application is not known any more.")
        return response

    def _unreadable(self) -> HttpResponse:
        return self._refusal("invalid_request", "The address cannot be read.")

    def _refusal(self, error: str, description: str) -> HttpResponse:
        problem = {"error": error, "description": description}
        return render(self.request, self.template_name, {"error": problem}, status=400)

    def handle_no_permission(self) -> HttpResponse:
        """Refuse a wrong request before sending anyone to sign in.

        Whose session ended while the page stood open signs in and is asked again.
        """
        response: HttpResponse
        if self.request.method == "POST":
            response = super().handle_no_permission()
            return response
        try:
            self.validate_authorization_request(self.request)
        except OAuthToolkitError as error:
            response = self.error_response(error, application=None)
        else:
            response = super().handle_no_permission()
        return response

    def form_valid(self, form: Any) -> HttpResponse:
        """Send the member back to the client, and write the consent into the audit."""
        response: HttpResponse = super().form_valid(form)
        if form.cleaned_data.get("allow") and "code=" in response.get("Location", ""):
            audit_write(
                actor=actor_of(self.request),
                action="connection.granted",
                target=f"client {form.cleaned_data['client_id']}",
                detail={
                    "resource": form.cleaned_data["resource"],
                    "redirect": destination_of(form.cleaned_data["redirect_uri"]),
                },
            )
        return response

    def redirect(self, redirect_to: str, application: Any) -> HttpResponse:
        """Name the issuer in errors too (RFC 9207 section 2), which the library leaves out."""
        response: HttpResponse = super().redirect(
            _add_iss_to_redirect(redirect_to, issuer()), application
        )
        return response

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        """Add what a member needs to know to decide."""
        context = super().get_context_data(**context)
        application, resource = context.get("application"), context.get("resource")
        if application is not None and resource:
            server = resource_named(resource)
            context.update(
                server=server,
                identity=client_identity(application),
                destination=destination_of(context["redirect_uri"]),
                objection=objection_to(server, self.request.user) if server else "",
            )
        return context

    def render_to_response(self, context: dict[str, Any], **options: Any) -> HttpResponse:
        """Allow the form's answer to lead to the client: browsers check redirects of forms too."""
        response: HttpResponse = super().render_to_response(context, **options)
        if settings.SECURE_CSP and context.get("redirect_uri"):
            sources = ["'self'", form_action_of(context["redirect_uri"])]
            response._csp_config = {**settings.SECURE_CSP, "form-action": sources}  # type: ignore[attr-defined]
        return response


@method_decorator(open_to_browsers, name="dispatch")
class CodeTokenView(TokenView):  # type: ignore[misc]
    """Codes and refresh tokens against tokens (RFC 6749 sections 4.1.3 and 6)."""

    def post(self, request: HttpRequest, *_arguments: Any, **_options: Any) -> HttpResponse:
        """Answer with tokens or with an error of RFC 6749 section 5.2, always in JSON."""
        if _is_unreadable(request):
            return _error("invalid_request", "A parameter cannot be read.")
        try:
            response: HttpResponse = self.authorization_flow_token_response(request)
        except ValueError:
            logger.info("a token request could not be read", exc_info=True)
            response = _error("invalid_request", "A parameter cannot be read.")
        except (get_access_token_model().DoesNotExist, get_grant_model().DoesNotExist):
            # Gone since it was checked: used, or ended with its connection, by another request.
            response = _error("invalid_grant", "This was used twice at once.")
        # The library leaves both out of the errors that it meets while saving.
        response["Content-Type"] = "application/json"
        response["Cache-Control"] = "no-store"
        return response


@method_decorator(open_to_browsers, name="dispatch")
class RevokeView(RevokeTokenView):  # type: ignore[misc]
    """Token revocation by the client (RFC 7009)."""

    def post(self, request: HttpRequest, *arguments: Any, **options: Any) -> HttpResponse:
        """Revoke the token if it is the client's; tell nothing about others."""
        if _is_unreadable(request):
            return _error("invalid_request", "A parameter cannot be read.")
        response: HttpResponse = super().post(request, *arguments, **options)
        return response


class _GrantedMetadata:
    """Reads a registration's body and replaces it by what this server grants of it."""

    def _prepare(self, request: HttpRequest) -> JsonResponse | None:
        """Return the error to answer with, or None when the request may go on."""
        try:
            metadata = granted_metadata(read_metadata(request.body))
        except InvalidInput as error:
            code = (
                "invalid_redirect_uri" if "redirect" in error.words else "invalid_client_metadata"
            )
            return _error(code, error.words)
        except TooLarge as error:
            return _error("invalid_client_metadata", error.words, status=413)
        request._body = json.dumps(metadata).encode()
        return None


@method_decorator(open_to_browsers, name="dispatch")
class RegisterView(_GrantedMetadata, DynamicClientRegistrationView):  # type: ignore[misc]
    """Dynamic client registration (RFC 7591), open to anyone, so many per address and hour."""

    def post(self, request: HttpRequest, *arguments: Any, **options: Any) -> HttpResponse:
        """Register a client and answer with its id."""
        limit = LIMITS.max_client_registrations_per_hour
        try:
            count_request(kind="registration", address=address_of(request), limit=limit)
        except TooManyRequests as error:
            too_many = _error("too_many_requests", error.words, status=429)
            too_many["Retry-After"] = str(error.retry_after_seconds)
            return too_many
        if (refusal := self._prepare(request)) is not None:
            return refusal
        clients_forget_unused()
        response: HttpResponse = super().post(request, *arguments, **options)
        if response.status_code == HTTPStatus.CREATED:
            registered = {**json.loads(response.content), "response_types": ["code"]}
            if "client_secret" in registered:
                registered["client_secret_expires_at"] = 0  # RFC 7591 section 3.2.1: never
            response = JsonResponse(registered, status=HTTPStatus.CREATED)
        response["Cache-Control"] = "no-store"
        return response


@method_decorator(open_to_browsers, name="dispatch")
class RegistrationView(_GrantedMetadata, DynamicClientRegistrationManagementView):  # type: ignore[misc]
    """A client's own registration (RFC 7592), with the token it got when it registered."""

    def put(
        self, request: HttpRequest, client_id: str, *arguments: Any, **options: Any
    ) -> HttpResponse:
        """Replace the registration."""
        if (refusal := self._prepare(request)) is not None:
            return refusal
        response: HttpResponse = super().put(request, client_id, *arguments, **options)
        return response
