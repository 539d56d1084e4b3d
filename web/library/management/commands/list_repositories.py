"""`manage.py list_repositories`: what is in the catalogue, and how fresh its index is."""

from typing import Any

from django.core.management.base import BaseCommand

from web.accounts.principals import Principal
from web.library.management.tables import write_table
from web.library.records.repositories import RepositorySummary
from web.library.selectors.repositories import repositories_visible_to, syncs_visible_to
from web.library.selectors.syncs import sync_failures

_COLUMNS = ("Name", "Visibility", "Branch", "Commit", "Refs", "Files", "Indexed", "State")
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
        failures = sync_failures(principal=_OPERATOR)
        syncs = syncs_visible_to(principal=_OPERATOR)
        rows = (
            _cells(each, failures.get(each.name, ""), syncs.get(each.name, ""))
            for each in summaries
        )
        write_table(self.stdout, _COLUMNS, rows)


def _cells(summary: RepositorySummary, failure: str, sync: str) -> tuple[str, ...]:
    freshness = summary.freshness
    if freshness.stale_since:
        state = f"stale since {freshness.stale_since:%Y-%m-%d %H:%M} UTC: {failure}"
    elif freshness.indexed_at:
        state = f"indexed {freshness.indexed_at:%Y-%m-%d %H:%M} UTC"
    else:
        state = "not indexed yet"
    if sync:
        state += f"; syncing now: {sync}"
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
