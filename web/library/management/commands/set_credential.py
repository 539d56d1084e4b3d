"""`manage.py set_credential NAME`: store what a private remote is signed in to with."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser, OutputWrapper

from web.accounts.records import COMMAND_LINE
from web.core.errors import PortolanError
from web.library.management.secret_input import secret_from
from web.library.selectors.addresses import repository_address
from web.library.services.credentials import (
    StoredCredential,
    credential_generate,
    credential_remove,
    credential_set,
    credential_shown,
)


class Command(BaseCommand):
    """Stores, makes, shows or removes the credential of one repository."""

    help = (
        "Store the credential of a repository's remote, encrypted: for an https address a token, "
        "for an ssh address a private key without a passphrase. It is read from standard input, or "
        "from a file; never from the command line, which others can see."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the command line."""
        parser.add_argument("name", help="Short name of the repository.")
        parser.add_argument("--file", type=Path, metavar="PATH", help="Read it from this file.")
        parser.add_argument(
            "--username", default="", help="User name beside a token; x-access-token by default."
        )
        choice = parser.add_mutually_exclusive_group()
        choice.add_argument(
            "--generate",
            action="store_true",
            help="Make a new ssh key, and print the public half for the remote's deploy keys.",
        )
        choice.add_argument("--show", action="store_true", help="Show what is stored, no secret.")
        choice.add_argument("--remove", action="store_true", help="Forget what is stored.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do what is asked, and say what is stored now."""
        name = options["name"]
        try:
            if options["remove"]:
                credential_remove(actor=COMMAND_LINE, name=name)
                self.stdout.write(f"Forgot the credential of {name}.")
                return
            before = credential_shown(name=name)
            if options["show"]:
                found = before
            elif options["generate"]:
                found = credential_generate(actor=COMMAND_LINE, name=name)
            else:
                found = credential_set(
                    actor=COMMAND_LINE,
                    name=name,
                    secret=self._secret(name, options["file"]),
                    username=options["username"],
                )
        except PortolanError as error:
            raise CommandError(str(error)) from None
        if before is not None and not options["show"]:
            self.stderr.write(
                f"It takes the place of the {before.kind} set {before.set_at:%Y-%m-%d %H:%M} UTC, "
                "which the remote may forget."
            )
        self._tell(name, found, self.stderr if options["generate"] else self.stdout)
        if found is not None and not options["show"]:
            self.stderr.write(f"Try it: manage.py sync_repositories {name}")

    def _secret(self, name: str, file: Path | None) -> str:
        is_token = (repository_address(name=name) or "").startswith("https:")
        if file is None and sys.stdin.isatty() and not is_token:
            raise CommandError(
                "Give the private key with --file PATH, or make one with --generate."
            )
        return secret_from(file, prompt="Token")

    def _tell(self, name: str, found: StoredCredential | None, said: OutputWrapper) -> None:
        """Say what is stored; a key's public half stands on standard output."""
        if found is None:
            self.stdout.write(f"{name} has no stored credential.")
            return
        user = f" and the user name {found.username}" if found.username else ""
        said.write(
            f"{name} signs in to {found.remote} with a stored {found.kind}{user}, "
            f"set {found.set_at:%Y-%m-%d %H:%M} UTC."
        )
        if found.public_key:
            said.write("Its public half, for the remote's deploy keys:")
            self.stdout.write(found.public_key)
        if not found.is_of_this_remote:
            self.stderr.write("It is not used: the address leads elsewhere now. Set a new one.")
