"""Accounts in the admin: invitations are made here, tokens revoked, the audit read.

What other applications show in the admin is audited here; OAuth's tokens are only looked at, since
they are made by consent and end by `connection_revoke`.
"""

from typing import Any

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib import admin, messages
from django.contrib.auth.models import Group
from django.db.models import Model, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest
from django_tasks_db.models import DBTaskResult
from oauth2_provider.models import (
    get_access_token_model,
    get_grant_model,
    get_id_token_model,
    get_refresh_token_model,
)

from web.accounts import user_admin  # noqa: F401 - registers the page of accounts
from web.accounts.audited_admin import AuditedAdmin, register_anew
from web.accounts.models import AuditEvent, Invitation, OAuthClient, PersonalAccessToken
from web.accounts.services.invitations import invitation_create, invitation_withdraw
from web.accounts.services.tokens import token_revoke
from web.accounts.views.sign_in import actor_of
from web.core.errors import NotFound, PortolanError

_NOT_MAILED = "It could not be mailed (look at PORTOLAN_EMAIL_URL): send the link yourself."


class _ReadOnly(admin.ModelAdmin[Any]):
    """Shows rows; whatever changes them is an action that calls a service."""

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody edits these rows by hand."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody deletes these rows by hand."""
        return False


@admin.register(Invitation)
class InvitationAdmin(_ReadOnly):
    """Invitations: adding one mails it and shows its link once."""

    list_display = ("email", "invited_by", "created_at", "expires_at", "accepted_by", "state")
    search_fields = ("email",)
    fields = ("email",)
    actions = ("withdraw",)

    @admin.display(description="State")
    def state(self, invitation: Invitation) -> str:
        """Return what became of the invitation, in a word."""
        if invitation.accepted_at:
            return "accepted"
        return "withdrawn" if invitation.withdrawn_at else "open"

    def save_model(
        self, request: HttpRequest, obj: Invitation, form: ModelForm[Any], change: bool
    ) -> None:
        """Make the invitation through the service; a refusal becomes a message."""
        try:
            made = invitation_create(actor=actor_of(request), email=obj.email)
        except PortolanError as error:
            self.message_user(request, str(error), messages.ERROR)
            return
        obj.pk = made.invitation_id
        mailed = f"Mailed to {made.email}." if made.is_mailed else _NOT_MAILED
        level = messages.INFO if made.is_mailed else messages.WARNING
        self.message_user(request, f"{mailed} Its link, shown once: {made.link}", level)

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        """Leave Django's own log out: the service wrote the audit."""

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: Any = None) -> Any:
        """Go back to the list without the message that would repeat ours."""
        return self.response_post_save_add(request, obj)

    @admin.action(description="Withdraw the selected invitations", permissions=["add"])
    def withdraw(self, request: HttpRequest, queryset: "QuerySet[Invitation]") -> None:
        """Make the selected open invitations stop working."""
        for pk in list(queryset.values_list("pk", flat=True)):
            try:
                invitation_withdraw(actor=actor_of(request), invitation_id=pk)
            except NotFound:
                self.message_user(request, f"Invitation {pk} was not open.", messages.WARNING)


@admin.register(PersonalAccessToken)
class PersonalAccessTokenAdmin(_ReadOnly):
    """Everyone's tokens, without anything to use them with."""

    list_display = ("name", "user", "hint", "scopes", "created_at", "expires_at", "last_used_at")
    list_display_links = None
    list_filter = ("user",)
    list_select_related = ("user",)
    search_fields = ("name", "user__username")
    actions = ("revoke",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Members make their own tokens."""
        return False

    @admin.action(description="Revoke the selected tokens", permissions=["view"])
    def revoke(self, request: HttpRequest, queryset: "QuerySet[PersonalAccessToken]") -> None:
        """Make the selected tokens stop working."""
        for pk, owner_id in list(queryset.values_list("pk", "user_id")):
            try:
                token_revoke(
                    actor=actor_of(request), owner_id=owner_id, token_id=pk, reason="by staff"
                )
            except NotFound:
                self.message_user(request, f"Token {pk} did not work any more.", messages.WARNING)


@admin.register(AuditEvent)
class AuditEventAdmin(_ReadOnly):
    """The audit, newest first."""

    list_display = ("at", "actor_name", "action", "target", "address", "reason")
    list_filter = ("action",)
    search_fields = ("actor_name", "target", "address")
    date_hierarchy = "at"

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Only services write events."""
        return False


class _LookedAt(_ReadOnly):
    """Rows that are made by other ways than a form."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody makes these rows by hand."""
        return False


for model in (OAuthClient, Group, AccessAttempt, AccessFailureLog, AccessLog, DBTaskResult):
    register_anew(model, AuditedAdmin)
for model in (
    get_access_token_model(),
    get_grant_model(),
    get_id_token_model(),
    get_refresh_token_model(),
):
    register_anew(model, _LookedAt)
