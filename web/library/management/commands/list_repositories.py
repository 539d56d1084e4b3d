"""`manage.py list_repositories`: what is in the catalogue, and how fresh its index is."""

from typing import Any

from django.core.management.base import BaseCommand
from rich.console import Console
from rich.table import Table
from rich.text import Text

from web.accounts.principals import Principal
from web.library.records.repositories import RepositorySummary
from web.library.selectors.repositories import repositories_visible_to

_OPERATOR = Principal(is_member=True, is_staff=True)


class Command(BaseCommand):
    """Lists all repositories, those of members included."""

    help = "List the repositories with their refs, counts and the state of their index."

    def handle(self, *args: Any, **options: Any) -> None:
        """Print one row for each."""
        summaries = repositories_visible_to(principal=_OPERATOR)
        if not summaries:
            self.stdout.write("No repositories yet. Add one: manage.py add_repository NAME URL")
            return
        table = Table(box=None, pad_edge=False)
        for column in (
            "Name",
            "Visibility",
            "Branch",
            "Commit",
            "Refs",
            "Files",
            "Indexed",
            "State",
        ):
            table.add_column(column, overflow="fold")
        for summary in summaries:
            table.add_row(*map(Text, _cells(summary)))
        output: Any = getattr(self.stdout, "_out", self.stdout)
        console = Console(file=output, width=None if output.isatty() else 160)
        console.print(table)


def _cells(summary: RepositorySummary) -> tuple[str, ...]:
    freshness = summary.freshness
    if freshness.stale_since:
        state = f"stale since {freshness.stale_since:%Y-%m-%d %H:%M} UTC: {freshness.stale_reason}"
    elif freshness.indexed_at:
        state = f"indexed {freshness.indexed_at:%Y-%m-%d %H:%M} UTC"
    else:
        state = "not indexed yet"
    return (
        summary.name,
        summary.visibility,
        summary.default_branch,
        freshness.commit[:12],
        str(len(summary.refs)),
        f"{summary.file_count:,}",
        f"{summary.indexed_file_count:,}",
        state,
    )
