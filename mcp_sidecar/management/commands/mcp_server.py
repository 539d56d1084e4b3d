"""Serve MCP over standard input and output, for a client that starts this process.

Only protocol ever reaches standard output; logs go to standard error and to the log folder.
manage.py claims the streams before it imports Django; here that is made sure of.
"""

import asyncio
import gc
import logging
import os
from contextlib import suppress
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from mcp_sidecar import bridge, signals
from mcp_sidecar.auth import NOBODY, Caller
from mcp_sidecar.servers.definition import ServerDefinition
from mcp_sidecar.servers.lesson import LESSON
from mcp_sidecar.servers.operations import OPERATIONS
from mcp_sidecar.servers.project import PROJECT
from mcp_sidecar.transport.dispatch import Dispatcher
from mcp_sidecar.transport.stdio import StdioServer
from mcp_sidecar.wire import Wire, claim
from web.accounts.selectors.principals import principal_for_user
from web.core.errors import NotFound
from web.core.migrations import unapplied_migrations
from web.library.selectors.repositories import repository_names_visible_to
from web.operations.recorder import RECORDER

SERVERS: Final[dict[str, ServerDefinition]] = {
    "project": PROJECT,
    "operations": OPERATIONS,
    "lesson": LESSON,
}
FLUSH_SECONDS: Final = 1.0


class Command(BaseCommand):
    """`manage.py mcp_server`."""

    help = "Serve MCP over standard input and output."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument(
            "--server", choices=sorted(SERVERS), default="project", help="project by default"
        )
        parser.add_argument("--repository", metavar="NAME", help="serve only this repository")
        parser.add_argument(
            "--user", metavar="NAME", help="whose rights the calls have; operations needs staff"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Serve until the client closes its end, then end within seconds."""
        del args
        wire = claim()
        gc.freeze()
        gc.enable()
        definition = SERVERS[options["server"]]
        if definition is not LESSON:
            _check_database()
        caller = _caller(definition, options["user"])
        repository = _repository(definition, options["repository"], caller)
        with suppress(KeyboardInterrupt):
            asyncio.run(_serve(definition, repository, caller, wire))
        signals.flush(timeout_seconds=FLUSH_SECONDS)
        RECORDER.flush(timeout_seconds=FLUSH_SECONDS)
        if not bridge.is_idle():
            # A call that nobody waits for any more would hold the process to its end.
            logging.shutdown()
            os._exit(0)
        bridge.close()


async def _serve(
    definition: ServerDefinition, repository: str | None, caller: Caller, wire: Wire
) -> None:
    server = StdioServer(Dispatcher(definition), repository=repository, caller=caller, wire=wire)
    await server.serve()


def _check_database() -> None:
    """Raise CommandError for a file without its tables, such as that of a mistyped folder.

    A server is not asked, since the handshake waits for no network: its calls say so then.
    """
    if connection.vendor == "sqlite" and (missing := unapplied_migrations()):
        raise CommandError(
            f"The database lacks {len(missing)} migrations. Run: manage.py migrate; or correct "
            "PORTOLAN_DATA_DIR or PORTOLAN_DATABASE_URL, if there is one already."
        )


def _caller(definition: ServerDefinition, username: str | None) -> Caller:
    """Return whose rights the calls have; raise CommandError for who may not use the server."""
    caller = NOBODY
    if username is not None:
        try:
            caller = Caller(principal_for_user(username))
        except NotFound as error:
            raise CommandError(str(error)) from None
    if definition.admits(caller.principal):
        return caller
    who = f"{username!r} is not one of them" if username else "say who calls with --user NAME"
    raise CommandError(f"The server {definition.name} is for {definition.audience}: {who}.")


def _repository(definition: ServerDefinition, name: str | None, caller: Caller) -> str | None:
    if name is None:
        return None
    if not definition.over_repositories:
        raise CommandError(f"The server {definition.name} has no repositories: leave it out.")
    names = repository_names_visible_to(principal=caller.principal)
    if name not in names:
        known = ", ".join(names) or "none yet"
        raise CommandError(f"There is no repository {name!r}. Repositories: {known}.")
    return name
