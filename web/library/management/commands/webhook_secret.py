"""`manage.py webhook_secret NAME`: make the secret that a code host signs its pushes with."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from web.accounts.records import COMMAND_LINE
from web.core.errors import PortolanError
from web.library.services.webhooks import webhook_secret_make, webhook_secret_remove
from web.library.webhooks.forges import FORGES


class Command(BaseCommand):
    """Makes, rotates or removes a repository's webhook secret."""

    help = (
        "Make the webhook secret of a repository, or a new one, and print it: alone on standard "
        "output, and nowhere else ever again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the command line."""
        parser.add_argument("name", help="Short name of the repository.")
        parser.add_argument(
            "--revoke",
            action="store_true",
            help="The secret before it stops working at once, as for one that leaked.",
        )
        parser.add_argument(
            "--remove", action="store_true", help="Make none: refuse the repository's pushes."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the secret and say where to put it."""
        name = options["name"]
        try:
            if options["remove"]:
                webhook_secret_remove(actor=COMMAND_LINE, name=name)
                self.stdout.write(f"{name} takes no pushes any more.")
                return
            made = webhook_secret_make(
                actor=COMMAND_LINE, name=name, keep_previous=not options["revoke"]
            )
        except PortolanError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(made.secret)
        self.stderr.write(f"This is the webhook secret of {name}, shown once. Payload URL:")
        for forge_name, forge in FORGES.items():
            path = reverse(f"webhook-{forge_name}")
            self.stderr.write(f"  {forge.name:7} {settings.PUBLIC_URL}{path}")
        if made.previous_until:
            self.stderr.write(
                f"The secret before it works until {made.previous_until:%Y-%m-%d %H:%M} UTC."
            )
