"""What every request of the web process passes: its id in the logs, and one line about it."""

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponseBase

from web.core.logs import log_context, request_id_from

logger = logging.getLogger(__name__)

_FAILURE = HTTPStatus.INTERNAL_SERVER_ERROR


class RequestLog:
    """Gives the request an id (nginx's, or a new one), answers it back, and logs the outcome.

    The path is logged without its query, where a client may have put a secret.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Serve the request inside its log context."""
        request_id = request_id_from(request.headers.get("X-Request-ID", ""))
        started = time.perf_counter()
        with log_context(request_id=request_id):
            response = self.get_response(request)
            logger.info(
                "%s %s %s",
                request.method,
                request.path,
                response.status_code,
                extra={
                    "seconds": round(time.perf_counter() - started, 4),
                    "caller": _caller_of(request, is_failure=response.status_code >= _FAILURE),
                },
            )
        response.headers["X-Request-ID"] = request_id
        return response


class AdminQueries:
    """Refuses a NUL character in a query of the admin, whose filters hand it to the database.

    PostgreSQL takes it in no text, and Django looks for it in forms alone.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Serve the request."""
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_view: object) -> None:
        """Raise BadRequest for such a query."""
        match = request.resolver_match
        if match is None or match.app_name != "admin":
            return
        if any("\0" in text for pair in request.GET.lists() for text in (pair[0], *pair[1])):
            raise BadRequest("A query holds the character NUL.")


def _caller_of(request: HttpRequest, *, is_failure: bool) -> str:
    """Return the signed-in user as logs name it; empty where the view did not ask who it was.

    Whom a failure met is asked even then.
    """
    user = getattr(request, "_cached_user", None)
    if user is None and is_failure:
        with suppress(Exception):  # the database may be what fails
            user = request.user if request.user.is_authenticated else None
    return f"user:{user.pk}" if user is not None and user.is_authenticated else ""
