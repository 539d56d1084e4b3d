#!/usr/bin/env python
"""Run Django's management commands for Portolan."""

import gc
import os
import select
import sys
from pathlib import Path

_INTERRUPTED = 130  # as shells report an end by Ctrl-C
_UNREAD = 141  # and one because nobody reads the output any more


def main() -> None:
    """Run the command named on the command line, from any working folder."""
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    if sys.argv[1:2] == ["mcp_server"]:
        # Whatever an application prints while Django is set up must not reach the client.
        from mcp_sidecar.wire import claim

        claim()
        gc.disable()  # nothing of the start is garbage; the command enables it
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "web.config.settings.sidecar")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "web.config.settings.production")
    from django.core.management import execute_from_command_line
    from django.db import OperationalError, ProgrammingError

    try:
        execute_from_command_line([_as_text(argument) for argument in sys.argv])
        sys.stdout.flush()
    except BrokenPipeError:
        if not _is_unread():
            raise
        sys.exit(_UNREAD)
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)  # noqa: T201
        sys.exit(_INTERRUPTED)
    except (OperationalError, ProgrammingError) as error:
        if "--traceback" in sys.argv or not (reason := _reason(error)):
            raise
        sys.exit(reason)


def _is_unread() -> bool:
    """Say whether nobody reads the output any more, as behind `head`; then it goes nowhere."""
    output = select.poll()
    output.register(sys.stdout.fileno(), 0)
    if not output.poll(0):
        return False
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return True


def _reason(error: Exception) -> str:
    """Return why the database cannot be used and what to do; nothing where the fault is another."""
    from django.db import DatabaseError, connection

    from web.core.migrations import unapplied_migrations
    from web.core.redaction import redacted

    connection.close()
    try:
        missing = unapplied_migrations()
    except DatabaseError:
        said = redacted(str(error).strip())
        return (
            "The database cannot be used. Start it, or correct PORTOLAN_DATABASE_URL; "
            f"it said: {said}"
        )
    if missing and "migrate" not in sys.argv:
        return f"The database lacks {len(missing)} migrations. Run: manage.py migrate"
    return ""


def _as_text(argument: str) -> str:
    r"""Return an argument that is not UTF-8 as paths of repositories are named here: with \xff."""
    return os.fsencode(argument).decode("utf-8", "backslashreplace")


if __name__ == "__main__":
    main()
