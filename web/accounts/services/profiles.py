"""What a member may change of their own account."""

from typing import Any

from django.core.exceptions import ValidationError

from web.accounts.models import Profile, validate_time_zone
from web.accounts.records import Actor
from web.accounts.services.audit import audit_write
from web.core.errors import InvalidInput
from web.core.transactions import write_transaction


def profile_update(*, actor: Actor, user: Any, time_zone: str) -> None:
    """Set the member's time zone; raise InvalidInput for a name that is no time zone."""
    try:
        validate_time_zone(time_zone)
    except ValidationError as error:
        text = " ".join(error.messages)
        raise InvalidInput(text, fields={"time_zone": text}) from None
    with write_transaction("accounts"):
        audit_write(actor=actor, action="profile.changed", detail={"time_zone": time_zone})
        Profile.objects.update_or_create(user=user, defaults={"time_zone": time_zone})
