"""Push events of code hosts: checked against the repository's secret, answered in JSON.

A signed push queues a sync. A signature that is wrong, a repository that is not known and one
without a secret are answered alike, so that nobody learns what is indexed here.
"""

import logging

from django.db import DatabaseError
from django.http import HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from web.core.errors import InvalidInput, NotAllowed, PortolanError, TooLarge, Unavailable
from web.core.limits import LIMITS
from web.library.services.webhooks import push_received, signed_repositories
from web.library.webhooks.forges import Event, Forge

logger = logging.getLogger(__name__)

_STATUS: dict[type[PortolanError], int] = {InvalidInput: 400, NotAllowed: 403, TooLarge: 413}


@csrf_exempt
def receive(request: HttpRequest, *, forge: Forge) -> JsonResponse:
    """Queue a sync of every repository that a signed push is about.

    202 when syncs are queued or the event means nothing here, 200 for a ping, 400 for a body that
    is no event, 403 without a valid signature, 413 over the bound, 503 to send it again.
    """
    if request.method != "POST":
        answer = _refusal(405, "not_allowed", "Events arrive by POST.")
        answer.headers["Allow"] = "POST"
        return answer
    try:
        body = _body(request)
        event = forge.event_of(request.headers, body)
        names = signed_repositories(
            addresses=event.addresses, signed_with=forge.signed_with(request.headers, body)
        )
        return _answer(forge, event, names)
    except PortolanError as error:
        status = _STATUS.get(type(error), 503)
        logger.warning("A webhook of %s was refused: %s", forge.name, error)
        return _refusal(status, error.code, error.words)
    except DatabaseError:
        logger.exception("A webhook of %s could not be taken", forge.name)
        return _refusal(503, Unavailable.code, "The event cannot be taken now. Send it again.")


def _answer(forge: Forge, event: Event, names: tuple[str, ...]) -> JsonResponse:
    """Act on a signed event about the repositories."""
    facts = {"event": event.kind[:60], "delivery": event.delivery[:60], "repositories": names}
    if event.kind in forge.pushes:
        push_received(names=names)
        logger.info("%s tells of a push to %s", forge.name, ", ".join(names), extra=facts)
        return JsonResponse({"message": "A sync is queued.", "repositories": names}, status=202)
    if event.kind == "ping":
        logger.info("%s pings for %s", forge.name, ", ".join(names), extra=facts)
        return JsonResponse({"message": "The webhook works.", "repositories": names})
    logger.info("%s tells of %r, which changes nothing here", forge.name, event.kind, extra=facts)
    return JsonResponse({"message": "This event changes nothing here; pushes do."}, status=202)


def _body(request: HttpRequest) -> bytes:
    """Return the body as it was signed. Raises TooLarge before more than the bound is read."""
    length = request.headers.get("Content-Length", "")
    bound = LIMITS.max_webhook_bytes
    body = b"" if length.isdecimal() and int(length) > bound else request.read(bound + 1)
    if len(body) > bound or (length.isdecimal() and int(length) > bound):
        raise TooLarge(
            f"The event is larger than {bound:,} bytes.", hint="The next push is smaller."
        )
    return body


def _refusal(status: int, code: str, message: str) -> JsonResponse:
    answer = JsonResponse({"error": code, "message": message}, status=status)
    if status == 503:  # noqa: PLR2004
        answer.headers["Retry-After"] = "30"
    return answer
