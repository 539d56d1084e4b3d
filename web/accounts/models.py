"""Accounts beside Django's user: profile, invitation, personal access token, OAuth client, audit.

Every active user is a member: accounts exist only by invitation or by an administrator's hand.
Of tokens and invitations only the SHA-256 digest of 256 random bits is stored.
"""

import zoneinfo

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from oauth2_provider.models import AbstractApplication, ApplicationManager

from web.accounts.oauth.redirects import SCHEMES, malformed, refusal_of
from web.core.text import visible_line


def validate_time_zone(name: str) -> None:
    """Raise ValidationError unless `name` is a time zone of the IANA database."""
    if name not in zoneinfo.available_timezones():
        raise ValidationError(f"There is no time zone {name!r}; write it as in Europe/Berlin.")


class Scope(models.TextChoices):
    """What a token allows: one scope per MCP server that asks who is calling."""

    PROJECT = "project", "Read code, documentation and posts, also those for members"
    WORK = "work", "Read and change playbooks, plan items and logged time as you"
    OPERATIONS = "operations", "Read logs, health and usage; manage users, tokens and sources"


class Profile(models.Model):
    """What Portolan knows of a user besides Django's own fields; absent until first changed."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="profile"
    )
    time_zone = models.CharField(max_length=64, default="UTC", validators=[validate_time_zone])

    def __str__(self) -> str:
        return f"profile {self.user_id}"


class Invitation(models.Model):
    """Leave to sign up once with the link that only its receiver knows."""

    email = models.EmailField()
    digest = models.CharField(max_length=64, unique=True, editable=False)
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"invitation of {self.email}"


class PersonalAccessToken(models.Model):
    """A token that a member made by hand. `digest` is the SHA-256 of the whole token."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="personal_access_tokens"
    )
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    hint = models.CharField(max_length=12, editable=False, help_text="First characters.")
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"token {self.pk}"


class OAuthClient(AbstractApplication):  # type: ignore[misc]
    """An application that may ask a member for access.

    Registered by itself, by its metadata document, or by staff.
    """

    objects = ApplicationManager()

    class Meta:
        verbose_name = "OAuth client"

    def natural_key(self) -> tuple[str]:
        """Return what names this client in fixtures."""
        return (self.client_id,)

    def get_allowed_schemes(self) -> tuple[str, ...]:
        """Return the schemes that a redirect address may have."""
        return SCHEMES

    def redirect_uri_allowed(self, uri: str) -> bool:
        """Return whether a code may be sent to the address; the library reads no port of it."""
        return not malformed(uri) and bool(super().redirect_uri_allowed(uri))

    def clean(self) -> None:
        """Refuse what would send a member's authorization code to a stranger, or without consent.

        Raises ValidationError by field, as the library does for its own checks.
        """
        self.name = visible_line(self.name)  # type: ignore[has-type]
        super().clean()
        if self.skip_authorization:
            raise ValidationError(
                {"skip_authorization": "Members are always asked for their consent: leave it off."}
            )
        by_staff = self.registration_source == self.RegistrationSource.MANUAL
        document = (
            self.client_id if self.registration_source == self.RegistrationSource.CIMD else ""
        )
        problems = [
            refusal
            for uri in self.redirect_uris.split()
            if (refusal := refusal_of(uri, document=document, by_staff=by_staff))
        ]
        if problems:
            raise ValidationError({"redirect_uris": problems})


class AuditEvent(models.Model):
    """Who did what to whom, from where, and why. Written once, never changed.

    `actor_name` stays when the account is deleted. `action` is a dotted word such as
    `token.created`, `target` what it was done to, `detail` further facts without secrets.
    """

    at = models.DateTimeField(db_index=True)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    actor_name = models.CharField(max_length=150, blank=True)
    action = models.CharField(max_length=60, db_index=True)
    target = models.CharField(max_length=255, blank=True)
    address = models.GenericIPAddressField(null=True, blank=True)
    reason = models.TextField(blank=True)
    detail = models.JSONField(default=dict)

    class Meta:
        ordering = ["-at", "-pk"]

    def __str__(self) -> str:
        return f"{self.action} {self.target}"
