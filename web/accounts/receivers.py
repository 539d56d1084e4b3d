"""Sign-ins, sign-outs and their failures, written into the audit as Django tells of them.

A name that belongs to no account is not written down: people type passwords into that field.
"""

from typing import Any

from axes.signals import user_locked_out
from django.contrib.auth import get_user_model
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.dispatch import receiver
from django.http import HttpRequest

from web.accounts.records import Actor
from web.accounts.services.audit import audit_write

_UNKNOWN = "unknown account"


def _address(request: HttpRequest | None) -> str:
    return request.META.get("REMOTE_ADDR", "") if request is not None else ""


def _known_name(name: Any) -> str:
    known = isinstance(name, str) and get_user_model().objects.filter(username=name).exists()
    return str(name) if known else _UNKNOWN


@receiver(user_logged_in, dispatch_uid="accounts.signed_in")
def _signed_in(request: HttpRequest | None, user: Any, **_: Any) -> None:
    audit_write(actor=Actor.of(user, address=_address(request)), action="sign_in.succeeded")


@receiver(user_logged_out, dispatch_uid="accounts.signed_out")
def _signed_out(request: HttpRequest | None, user: Any, **_: Any) -> None:
    if user is not None:
        audit_write(actor=Actor.of(user, address=_address(request)), action="sign_in.ended")


@receiver(user_login_failed, dispatch_uid="accounts.sign_in_failed")
def _sign_in_failed(
    credentials: dict[str, Any], request: HttpRequest | None = None, **_: Any
) -> None:
    if getattr(request, "axes_locked_out", False):
        return  # the pause itself is written once
    stranger = Actor(user_id=None, username="", address=_address(request))
    audit_write(
        actor=stranger,
        action="sign_in.failed",
        target=_known_name(credentials.get("username")),
    )


@receiver(user_locked_out, dispatch_uid="accounts.sign_in_paused")
def _sign_in_paused(
    request: HttpRequest, username: str | None, ip_address: str | None, **_: Any
) -> None:
    if getattr(request, "axes_failures_since_start", None) is None:
        return  # a further try during a pause
    stranger = Actor(user_id=None, username="", address=ip_address or "")
    audit_write(actor=stranger, action="sign_in.paused", target=_known_name(username))
