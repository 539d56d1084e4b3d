"""What the changes that staff make to accounts have in common: who may, and to how many."""

from collections.abc import Sequence
from datetime import datetime

from django.contrib.auth import get_user_model

from web.accounts.records import COMMAND_LINE, Actor
from web.core.clock import now
from web.core.errors import Conflict, InvalidInput, NotAllowed, NotFound
from web.core.limits import LIMITS
from web.core.text import visible_line

SAMPLE = 10
_MAX_REASON_CHARACTERS = 500


def check_acts_as_staff(actor: Actor) -> None:
    """Raise NotAllowed unless the actor is active staff now: called inside the transaction.

    Of two staff members who take each other's rights at the same moment, the second finds here
    that they have none any more.
    """
    if actor == COMMAND_LINE:
        return
    staff = get_user_model().objects.filter(is_active=True, is_staff=True)
    if actor.user_id is None or not staff.filter(pk=actor.user_id).exists():
        raise NotAllowed("Only active staff may do this.", hint="Ask a member of the staff.")


def check_staff_stays(*, without: Sequence[int]) -> None:
    """Raise Conflict where no active staff would be left without these accounts.

    Called inside the transaction of the change.
    """
    staff = get_user_model().objects.filter(is_active=True, is_staff=True)
    if not staff.exclude(pk__in=without).exists():
        raise Conflict(
            "No active member of the staff would be left; nothing was changed.",
            hint="Leave one of them out.",
        )


def checked_reason(reason: str) -> str:
    """Return a reason as the audit keeps it, on one line; raise InvalidInput for none."""
    line = visible_line(reason)
    if not line or len(line) > _MAX_REASON_CHARACTERS:
        raise InvalidInput(
            f"A reason of 1 to {_MAX_REASON_CHARACTERS} characters is needed: the audit keeps it.",
            hint="Ask the user why this is done.",
            fields={"reason": "says nothing, or too much"},
        )
    return line


def check_scope(
    *, ids: Sequence[int] | None, ids_name: str, before: datetime | None, before_name: str
) -> None:
    """Raise InvalidInput unless exactly one of two scopes is given, and is one.

    Ids are at least one, at most `max_batch_items`, each once; the instant is not to come.
    """
    if (ids is None) == (before is None):
        raise InvalidInput(
            f"Say which: {ids_name} or {before_name}, one of the two.",
            hint="Nothing is changed without an explicit scope.",
            fields={ids_name: "one of the two is needed", before_name: "one of the two is needed"},
        )
    problem = ""
    if ids is not None:
        twice = sorted({one for one in ids if ids.count(one) > 1})
        if not 1 <= len(ids) <= LIMITS.max_batch_items:
            problem = f"takes 1 to {LIMITS.max_batch_items} ids, not {len(ids)}"
        elif twice:
            problem = f"names {', '.join(map(str, twice))} twice"
        if problem:
            raise InvalidInput(f"{ids_name} {problem}.", fields={ids_name: problem})
    elif before is not None and before > now():
        raise InvalidInput(
            f"{before_name} lies in the future: it would match everything.",
            hint="Name an instant that has passed.",
            fields={before_name: "lies in the future"},
        )


def check_not_own(actor: Actor, ids: Sequence[int], *, field: str) -> None:
    """Raise NotAllowed where the actor's own account is among the ids."""
    if actor.user_id in ids:
        raise NotAllowed(
            f"Your own account, {actor.user_id}, is among them; nothing was changed.",
            hint=f"Leave it out of {field}; somebody else of the staff has to do that.",
        )


def unknown_ids(ids: Sequence[int]) -> NotFound:
    """Return the error for ids that are no accounts."""
    return NotFound(
        f"There is no account with the id {', '.join(map(str, ids[:SAMPLE]))}; "
        "nothing was changed.",
        hint="list_users shows the ids.",
    )
