"""The forms of the account pages."""

import zoneinfo
from functools import cache
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.forms import PasswordResetForm

from web.accounts.models import Scope
from web.accounts.selectors.resources import served_scopes

_EXPIRIES = (("7", "in 7 days"), ("30", "in 30 days"), ("90", "in 90 days"), ("365", "in a year"))


@cache
def time_zone_choices() -> list[tuple[str, str]]:
    """Return every time zone by name, UTC first."""
    names = sorted(zoneinfo.available_timezones() - {"UTC", "localtime", "Factory"})
    return [(name, name) for name in ["UTC", *names]]


class TimeZoneForm(forms.Form):
    """The member's time zone."""

    time_zone = forms.ChoiceField(
        choices=time_zone_choices,
        label="Time zone",
        help_text="What “today” and “this week” mean when you or your agent ask for them.",
    )


class TokenForm(forms.Form):
    """A new personal access token, for the servers that there are."""

    name = forms.CharField(
        max_length=100, label="Name", help_text="What will use it, such as “laptop, Claude Code”."
    )
    scopes = forms.MultipleChoiceField(
        choices=Scope.choices,
        widget=forms.CheckboxSelectMultiple,
        label="What it may do",
        initial=[Scope.PROJECT.value],
    )
    expires_days = forms.TypedChoiceField(
        choices=[*_EXPIRIES, ("", "never")],
        coerce=int,
        empty_value=None,
        required=False,
        initial="90",
        label="Stops working",
    )

    def __init__(self, *arguments: Any, is_staff: bool, **options: Any) -> None:
        super().__init__(*arguments, **options)
        useful = served_scopes() - (frozenset() if is_staff else {Scope.OPERATIONS.value})
        self.fields["scopes"].choices = [  # type: ignore[attr-defined]
            choice for choice in Scope.choices if choice[0] in useful
        ]


class SignUpForm(forms.Form):
    """The account that an invitation allows; the service checks what it accepts."""

    username = forms.CharField(
        max_length=150,
        label="User name",
        widget=forms.TextInput(attrs={"autocomplete": "username", "autofocus": True}),
        help_text="Letters, digits and @ . + - _",
    )
    password = forms.CharField(
        strip=False,
        label="Password",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="At least 8 characters, not only digits, not a common password.",
    )
    password_again = forms.CharField(
        strip=False,
        label="Password again",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    time_zone = forms.ChoiceField(choices=time_zone_choices, label="Time zone", initial="UTC")

    def clean(self) -> dict[str, Any]:
        """Refuse two passwords that differ."""
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("password") != cleaned.get("password_again"):
            self.add_error("password_again", "The two passwords differ.")
        return cleaned


class ResetRequestForm(PasswordResetForm):
    """Django's form; the link in the mail begins with the public address, never with a header."""

    def save(self, *arguments: Any, **options: Any) -> None:
        """Mail a link to each active account of the address; nothing tells whether one is."""
        options["extra_email_context"] = {"public_url": settings.PUBLIC_URL}
        super().save(*arguments, **options)
