"""The same issue or comment, sent again: answered with the one that exists.

A model that lost an answer calls again. What was written is remembered for some minutes in the
cache, under a digest of the token and the text that is keyed with the installation's secret: from
it neither can be told. With Redis all sidecars share it; without, each process knows its own.
"""

import json
import logging
import time
from collections.abc import Callable
from typing import Final

from django.core.cache import cache
from django.utils.crypto import salted_hmac
from pydantic import SecretStr

from web.core.errors import Conflict, PortolanError
from web.core.limits import LIMITS
from web.library.github.failures import OutcomeUnknown

logger = logging.getLogger(__name__)

_SALT: Final = "portolan.github.repeats"
# What the cache holds: a mark with the instant of sending until there is an answer, then where the
# issue or comment is: (number, address).
Place = tuple[int, str]


def written_once(
    token: SecretStr,
    parts: tuple[str, ...],
    *,
    write: Callable[[], Place],
    look: Callable[[], Place | None],
) -> tuple[Place, bool]:
    """Return where `write()` put something, and whether that was before this call.

    The same `token` and `parts` within LIMITS.github_repeat_minutes write once. Where an earlier
    try was sent and not answered, `look()` is asked first whether it is there. Raises Conflict
    while another call writes the same, and what `write` and `look` raise.
    """
    seconds = int(LIMITS.github_repeat_minutes * 60)
    key = _key(token, parts)
    known = _remembered(key, seconds) if seconds else None
    if isinstance(known, tuple):
        return known, True
    if known is not None:
        if time.time() < known + LIMITS.github_timeout_seconds:
            raise Conflict(
                "The same is being written by another call right now.",
                hint=f"Wait {LIMITS.github_timeout_seconds:g} s, then call again: it is not "
                "written twice.",
            )
        found = look()
        if found is not None:
            _remember(key, found, seconds)
            return found, True
        _remember(key, time.time(), seconds)
    try:
        place = write()
    except OutcomeUnknown:
        _remember(key, 0.0, seconds)
        raise
    except PortolanError:
        _remember(key, None, seconds)
        raise
    _remember(key, place, seconds)
    return place, False


def _key(token: SecretStr, parts: tuple[str, ...]) -> str:
    text = json.dumps([token.get_secret_value(), *parts])
    digest = salted_hmac(_SALT, text, algorithm="sha256").hexdigest()
    return f"portolan-github-{digest}"


def _remembered(key: str, seconds: int) -> Place | float | None:
    """Return what is known of `key`; where nothing is, mark it as being written and return None.

    A cache that does not answer knows nothing.
    """
    try:
        if cache.add(key, time.time(), seconds):
            return None
        known: Place | float | None = cache.get(key)
    except Exception as error:
        _say_it_is_away(error)
        return None
    return known


def _remember(key: str, known: Place | float | None, seconds: int) -> None:
    if not seconds:
        return
    try:
        if known is None:
            cache.delete(key)
        else:
            cache.set(key, known, seconds)
    except Exception as error:
        _say_it_is_away(error)


def _say_it_is_away(error: Exception) -> None:
    logger.warning("the cache does not answer (%s): a repeat may write twice", type(error).__name__)
