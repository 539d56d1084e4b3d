"""Measure how often search is right on labelled queries."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from web.accounts.principals import Principal
from web.core.errors import PortolanError
from web.library.search.evaluation import (
    COUNTED_FILES,
    evaluate,
    read_queries,
    score,
    scores_by_type,
    unindexed_paths,
)


class Command(BaseCommand):
    """Print recall and reciprocal rank by type of query, and the misses."""

    help = (
        "Measure search on labelled queries: a file whose first line is type, scope, repository, "
        "query, right_files and whose further lines have these columns, with tabs between them. "
        "Scope is code or docs; of several right files, with | between, any will do. The "
        "repositories have to be indexed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare what the command takes."""
        parser.add_argument("file", type=Path, help="the labelled queries")
        parser.add_argument(
            "--everywhere", action="store_true", help="search all repositories at once"
        )
        parser.add_argument("--repository", help="evaluate only the queries of this repository")

    def handle(self, *args: Any, **options: Any) -> None:
        """Evaluate and print."""
        try:
            queries = read_queries(options["file"])
            if wanted := options["repository"]:
                named = dict.fromkeys(each.repository for each in queries)
                queries = [each for each in queries if each.repository == wanted]
                if not queries:
                    known = ", ".join(named) or "none"
                    raise CommandError(f"No query is about {wanted!r}. The file has: {known}.")
            outcomes = evaluate(
                queries,
                principal=Principal(is_member=True, is_staff=True),
                everywhere=options["everywhere"],
            )
        except OSError as error:
            raise CommandError(f"The file cannot be read: {error.strerror}.") from error
        except PortolanError as error:
            raise CommandError(str(error)) from error
        if not outcomes:
            raise CommandError("The file holds no query.")
        self.stdout.write(f"{'type':10} {'queries':>7} {'recall@8':>9} {'MRR':>6} {'p95 ms':>7}")
        for kind, figures in {**scores_by_type(outcomes), "all": score(outcomes)}.items():
            self.stdout.write(
                f"{kind:10} {figures.count:7} {figures.recall:9.3f} "
                f"{figures.mean_reciprocal_rank:6.3f} {figures.p95_milliseconds:7.1f}"
            )
        misses = [each for each in outcomes if each.rank is None or each.rank > COUNTED_FILES]
        for miss in misses:
            right = ", ".join(miss.query.right_paths)
            found = miss.refusal or f"found {', '.join(miss.first_paths) or 'none'}"
            asked = f"{miss.query.type} {miss.query.query[:100]!r}"
            unindexed = ", ".join(unindexed_paths(miss.query))
            why = f"; not in the index: {unindexed}" if unindexed else ""
            self.stdout.write(f"miss: {asked}: right {right}; {found}{why}")
