"""The addresses of accounts, of the authorization server and of discovery."""

from django.urls import include, path, re_path
from django.views.generic import RedirectView

from web.accounts.views import account, discovery, oauth, sign_in

_pages = [
    path("", account.account, name="account"),
    path("sign-in/", sign_in.SignInView.as_view(), name="sign_in"),
    path("sign-out/", sign_in.SignOutView.as_view(), name="sign_out"),
    path("invitations/<str:secret>/", sign_in.InvitationView.as_view(), name="invitation"),
    path("sign-up/", sign_in.SignUpView.as_view(), name="sign_up"),
    path("password/", sign_in.PasswordChangeView.as_view(), name="password_change"),
    path("password/reset/", sign_in.ResetRequestView.as_view(), name="password_reset"),
    path("password/reset/sent/", sign_in.ResetSentView.as_view(), name="password_reset_sent"),
    path(
        "password/reset/<uidb64>/<token>/",
        sign_in.ResetConfirmView.as_view(),
        name="password_reset_confirm",
    ),
    path("time-zone/", account.change_time_zone, name="change_time_zone"),
    path("tokens/new/", account.new_token, name="new_token"),
    path("tokens/<int:token_id>/revoke/", account.revoke_token, name="revoke_token"),
    path(
        "applications/<int:connection_id>/disconnect/",
        account.revoke_connection,
        name="revoke_connection",
    ),
]
# The library builds addresses from these names, hence its namespace.
_server = [
    path(
        ".well-known/oauth-authorization-server/o",
        discovery.ServerMetadataView.as_view(),
        name="oauth-server-metadata",
    ),
    path("o/.well-known/oauth-authorization-server", discovery.ServerMetadataView.as_view()),
    path("o/authorize/", oauth.AuthorizeView.as_view(), name="authorize"),
    path("o/token/", oauth.CodeTokenView.as_view(), name="token"),
    path("o/revoke/", oauth.RevokeView.as_view(), name="revoke-token"),
    path("o/register/", oauth.RegisterView.as_view(), name="dcr-register"),
    path(
        "o/register/<str:client_id>/",
        oauth.RegistrationView.as_view(),
        name="dcr-register-management",
    ),
]
urlpatterns = [
    path("accounts/", include((_pages, "accounts"))),
    path("", include((_server, "oauth2_provider"))),
    re_path(
        r"^\.well-known/oauth-protected-resource(?P<endpoint>/.*)$",
        discovery.resource_metadata,
    ),
    re_path(r"^(?:\.well-known|o)(?:/.*)?$", discovery.not_found),
    # A client that starts again with a token to renew asks here, before it discovers anything.
    path("token", oauth.CodeTokenView.as_view()),
    re_path(r"^(?:register|authorize)/?$", discovery.not_found),
    path("admin/login/", RedirectView.as_view(pattern_name="accounts:sign_in", query_string=True)),
]
