"""The account page: time zone, personal access tokens, connected applications."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from web.accounts.forms import TimeZoneForm, TokenForm
from web.accounts.selectors import principal_of
from web.accounts.selectors.connections import connections_of
from web.accounts.selectors.tokens import tokens_of
from web.accounts.services.connections import connection_revoke
from web.accounts.services.profiles import profile_update
from web.accounts.services.tokens import token_create, token_revoke
from web.accounts.views.sign_in import actor_of
from web.core.errors import NotFound, PortolanError


@login_required
@never_cache
@require_GET
def account(request: HttpRequest) -> HttpResponse:
    """Show the member's account."""
    principal = principal_of(request.user)
    context = {
        "principal": principal,
        "time_zone_form": TimeZoneForm(initial={"time_zone": principal.time_zone}),
        "tokens": tokens_of(request.user),
        "connections": connections_of(request.user),
    }
    return render(request, "accounts/account.html", context)


@login_required
@require_POST
def change_time_zone(request: HttpRequest) -> HttpResponse:
    """Set the member's time zone."""
    form = TimeZoneForm(request.POST)
    if form.is_valid():
        profile_update(
            actor=actor_of(request), user=request.user, time_zone=form.cleaned_data["time_zone"]
        )
        messages.success(request, f"Your time zone is {form.cleaned_data['time_zone']}.")
    else:
        messages.error(request, "That is no time zone; nothing was changed.")
    return redirect("accounts:account")


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
@sensitive_variables("made")
def new_token(request: HttpRequest) -> HttpResponse:
    """Ask for a new token's name, scopes and expiry; then show it, once, in the answer itself."""
    is_staff = principal_of(request.user).is_staff
    if request.method == "GET":
        return render(request, "accounts/token_new.html", {"form": TokenForm(is_staff=is_staff)})
    form = TokenForm(request.POST, is_staff=is_staff)
    if form.is_valid():
        try:
            made = token_create(actor=actor_of(request), owner=request.user, **form.cleaned_data)
        except PortolanError as error:
            form.add_error(None, error.words)
        else:
            return render(request, "accounts/token_made.html", {"made": made}, status=201)
    return render(request, "accounts/token_new.html", {"form": form}, status=422)


@login_required
@require_POST
def revoke_token(request: HttpRequest, token_id: int) -> HttpResponse:
    """Revoke one of the member's tokens."""
    try:
        token_revoke(actor=actor_of(request), owner_id=request.user.pk, token_id=token_id)  # type: ignore[arg-type]
    except NotFound:
        messages.info(request, "That token did not work any more.")
    else:
        messages.success(request, "The token is revoked: it stopped working just now.")
    return redirect("accounts:account")


@login_required
@require_POST
def revoke_connection(request: HttpRequest, connection_id: int) -> HttpResponse:
    """Take back the access of a connected application."""
    try:
        connection_revoke(
            actor=actor_of(request),
            owner_id=request.user.pk,  # type: ignore[arg-type]
            connection_id=connection_id,
        )
    except NotFound:
        messages.info(request, "That application had no access any more.")
    else:
        messages.success(request, "The application is disconnected: its access ended just now.")
    return redirect("accounts:account")
