"""Pages for staff: usage with charts, and health."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from web.accounts.selectors import principal_of
from web.core.limits import LIMITS
from web.operations.charts import bars
from web.operations.selectors.health import health_report
from web.operations.selectors.usage import DEFAULT_DAYS, usage_report

_PERIODS = (1, 7, 30, 90)
_View = Callable[[HttpRequest], HttpResponse]


def for_staff(view: _View) -> Callable[[HttpRequest], HttpResponseBase]:
    """Send who is not signed in to the sign-in page; refuse everyone else who is not staff."""

    @wraps(view)
    def guarded(request: HttpRequest) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        if not principal_of(request.user).is_staff:
            raise PermissionDenied
        return view(request)

    return guarded


@require_safe
@never_cache
@for_staff
def usage(request: HttpRequest) -> HttpResponse:
    """Show what was called and searched for; `?days=` is one of a few periods."""
    periods = [days for days in _PERIODS if days <= LIMITS.usage_keep_days]
    asked = request.GET.get("days", "")
    default = min(DEFAULT_DAYS, LIMITS.usage_keep_days)
    days = int(asked) if asked in map(str, periods) else default
    report = usage_report(principal=principal_of(request.user), days=days)
    context: dict[str, Any] = {
        "report": report,
        "days": days,
        "periods": periods,
        "days_chart": bars(report.days),
        "keep_days": LIMITS.usage_keep_days,
    }
    return render(request, "operations/usage.html", context)


@require_safe
@never_cache
@for_staff
def health(request: HttpRequest) -> HttpResponse:
    """Show every check with its state, what it means and what to do."""
    report = health_report(principal=principal_of(request.user))
    return render(request, "operations/health.html", {"report": report})
