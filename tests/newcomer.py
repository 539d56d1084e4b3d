"""Where this checkout is, and the environment of somebody who sets nothing for Portolan."""

import os
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]


def newcomers_environment() -> dict[str, str]:
    """Return this environment without what the test suite, or a developer, set for Portolan."""
    return {
        name: value
        for name, value in os.environ.items()
        if name != "DJANGO_SETTINGS_MODULE" and not name.startswith("PORTOLAN_")
    }
