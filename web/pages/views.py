"""The pages: a view reads selectors and renders; it writes nothing."""

import sys

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template import loader
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.defaults import server_error

from web.accounts.selectors import principal_of
from web.core.databases import is_away
from web.library.selectors.posts import posts_latest
from web.library.selectors.repositories import repositories_visible_to, syncs_visible_to
from web.pages.setup import client_setups, endpoints

_LATEST_POSTS = 5
_RETRY_AFTER_SECONDS = 10


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Say what this is, where the endpoints are, how to connect, and what is indexed."""
    principal = principal_of(request.user)
    syncs = syncs_visible_to(principal=principal)
    context = {
        "public_url": settings.PUBLIC_URL,
        "endpoints": endpoints(settings.PUBLIC_URL),
        "setups": client_setups(f"{settings.PUBLIC_URL}/mcp/"),
        "repositories": [
            (repository, syncs.get(repository.name, ""))
            for repository in repositories_visible_to(principal=principal)
        ],
        "posts": posts_latest(limit=_LATEST_POSTS),
    }
    return render(request, "pages/home.html", context)


def failed(request: HttpRequest) -> HttpResponse:
    """Say that the server failed; where its database is away, with 503, and when to come again.

    Django calls it while it handles the error, which is in the log by then.
    """
    if not is_away(sys.exc_info()[1]):
        return server_error(request)
    headers = {"Retry-After": str(_RETRY_AFTER_SECONDS)}
    page = loader.get_template(
        "503.html"
    ).render()  # without a request: who asks is in the database
    return HttpResponse(page, status=503, headers=headers)


@require_safe
@never_cache
def alive(_request: HttpRequest) -> JsonResponse:
    """Answer that the web process is alive; asks nothing of the database."""
    return JsonResponse({"status": "ok"})
