"""`manage.py add_site_source NAME [URL]`: index the pages of a documentation site."""

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser

from web.library.management.secret_input import (
    ADDRESS_HELP,
    add_address_arguments,
    given_address,
)
from web.library.sites.address import PREFIX


class Command(BaseCommand):
    """Adds the pages that a sitemap or an llms.txt lists, as a source like a repository."""

    help = (
        "Add a documentation site by its sitemap.xml or llms.txt, fetch its pages and index them. "
        "sync_repositories looks for changes afterwards. Run again, it changes what is given. "
        + ADDRESS_HELP
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the command line."""
        parser.add_argument("name", help="Short name for addresses and tool calls.")
        add_address_arguments(parser, about="https://…/sitemap.xml or https://…/llms.txt")
        parser.add_argument(
            "--part", default="", metavar="/PATH/", help="Only pages whose path begins so."
        )
        parser.add_argument("--title", help="Name for people; the short name by default.")
        parser.add_argument("--description", help="What it is, in a sentence or two.")
        parser.add_argument("--members", action="store_true", help="Only members may see it.")
        parser.add_argument(
            "--no-sync", dest="sync", action="store_false", help="Only add it; fetch it later."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Add it as a repository whose files are all documentation."""
        url = given_address(options, self.stderr)
        part = f"#{options['part']}" if options["part"] else ""
        call_command(
            "add_repository",
            options["name"],
            f"{PREFIX}{url.removeprefix(PREFIX)}{part}",
            title=options["title"],
            description=options["description"],
            members=options["members"] or None,
            docs=["*"],
            sync=options["sync"],
            stdout=self.stdout,
            stderr=self.stderr,
        )
