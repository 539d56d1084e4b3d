"""`manage.py remove_repository NAME`: take a repository out of the catalogue and the index."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from web.core.errors import PortolanError
from web.library.management.rounds import tells_wait
from web.library.management.shown_progress import shown_progress
from web.library.services.repositories import repository_remove


class Command(BaseCommand):
    """Removes a repository, what only it has in the index, and its mirror."""

    help = "Remove a repository with its index and its mirror. The remote is not touched."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the command line."""
        parser.add_argument("name", help="Name of the repository.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Remove it."""
        name = options["name"]
        try:
            with shown_progress(name, self.stderr) as show:
                repository_remove(name=name, progress=show, on_wait=tells_wait(self, name))
        except PortolanError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"Removed {name}.")
