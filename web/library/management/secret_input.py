"""Secrets for commands: from a file, standard input or a prompt, never from the command line."""

import getpass
import sys
from pathlib import Path

from django.core.management.base import CommandError


def secret_from(file: Path | None, *, prompt: str) -> str:
    """Return what stands in the file, else on standard input; on a terminal what is typed unseen.

    Raises CommandError for a file that cannot be read.
    """
    if file is not None:
        try:
            return file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is no text"
            raise CommandError(f"{file} cannot be read: {reason}.") from None
    return getpass.getpass(f"{prompt}: ") if sys.stdin.isatty() else sys.stdin.read()
