"""What the search benchmark measures, by the product's own services and selectors.

Times are CPU seconds of this process, its children and the database's server, which hardly depend
on what else the machine does. Only searches during a sync are timed by the clock: there waiting is
what counts.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from django.db.models import Sum

from bench.search.database import cpu_seconds, index_bytes, query_clock, settle
from bench.search.figures import Figures
from web.accounts.principals import ANONYMOUS
from web.core.limits import LIMITS
from web.library.models import Entry
from web.library.search import evaluation
from web.library.search.evaluation import LabelledQuery
from web.library.selectors.search import code_search, documents_search
from web.library.services.repositories import (
    RepositoryFields,
    repository_add,
    repository_update,
)
from web.library.services.sync import repository_sync

PROJECT = Path(__file__).resolve().parents[2]
ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Grown:
    """What a sync cost: CPU seconds, and by how many bytes the index grew."""

    cpu_seconds: float
    index_bytes: int


def added(name: str, repository: Path) -> Grown:
    """Add a repository to the catalogue and index it."""
    repository_add(name=name, url=str(repository))
    return synced(name, is_settled=True)


def synced(name: str, *, is_settled: bool = False) -> Grown:
    """Sync a repository, and let the database settle, if that is to count."""
    size, before = index_bytes(), cpu_seconds()
    repository_sync(name=name)
    if is_settled:
        settle()
    return Grown(cpu_seconds() - before, index_bytes() - size)


def track_every_tag(name: str) -> None:
    """Have a repository's tags indexed at its next sync."""
    repository_update(name=name, fields=RepositoryFields(tracked_refs=["*"]))


def indexed_bytes(name: str = "") -> int:
    """Return the bytes of the indexed files that default refs show, of one repository or of all."""
    found = Entry.objects.filter(ref__is_default=True, revision__content__isnull=False)
    if name:
        found = found.filter(ref__repository__name=name)
    return int(found.aggregate(total=Sum("revision__size"))["total"])


def rebuilt() -> tuple[float, float]:
    """Read every mirror anew; return the CPU seconds and the most megabytes of memory it took."""
    command = [sys.executable, "-m", "bench.search.rebuild"]
    done = subprocess.run(command, cwd=PROJECT, check=True, capture_output=True, text=True)
    seconds, megabytes = done.stdout.splitlines()[-1].split()
    return float(seconds), float(megabytes)


def relevance(
    figures: Figures,
    queries: Sequence[LabelledQuery],
    where: str,
    *,
    everywhere: bool,
    recall: float,
    reciprocal_rank: float,
) -> None:
    """Measure how often search is right; print the types of queries too."""
    found = evaluation.evaluate(queries, principal=ANONYMOUS, everywhere=everywhere)
    score = evaluation.score(found)
    figures.add(f"recall@8, {where}", score.recall, least=recall)
    figures.add(f"MRR, {where}", score.mean_reciprocal_rank, least=reciprocal_rank)
    for kind, of_kind in evaluation.scores_by_type(found).items():
        print(
            f"  {kind:8} {of_kind.count:4} queries: recall@8 {of_kind.recall:.3f}, "
            f"MRR {of_kind.mean_reciprocal_rank:.3f}"
        )


def query_cost(
    figures: Figures,
    queries: Sequence[LabelledQuery],
    where: str,
    *,
    everywhere: bool,
    p95: float | None,
) -> float:
    """Measure the CPU time of a call as it is by default, and of the largest one; return its p50.

    All queries are asked one after the other, several times over: what is kept in process from
    one call to the next helps as it does in service.
    """
    most, clock = LIMITS.max_search_limit, query_clock()
    for limit, bar in ((LIMITS.default_search_limit, p95), (most, None)):
        found = evaluation.evaluate(
            queries,
            principal=ANONYMOUS,
            everywhere=everywhere,
            repeats=ROUNDS,
            limit=limit,
            clock=clock,
        )
        score = evaluation.score(found)
        figures.add(f"query CPU p50, {where}, {limit} results, ms", score.p50_milliseconds)
        figures.add(
            f"query CPU p95, {where}, {limit} results, ms",
            score.p95_milliseconds,
            at_most=bar,
            is_embedded=True,
        )
        if limit != most:
            usual = score.p50_milliseconds
    return usual


def searches_while_added(
    figures: Figures, queries: Sequence[LabelledQuery], name: str, repository: Path
) -> None:
    """Add a repository in a process of its own, and search all the while."""
    repository_add(name=name, url=str(repository))
    _ = [*_searched(queries, lambda: True)]
    idle = [*_searched(queries, lambda: True)]
    sync = subprocess.Popen(
        [sys.executable, "manage.py", "sync_repositories", name], cwd=PROJECT, stdout=-1, stderr=-1
    )
    busy: list[float] = []
    while sync.poll() is None:
        busy += _searched(queries, lambda: sync.poll() is None)
    if sync.returncode:
        raise RuntimeError(f"The sync of {name} failed.")
    failed = sum(seconds < 0 for seconds in busy)
    figures.add(f"searches while {name} is indexed", len(busy))
    figures.add("… of them failed", failed, at_most=0)
    figures.add("… their p95 by the clock against idle", _p95(busy) / _p95(idle), at_most=2.0)


def _searched(queries: Sequence[LabelledQuery], goes_on: Callable[[], bool]) -> Iterator[float]:
    """Yield the seconds by the clock that each search took, -1 for one that failed."""
    for query in queries:
        if not goes_on():
            return
        search = documents_search if query.is_document else code_search
        started = time.perf_counter()
        try:
            search(principal=ANONYMOUS, query=query.query)
        except Exception as error:
            print(f"  failed: {query.query[:60]!r}: {error}")
            yield -1.0
        else:
            yield time.perf_counter() - started


def _p95(seconds: Sequence[float]) -> float:
    return sorted(seconds)[min(int(len(seconds) * 0.95), len(seconds) - 1)]
