"""`manage.py rebuild_index [NAME…]`: read the mirrors anew, without any remote."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from web.library.management.rounds import each_repository
from web.library.services.sync import repository_rebuild


class Command(BaseCommand):
    """Rebuilds the index of repositories one after the other."""

    help = (
        "Read the mirrors anew and replace the index, without asking any remote. The old index is "
        "served until the new one of a repository is complete, and stays when that fails; both "
        "need room for as long. Exits with 1 when any failed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the command line."""
        parser.add_argument(
            "names", nargs="*", metavar="NAME", help="Repositories; all by default."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Rebuild each."""
        failed = each_repository(self, options["names"], repository_rebuild)
        if failed:
            raise CommandError(f"{len(failed)} failed: {', '.join(failed)}.")
