"""`manage.py invite EMAIL`: make an invitation and print its link."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from web.accounts.records import COMMAND_LINE
from web.accounts.services.invitations import invitation_create
from web.core.errors import PortolanError
from web.core.limits import LIMITS


class Command(BaseCommand):
    """Makes an invitation; the link is printed once and stored nowhere."""

    help = "Invite somebody to sign up: prints a link that works once."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the command line."""
        parser.add_argument("email", help="Address of who is invited.")
        parser.add_argument(
            "--days", type=int, default=LIMITS.invitation_days, help="Days that the link works."
        )
        parser.add_argument("--mail", action="store_true", help="Mail the link as well.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the invitation and print its link alone on standard output."""
        try:
            made = invitation_create(
                actor=COMMAND_LINE,
                email=options["email"],
                valid_days=options["days"],
                send=options["mail"],
            )
        except PortolanError as error:
            raise CommandError(str(error)) from None
        self.stderr.write(f"Invitation of {made.email}, works until {made.expires_at:%Y-%m-%d}:")
        self.stdout.write(made.link)
        if options["mail"] and not made.is_mailed:
            raise CommandError(
                "It was made but could not be mailed: look at PORTOLAN_EMAIL_URL, or send the link "
                "yourself."
            )
