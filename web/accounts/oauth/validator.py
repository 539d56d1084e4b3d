"""What a client may be granted: one resource of ours, the scope of that resource, for its user."""

from typing import Any

from oauth2_provider.models import get_grant_model, get_refresh_token_model
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauthlib.oauth2.rfc6749 import errors

from web.accounts.oauth.consent import objection_to
from web.accounts.records import ProtectedResource
from web.accounts.selectors.resources import canonical_resource, resource_named
from web.core.transactions import write_transaction


class ResourceValidator(OAuth2Validator):  # type: ignore[misc]
    """Binds every code and token to exactly one resource (RFC 8707).

    Scopes that the resource does not know are left out (RFC 6749 section 3.3), so a client that
    asks for everything gets what the resource needs.
    """

    def get_default_scopes(
        self, _client_id: str, request: Any, *_arguments: Any, **_options: Any
    ) -> list[str]:
        """Return the scope of the resource that is asked for."""
        return [_requested_resource(request).scope]

    def validate_scopes(
        self, _client_id: str, scopes: list[str], _client: Any, request: Any, *_: Any, **__: Any
    ) -> bool:
        """Narrow the scopes to what the resource knows and the user may hold; False for none."""
        resource = _requested_resource(request)
        request.scopes = [scope for scope in dict.fromkeys(scopes) if scope == resource.scope]
        if request.user is not None and (objection := objection_to(resource, request.user)):
            raise errors.AccessDeniedError(description=objection, request=request)
        return bool(request.scopes)

    def validate_code(
        self, client_id: str, code: str, client: Any, request: Any, *arguments: Any, **options: Any
    ) -> bool:
        """Refuse codes that are unknown, expired or of a user who is no longer active."""
        known = super().validate_code(client_id, code, client, request, *arguments, **options)
        return bool(known and request.user.is_active)

    def validate_refresh_token(
        self, refresh_token: str, client: Any, request: Any, *arguments: Any, **options: Any
    ) -> bool:
        """Refuse refresh tokens that are unknown, used, expired or of a user who is not active."""
        known = super().validate_refresh_token(
            refresh_token, client, request, *arguments, **options
        )
        return bool(known and request.user.is_active)

    def save_bearer_token(
        self, token: dict[str, Any], request: Any, *arguments: Any, **options: Any
    ) -> Any:
        """Use up the code or refresh token and save what it gives, in one transaction.

        Of several requests with the same one that come at once, all of which were found valid
        before, one gets tokens and the others `invalid_grant`.
        """
        with write_transaction("accounts"):
            if not _is_unused(request):
                raise errors.InvalidGrantError(request=request)
            saved = super().save_bearer_token(token, request, *arguments, **options)
            if request.grant_type == "authorization_code":
                super().invalidate_authorization_code(request.client_id, request.code, request)
        return saved

    def invalidate_authorization_code(
        self, client_id: str, code: str, request: Any, *arguments: Any, **options: Any
    ) -> None:
        """Leave the code alone: `save_bearer_token` has used it up."""

    def _create_authorization_code(self, request: Any, code: Any, expires: Any = None) -> Any:
        request.resource = [_requested_resource(request).url]
        return super()._create_authorization_code(request, code, expires)

    def _check_and_set_request_resource(self, request: Any) -> None:
        """Compare the resource of a token request in its one spelling, and insist on having one."""
        request.resource = [
            canonical_resource(value) or value for value in _values(request, request.decoded_body)
        ]
        super()._check_and_set_request_resource(request)
        if len(request.resource) != 1:
            raise _invalid_target(request)


def _is_unused(request: Any) -> bool:
    """Return whether nobody used the code or refresh token of this request since it was checked."""
    if request.grant_type == "refresh_token":
        one = get_refresh_token_model().objects.filter(pk=request.refresh_token_instance.pk)
        return bool(one.filter(revoked=None).exists())
    codes = get_grant_model().objects.filter(code=request.code, application=request.client)
    return bool(codes.exists())


def _requested_resource(request: Any) -> ProtectedResource:
    values = _values(request, request.uri_query_params)
    resource = resource_named(values[0]) if len(set(values)) == 1 else None
    if resource is None:
        raise _invalid_target(request)
    return resource


def _values(request: Any, sent: Any) -> list[str]:
    """Return the resource indicators of a request; oauthlib itself keeps only the last one."""
    if isinstance(request.resource, list):
        return request.resource
    return [value for name, value in sent or [] if name == "resource"]


def _invalid_target(request: Any) -> errors.CustomOAuth2Error:
    return errors.CustomOAuth2Error(
        error="invalid_target",
        description=(
            "Name one MCP endpoint of this server with the parameter resource, "
            "as its protected resource metadata gives it."
        ),
        request=request,
    )
