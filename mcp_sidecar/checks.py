"""Django system checks of what a long-lived asynchronous process needs."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, register

CONNECTIONS_TAG = "portolan_connections"


@register(CONNECTIONS_TAG)
def check_connections(app_configs: Sequence[AppConfig] | None, **_more: Any) -> list[CheckMessage]:
    """Refuse connection settings that leak or go stale where no request ends.

    Threads come and go under ASGI, and nothing discards what a dead one kept open. So a connection
    is either closed after each call (CONN_MAX_AGE = 0), or it belongs to Django's pool, which
    must test it before handing it out (CONN_HEALTH_CHECKS).
    """
    del app_configs
    problems: list[CheckMessage] = []
    for alias, database in settings.DATABASES.items():
        age = database.get("CONN_MAX_AGE", 0)
        pooled = bool(database.get("OPTIONS", {}).get("pool"))
        if age != 0:
            problems.append(
                Error(
                    f"DATABASES[{alias!r}] keeps connections for CONN_MAX_AGE = {age} seconds, "
                    "which leaks them in an asynchronous process.",
                    hint="Set CONN_MAX_AGE to 0, with OPTIONS['pool'] where opening is slow.",
                    id="portolan.E001",
                )
            )
        if pooled and not database.get("CONN_HEALTH_CHECKS"):
            problems.append(
                Error(
                    f"DATABASES[{alias!r}] has a pool that hands out dead connections.",
                    hint="Set CONN_HEALTH_CHECKS to True.",
                    id="portolan.E002",
                )
            )
    return problems
