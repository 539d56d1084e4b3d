"""Write the generated pages of docs/, or check that they are current.

Every installed app may have a module `generated_docs` with a function `pages()` that returns the
texts of its pages by file name.
"""

from argparse import ArgumentParser
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.management import BaseCommand, CommandError

from web.config.documentation import settings_page


def generated_pages() -> dict[str, str]:
    """Return the text of every generated page by its file name in docs/."""
    pages = {"settings.md": settings_page()}
    for app in apps.get_app_configs():
        name = f"{app.name}.generated_docs"
        if find_spec(name) is not None:
            pages |= import_module(name).pages()
    return pages


class Command(BaseCommand):
    """`manage.py generate_docs [--check]`."""

    help = "Write the generated pages of docs/, or check that they are current."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare --check."""
        parser.add_argument(
            "--check", action="store_true", help="Change nothing; fail where a page is outdated."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the pages, or say which are outdated."""
        outdated = []
        for name, text in generated_pages().items():
            path = settings.BASE_DIR / "docs" / name
            if path.exists() and path.read_text(encoding="utf-8") == text:
                continue
            outdated.append(f"docs/{name}")
            if not options["check"]:
                path.write_text(text, encoding="utf-8")
                self.stdout.write(f"Written: docs/{name}")
        if options["check"] and outdated:
            raise CommandError(f"Outdated: {', '.join(outdated)}. Run: make docs")
