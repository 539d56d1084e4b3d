#!/usr/bin/env python
"""Run Django's management commands for Portolan."""

import gc
import os
import sys
from pathlib import Path


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

    execute_from_command_line([_as_text(argument) for argument in sys.argv])


def _as_text(argument: str) -> str:
    r"""Return an argument that is not UTF-8 as paths of repositories are named here: with \xff."""
    return os.fsencode(argument).decode("utf-8", "backslashreplace")


if __name__ == "__main__":
    main()
