"""Secrets for commands: from a file, standard input or a prompt, never from the command line."""

import getpass
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser, OutputWrapper

from web.core.redaction import redacted

ADDRESS_HELP = (
    "An address that holds a key does not belong on the command line, which others can see: "
    "without URL it is read from standard input."
)


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


def add_address_arguments(parser: CommandParser, *, about: str) -> None:
    """Declare URL, which may be left out, and --file; `about` says what the address is of."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument("url", nargs="?", metavar="URL", help=about)
    where.add_argument("--file", type=Path, metavar="PATH", help="Read the address from this file.")


def given_address(options: Mapping[str, Any], errors: OutputWrapper) -> str:
    """Return the address that a command was given; say so where others may have seen a key in it.

    Raises CommandError for a file that cannot be read.
    """
    url: str = options["url"] or secret_from(options["file"], prompt="Address").strip()
    if options["url"] and redacted(url) != url:
        errors.write(
            "If the address holds a key, others may have seen it in the list of processes: have a "
            "new one made, and give the address on standard input."
        )
    return url
