"""`manage.py add_repository NAME URL`: put a repository into the catalogue and index it."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from web.core.errors import PortolanError
from web.library.management.shown_progress import outcome_line, shown_progress
from web.library.models import Visibility
from web.library.selectors.addresses import repository_address
from web.library.services.repositories import (
    RepositoryFields,
    repository_add,
    repository_update,
)
from web.library.services.sync import repository_sync


class Command(BaseCommand):
    """Adds a repository; one that is there already with the same address is changed instead."""

    help = (
        "Add a git repository to the catalogue and index it. Run again with the same name and "
        "address, it changes the options that are given and syncs."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the command line."""
        parser.add_argument("name", help="Short name for addresses and tool calls, such as django.")
        parser.add_argument(
            "url", help="https://…, ssh://…, git@host:path, or an allowed local path."
        )
        parser.add_argument("--title", help="Name for people; the short name by default.")
        parser.add_argument("--description", help="What it is, in a sentence or two.")
        parser.add_argument(
            "--docs",
            action="append",
            metavar="GLOB",
            help="Files that are documentation, as in .gitignore; may be repeated. Default: "
            "README*, *.md, *.mdx, *.rst, *.adoc, *.ipynb, *.txt in doc, docs or documentation.",
        )
        parser.add_argument(
            "--exclude",
            action="append",
            metavar="GLOB",
            help="Files that are not indexed, as in .gitignore; may be repeated.",
        )
        parser.add_argument(
            "--ref",
            action="append",
            metavar="PATTERN",
            help="Further tags and branches to index, such as 'v*'; may be repeated.",
        )
        parser.add_argument(
            "--refs-newest", type=int, metavar="N", help="How many of those, newest first (10)."
        )
        parser.add_argument(
            "--members", action="store_true", default=None, help="Only members may see it."
        )
        parser.add_argument(
            "--no-sync",
            dest="sync",
            action="store_false",
            help="Only add it; sync_repositories or the worker indexes it later.",
        )
        parser.add_argument(
            "--sync", dest="sync", action="store_true", default=True, help="Index it now (default)."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Add or change the repository, then sync it."""
        name, url = options["name"], options["url"]
        fields = RepositoryFields(
            title=options["title"],
            description=options["description"],
            visibility=Visibility.MEMBERS if options["members"] else None,
            documentation_globs=options["docs"],
            exclude_globs=options["exclude"],
            tracked_refs=options["ref"],
            tracked_refs_newest=options["refs_newest"],
        )
        try:
            self._put(name, url, fields)
        except PortolanError as error:
            raise CommandError(str(error)) from None
        if options["sync"]:
            self._sync(name)

    def _sync(self, name: str) -> None:
        try:
            with shown_progress(name, self.stderr) as show:
                report = repository_sync(name=name, progress=show)
        except PortolanError as error:
            raise CommandError(
                f"{error} {name} stays in the catalogue: sync it again with manage.py "
                f"sync_repositories {name}, or take it out with manage.py remove_repository {name}"
            ) from None
        self.stdout.write(outcome_line(report))

    def _put(self, name: str, url: str, fields: RepositoryFields) -> None:
        present = repository_address(name=name)
        if present is None:
            repository_add(name=name, url=url, fields=fields)
            self.stdout.write(f"Added {name}.")
        elif present == url.strip():
            changes = fields != RepositoryFields()
            if changes:
                repository_update(name=name, fields=fields)
            done = "; the given options are changed" if changes else ", nothing to change"
            self.stdout.write(f"{name} is there already with this address{done}.")
        else:
            raise CommandError(
                f"{name} is there already with another address. Choose another name, or remove it "
                f"first: manage.py remove_repository {name}"
            )
