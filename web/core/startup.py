"""Reading settings from the environment, with one readable line per wrong one."""

import sys

from pydantic import ValidationError
from pydantic_settings import BaseSettings


def read_or_exit[Read: BaseSettings](settings: type[Read]) -> Read:
    """Return the settings as the environment gives them.

    Ends the process with one line per wrong value, which names the variable.
    """
    try:
        return settings()
    except ValidationError as error:
        prefix = settings.model_config.get("env_prefix", "")
        lines = []
        for problem in error.errors(include_url=False, include_input=False):
            name = ".".join(str(part) for part in problem["loc"]).upper()
            reason = problem["msg"].removeprefix("Value error, ")
            lines.append(f"{prefix}{name}: {reason}" if name else reason)
        sys.exit("Portolan cannot start:\n  " + "\n  ".join(lines))
