"""`manage.py create_token USER --name N --scopes project,work`: make a personal access token."""

from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser

from web.accounts.records import COMMAND_LINE
from web.accounts.services.tokens import token_create
from web.core.errors import PortolanError


class Command(BaseCommand):
    """Makes a token for a member; it is printed once and stored nowhere."""

    help = "Make a personal access token and print it."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the command line."""
        parser.add_argument("user", help="User name of the member that the token acts as.")
        parser.add_argument("--name", required=True, help="What will use it.")
        parser.add_argument(
            "--scopes", required=True, help="project, work, operations; several with commas."
        )
        parser.add_argument("--expires", type=int, metavar="DAYS", help="Default: never.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the token and print it alone on standard output."""
        owner = get_user_model().objects.filter(username=options["user"], is_active=True).first()
        if owner is None:
            raise CommandError(
                f"There is no active account {options['user']!r}. Name one that exists; "
                "manage.py invite EMAIL makes an invitation."
            )
        try:
            made = token_create(
                actor=COMMAND_LINE,
                owner=owner,
                name=options["name"],
                scopes=[scope.strip() for scope in options["scopes"].split(",") if scope.strip()],
                expires_days=options["expires"],
            )
        except PortolanError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(made.secret)
