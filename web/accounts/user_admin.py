"""People's accounts in the admin: who can do what, deactivated in batches, every change audited."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.contrib.auth import get_user_model
from django.contrib.auth.admin import UserAdmin
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from web.accounts.services.audit import audit_write
from web.accounts.services.staff import check_acts_as_staff, check_not_own, check_staff_stays
from web.accounts.services.users import users_set_active
from web.accounts.views.sign_in import actor_of
from web.core.errors import PortolanError
from web.core.service_admin import ServiceAdmin
from web.core.transactions import write_transaction

User: Any = get_user_model()
admin.site.unregister(User)


@admin.register(User)
class AccountAdmin(ServiceAdmin[Any], UserAdmin):  # type: ignore[type-arg]
    """Django's own pages of users, with their tokens, and with what is changed in the audit."""

    list_display = (
        *("username", "email", "full_name", "is_active", "is_staff"),
        *("last_login", "token_list"),
    )
    actions = ("deactivate", "activate")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Return the accounts with how many of their tokens were not revoked."""
        living = Q(personal_access_tokens__revoked_at=None)
        counted = Count("personal_access_tokens", filter=living)
        accounts: QuerySet[Any] = super().get_queryset(request).annotate(token_count=counted)
        return accounts

    @admin.display(description="Name")
    def full_name(self, user: Any) -> str:
        """Return first and last name."""
        return str(user.get_full_name())

    @admin.display(description="Tokens", ordering="token_count")
    def token_list(self, user: Any) -> SafeString | str:
        """Return how many tokens there are, as a link to them."""
        address = reverse("admin:accounts_personalaccesstoken_changelist")
        link = '<a href="{}?user__id__exact={}">{}</a>'
        return format_html(link, address, user.pk, user.token_count) if user.token_count else "0"

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Save the account and write which fields changed into the audit.

        Raises NotAllowed for who takes their own rights, Conflict where no staff would be left.
        """
        with write_transaction("accounts"):
            check_acts_as_staff(actor_of(request))
            if change and not (obj.is_active and obj.is_staff):
                self._check_may_end(request, obj)
            super().save_model(request, obj, form, change)
            names = [name for name in form.changed_data if "password" not in name]
            action = "user.changed" if change else "user.created"
            self._audit(request, obj, action, {"fields": names})

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> Any:  # noqa: A002 - Django's name
        """Change a password, and write into the audit that it was: whoever knows it can sign in."""
        with write_transaction("accounts"):
            before = User.objects.filter(pk=unquote(id)).values_list("password", flat=True).first()
            answer = super().user_change_password(request, id, form_url)
            user = User.objects.filter(pk=unquote(id)).first()
            if user is not None and user.password != before:
                self._audit(request, user, "user.password_set", {})
        return answer

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """Delete the account with its tokens, and write it into the audit.

        Raises NotAllowed for one's own, Conflict where no staff would be left.
        """
        with write_transaction("accounts"):
            check_acts_as_staff(actor_of(request))
            self._check_may_end(request, obj)
            self._audit(request, obj, "user.deleted", {})
            super().delete_model(request, obj)

    def _check_may_end(self, request: HttpRequest, user: Any) -> None:
        """Refuse what would take the rights of the staff from oneself, or from the last of them."""
        if User.objects.filter(pk=user.pk, is_active=True, is_staff=True).exists():
            check_not_own(actor_of(request), [user.pk], field="what is changed")
            check_staff_stays(without=[user.pk])

    def _audit(self, request: HttpRequest, user: Any, action: str, detail: dict[str, Any]) -> None:
        audit_write(
            actor=actor_of(request),
            action=action,
            target=f"user:{user.pk} {user.get_username()}",
            reason="in the admin",
            detail=detail,
        )

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Delete all accounts or none, each of which stands in the audit."""
        with write_transaction("accounts"):
            for user in queryset:
                self.delete_model(request, user)

    @admin.action(description="Deactivate the selected accounts", permissions=["change"])
    def deactivate(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Have the selected accounts refused from the next request on."""
        self._set_active(request, queryset, active=False)

    @admin.action(description="Activate the selected accounts", permissions=["change"])
    def activate(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Let the selected accounts in again."""
        self._set_active(request, queryset, active=True)

    def _set_active(self, request: HttpRequest, queryset: QuerySet[Any], *, active: bool) -> None:
        try:
            changed = users_set_active(
                actor=actor_of(request),
                ids=list(queryset.values_list("pk", flat=True)),
                last_login_before=None,
                active=active,
                reason="in the admin",
                dry_run=False,
            )
        except PortolanError as error:
            self.message_user(request, str(error), messages.ERROR)
            return
        done = "activated" if active else "deactivated"
        self.message_user(request, f"{changed.changed_count} accounts {done}.")
