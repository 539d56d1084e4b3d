"""How failed sign-ins slow further ones down: django-axes, counted three ways.

The limit is for one name from one address. One address may try several names (an office behind one
address does), and one name may be tried from several addresses (so that a stranger cannot lock a
member out easily), so these two count less.
"""

from typing import Any

from axes.handlers.database import AxesDatabaseHandler
from axes.helpers import get_cache_timeout
from axes.utils import reset
from django.db.models import Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from web.core.transactions import write_transaction

ADDRESS_WEIGHT = 4
NAME_WEIGHT = 10


class WeightedHandler(AxesDatabaseHandler):  # type: ignore[misc]
    """Counts failures in the database, so all workers share the count.

    Follows the order of AXES_LOCKOUT_PARAMETERS: name and address, address, name.
    """

    def get_failures(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> int:
        """Return the recent failures that count most, in units of the limit for one pair."""
        pair, address, name = (
            attempts.aggregate(total=Sum("failures_since_start"))["total"] or 0
            for attempts in self.get_user_attempts(request, credentials)
        )
        return max(pair, address // ADDRESS_WEIGHT, name // NAME_WEIGHT)

    def user_login_failed(
        self,
        sender: Any,
        credentials: dict[str, Any],
        request: HttpRequest | None = None,
        **options: Any,
    ) -> None:
        """Count a failure in a transaction that may write from its start: it reads first."""
        with write_transaction("sign-in"):
            super().user_login_failed(sender, credentials, request, **options)


def locked_out(
    request: HttpRequest, _response: HttpResponse | None = None, _credentials: Any = None
) -> HttpResponse:
    """Answer a sign-in during a pause: 429 with Retry-After, the same for any name."""
    seconds = get_cache_timeout(request) or 0
    response = render(
        request, "accounts/locked_out.html", {"minutes": max(1, seconds // 60)}, status=429
    )
    response["Retry-After"] = str(seconds)
    return response


def pause_end(username: str) -> None:
    """Forget failures with this name: who set a new password by mail may sign in with it at once.

    Failures with other names still count against the addresses that they came from.
    """
    with write_transaction("sign-in"):
        reset(username=username)
