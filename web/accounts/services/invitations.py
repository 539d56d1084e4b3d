"""Invitations: made by staff, used once to sign up."""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.mail import send_mail
from django.core.validators import validate_email
from django.db.models import QuerySet
from django.template.loader import render_to_string
from django.urls import reverse

from web.accounts.models import Invitation, Profile, validate_time_zone
from web.accounts.records import Actor, InvitationMade
from web.accounts.secrets import INVITATION_PREFIX, digest_of, new_secret
from web.accounts.services.audit import audit_write
from web.core.clock import now
from web.core.errors import Conflict, InvalidInput, NotFound
from web.core.limits import LIMITS
from web.core.transactions import write_transaction

logger = logging.getLogger(__name__)

_MAX_DAYS = 365


def invitation_create(
    *, actor: Actor, email: str, valid_days: int | None = None, send: bool = True
) -> InvitationMade:
    """Make an invitation that works for `valid_days` (by default `invitation_days`), and mail it.

    Earlier open invitations of the same address stop working. The link is in the result and in
    the mail only; where that cannot be sent, the result says so. Raises InvalidInput for an address
    that is none or days beyond 1 to 365, Conflict for one that already belongs to an account.
    """
    email = email.strip()
    days = LIMITS.invitation_days if valid_days is None else valid_days
    if not 1 <= days <= _MAX_DAYS:
        problem = f"An invitation works for 1 to {_MAX_DAYS} days."
        raise InvalidInput(problem, fields={"valid_days": problem})
    try:
        validate_email(email)
    except ValidationError:
        raise InvalidInput(
            f"{email!r} is not an e-mail address.", fields={"email": "not an e-mail address"}
        ) from None
    if get_user_model().objects.filter(email__iexact=email).exists():
        raise Conflict(
            f"There is already an account with the address {email}.",
            hint="Its owner can sign in, or reset the password on the sign-in page.",
        )
    secret = new_secret(INVITATION_PREFIX)
    moment = now()
    expires_at = moment + timedelta(days=days)
    with write_transaction("accounts"):
        open_ones = Invitation.objects.filter(
            email__iexact=email, accepted_at=None, withdrawn_at=None
        )
        open_ones.update(withdrawn_at=moment)
        invitation = Invitation.objects.create(
            email=email,
            digest=digest_of(secret),
            invited_by_id=actor.user_id,
            created_at=moment,
            expires_at=expires_at,
        )
        audit_write(actor=actor, action="invitation.created", target=email)
    link = settings.PUBLIC_URL + reverse("accounts:invitation", args=[secret])
    return InvitationMade(
        invitation_id=invitation.pk,
        email=email,
        link=link,
        expires_at=expires_at,
        is_mailed=send and _is_sent(email, link, expires_at),
    )


def _is_sent(email: str, link: str, expires_at: datetime) -> bool:
    """Mail the link; return whether a mail server took it."""
    context = {"link": link, "expires_at": expires_at, "public_url": settings.PUBLIC_URL}
    text = render_to_string("accounts/email/invitation.txt", context)
    try:
        send_mail("Your invitation to Portolan", text, None, [email])
    except OSError:  # those of SMTP among them
        logger.exception("an invitation could not be mailed")
        return False
    return True


def invitation_withdraw(*, actor: Actor, invitation_id: int) -> None:
    """Make an open invitation stop working; raise NotFound when there is none of that id."""
    with write_transaction("accounts"):
        one = Invitation.objects.filter(pk=invitation_id)
        if not one.filter(accepted_at=None, withdrawn_at=None).update(withdrawn_at=now()):
            raise NotFound("There is no open invitation of that id.")
        audit_write(actor=actor, action="invitation.withdrawn", target=one.get().email)


def invitation_email(*, secret: str) -> str:
    """Return the address that an open invitation was sent to; raise NotFound for any other."""
    invitation = _open_invitations(secret).first()
    if invitation is None:
        raise _gone()
    return invitation.email


def invitation_accept(
    *, secret: str, username: str, password: str, time_zone: str, address: str = ""
) -> Any:
    """Make the account that an invitation allows, use the invitation up, and return the user.

    Of two that come at once one wins. Raises NotFound for an invitation that does not work (any
    more), InvalidInput by field for a name, password or time zone that will not do.
    """
    with write_transaction("accounts"):
        moment = now()
        # Using it up comes first: whoever comes second waits here and then finds it used.
        if not _open_invitations(secret).update(accepted_at=moment):
            raise _gone()
        invitation = Invitation.objects.get(digest=digest_of(secret))
        user = _new_user(invitation.email, username, password, time_zone)
        user.save()
        Profile.objects.create(user=user, time_zone=time_zone)
        Invitation.objects.filter(pk=invitation.pk).update(accepted_by=user)
        audit_write(
            actor=Actor.of(user, address=address),
            action="invitation.accepted",
            target=invitation.email,
        )
    return user


def _open_invitations(secret: str) -> "QuerySet[Invitation]":
    """Return the invitation that this secret opens, if it still works, as a query."""
    return Invitation.objects.filter(
        digest=digest_of(secret), accepted_at=None, withdrawn_at=None, expires_at__gt=now()
    )


def _gone() -> NotFound:
    return NotFound(
        "This invitation does not work: it was used, withdrawn, or is too old.",
        hint="Ask whoever invited you for a new one.",
    )


def _new_user(email: str, username: str, password: str, time_zone: str) -> Any:
    """Return an unsaved user after all checks; raise InvalidInput with a problem per field."""
    user = get_user_model()(username=username, email=email)
    checks: dict[str, Callable[[], object]] = {
        "username": lambda: _check_username(user),
        "password": lambda: validate_password(password, user),
        "time_zone": lambda: validate_time_zone(time_zone),
    }
    problems: dict[str, str] = {}
    for field, check in checks.items():
        try:
            check()
        except ValidationError as error:
            problems[field] = " ".join(error.messages)
    if problems:
        raise InvalidInput("The account was not made.", fields=problems)
    user.set_password(password)
    return user


def _check_username(user: Any) -> None:
    """Raise ValidationError for a name that will not do, or is another's in other letter case."""
    user.full_clean(exclude=["password"])
    if get_user_model().objects.filter(username__iexact=user.get_username()).exists():
        raise ValidationError("A user with that username already exists.")
