"""What must happen before the sidecar serves: the environment of its libraries, Django, checks.

Nothing here imports FastMCP: it reads its settings from the environment at import, so
`quiet_fastmcp` has to run first.
"""

import os
import sys

DEFAULT_SETTINGS = "web.config.settings.sidecar"


def quiet_fastmcp() -> None:
    """Set what FastMCP reads at import: its records go to our loggers, it prints nothing.

    It asks no registry for updates and reads no `.env` of the working folder.
    """
    os.environ.setdefault("FASTMCP_LOG_ENABLED", "false")
    os.environ.setdefault("FASTMCP_CHECK_FOR_UPDATES", "off")
    os.environ.setdefault("FASTMCP_SHOW_SERVER_BANNER", "false")
    os.environ.setdefault("FASTMCP_ENV_FILE", os.devnull)


def boot_django() -> None:
    """Set Django up with the settings that the environment names, else those of the sidecar."""
    quiet_fastmcp()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", DEFAULT_SETTINGS)
    import django

    django.setup()


def start_problems() -> list[str]:
    """Return what forbids serving, one sentence each: connection settings, database, migrations."""
    from django.core.checks import Error, run_checks
    from django.db import DatabaseError, connection

    from mcp_sidecar import tracing
    from mcp_sidecar.checks import CONNECTIONS_TAG
    from web.core.migrations import unapplied_migrations

    problems = [
        f"{check.msg} {check.hint or ''}".strip()
        for check in run_checks(tags=[CONNECTIONS_TAG])
        if isinstance(check, Error)
    ]
    if missing_extra := tracing.problem():
        problems.append(missing_extra)
    try:
        if missing := unapplied_migrations():
            problems.append(
                f"The database lacks {len(missing)} migrations. Run: python manage.py migrate"
            )
    except DatabaseError:
        problems.append("The database does not answer. Start it, or correct PORTOLAN_DATABASE_URL.")
    finally:
        connection.close()
    return problems


def boot() -> None:
    """Set Django up and check that serving makes sense; else end the process with the reasons."""
    boot_django()
    if problems := start_problems():
        sys.exit("Portolan's sidecar cannot start:\n  " + "\n  ".join(problems))
