"""The search figures beside their bars: `make bench-search`, ARGS="--size small|medium|large".

Sources of known releases are imported into git and indexed by the product's own services, in a
data folder that is made anew, on SQLite and on PostgreSQL. Everything printed is also written to
bench/results.
"""

import argparse
import fcntl
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bench.search import corpora
from bench.search.database import (
    POSTGRES,
    SQLITE,
    database_url,
    index_bytes,
    postgres_is_installed,
)
from bench.search.figures import Figures, results_file

if TYPE_CHECKING:
    from bench.search.stages import Grown

PROJECT = Path(__file__).resolve().parents[2]
QUERIES = PROJECT / "bench" / "queries" / "django.tsv"
# Drawn once among the files that 5.2.8 changed.
CHANGED_FILES = PROJECT / "bench" / "queries" / "changed_files.txt"
ROUNDS = 5
BOTH = "both"
SIZES = ("small", "medium", "large")


def main() -> int:
    """Measure, print, write down; return 1 when a figure misses its bar."""
    options = _options()
    if options.database != SQLITE and not postgres_is_installed():
        print("PostgreSQL is not installed. Run: make services, or give --database sqlite")
        return 1
    misses = _sqlite_alone(options) if options.database == BOTH else 0
    database = POSTGRES if options.database == BOTH else options.database
    folder = options.folder / database
    started = time.monotonic()
    print(f"on {database}:")
    figures = Figures(database)
    with _held(folder), database_url(database) as url:
        _configure(folder / "data", url)
        _measure(figures, folder / "repositories", SIZES.index(options.size))
    if options.database == BOTH:
        figures.compare_relevance(results_file(SQLITE))
    about = {"size": options.size, "seconds": round(time.monotonic() - started)}
    figures.write(results_file(database), about=about)
    print(f"written to {results_file(database)}")
    return 1 if misses or figures.missed_count else 0


def _sqlite_alone(options: argparse.Namespace) -> int:
    """Measure SQLite in a process of its own, for a process has one database; return its code."""
    command = [sys.executable, "-m", "bench.search", "--database", SQLITE]
    command += ["--size", options.size, "--folder", str(options.folder)]
    return subprocess.run(command, cwd=PROJECT, check=False).returncode


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Have a folder, emptied, for this run alone."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit(f"Another run works in {folder}. Wait for its end, or give --folder.")
        for name in ("data", "repositories"):
            shutil.rmtree(folder / name, ignore_errors=True)
        yield


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench-search", description=__doc__)
    parser.add_argument(
        "--size",
        choices=SIZES,
        default="medium",
        help="small: Django and Wagtail, 35 MB of indexed source; medium: and CPython, 107 MB; "
        "large: and eight source packages of Debian, about half an hour",
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=PROJECT / "var" / "bench",
        help="where it works; emptied first (PORTOLAN_BENCH_CACHE, ~/.cache: downloads)",
    )
    parser.add_argument(
        "--database",
        choices=(SQLITE, POSTGRES, BOTH),
        default=BOTH,
        help="both: SQLite, then PostgreSQL on a server of its own, then how much less right it is",
    )
    return parser.parse_args()


def _configure(data: Path, url: str) -> None:
    """Set up Django on an empty database."""
    os.environ |= {
        "PORTOLAN_DEBUG": "0",
        "PORTOLAN_SECRET_KEY": "of the benchmark only, which serves nobody",
        "PORTOLAN_DATA_DIR": str(data),
        "PORTOLAN_DATABASE_URL": url,
        "PORTOLAN_ALLOW_LOCAL_REPOSITORIES": "1",
        "DJANGO_SETTINGS_MODULE": "web.config.settings.production",
    }
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def _measure(figures: Figures, repositories: Path, size: int) -> None:
    from bench.search import stages
    from web.library.search.evaluation import read_queries

    queries = read_queries(QUERIES)
    django = repositories / "django"
    corpora.commit(django, corpora.unpacked(corpora.DJANGO))
    first = stages.added("django", django)
    megabytes = stages.indexed_bytes() / 1e6
    figures.add(
        "first index, CPU s per MB of source",
        first.cpu_seconds / megabytes,
        at_most=0.4,
        is_embedded=True,
    )
    figures.add(
        "index size, MB per MB of source",
        first.index_bytes / 1e6 / megabytes,
        at_most=0.8,
        is_embedded=True,
    )
    _few_files(figures, django, first)
    stages.relevance(
        figures, queries, "one repository", everywhere=False, recall=0.95, reciprocal_rank=0.82
    )
    stages.query_cost(figures, queries, "one repository", everywhere=False, p95=15.0)

    usual: list[float] = []
    for number, (step, p95) in enumerate(
        ((corpora.SMALL, None), (corpora.MEDIUM, 15.0), (corpora.LARGE, 40.0))[: size + 1]
    ):
        usual.append(_grown(figures, repositories, step, p95, is_first=number == 0))
    if size == SIZES.index("large"):
        figures.add("query CPU p50, large against medium", usual[2] / usual[1], at_most=3.4)
    seconds, memory = stages.rebuilt()
    everything = stages.indexed_bytes() / 1e6
    where = f"{everything:.0f} MB"
    figures.add(f"index of {where} anew, CPU s per MB of source", seconds / everything)
    figures.add(f"its peak memory, {where}, MB", memory, at_most=400)
    _many_files(figures, django, first)


def _grown(
    figures: Figures,
    repositories: Path,
    sources: tuple[corpora.Source, ...],
    p95: float | None,
    *,
    is_first: bool,
) -> float:
    """Add sources and measure over everything that is there; return the p50 of queries."""
    from bench.search import stages
    from web.library.search.evaluation import read_queries

    queries = read_queries(QUERIES)
    for source in sources:
        corpora.commit(repositories / source.repository, corpora.unpacked(source))
    *others, last = sources
    seconds = 0.0
    for source in others:
        seconds += stages.added(source.repository, repositories / source.repository).cpu_seconds
    stages.searches_while_added(figures, queries, last.repository, repositories / last.repository)
    where = f"{stages.indexed_bytes() / 1e6:.0f} MB"
    if is_first:
        stages.relevance(
            figures, queries, where, everywhere=True, recall=0.93, reciprocal_rank=0.79
        )
    figures.add(
        f"index size, {where}, MB per MB",
        index_bytes() / stages.indexed_bytes(),
        at_most=0.8,
        is_embedded=True,
    )
    return stages.query_cost(figures, queries, where, everywhere=True, p95=p95)


def _few_files(figures: Figures, django: Path, first: "Grown") -> None:
    """Measure syncs of a few changed files, and take them back.

    The least counts: so short a sync takes up to a third more CPU time while other machines on the
    same host are busy, and never less. The first index takes long enough to be measured once.
    """
    from bench.search import stages

    old, new = corpora.unpacked(corpora.DJANGO), corpora.unpacked(corpora.DJANGO_LATER)
    changed = corpora.changed_files(old, new)
    random = CHANGED_FILES.read_text().split()
    spread = [changed[n * len(changed) // len(random)] for n in range(len(random))]
    for which, paths, bar in (("random", random, 0.03), ("evenly spread", spread, None)):
        shares = []
        for number in range(ROUNDS):  # with another ending each time, so that all is fetched anew
            corpora.commit_files(django, new, paths, ending="\n" * number)
            shares.append(stages.synced("django").cpu_seconds / first.cpu_seconds)
            corpora.commit_files(django, old, paths)
            stages.synced("django")
        size = sum((new / path).stat().st_size for path in paths) / 1e6
        figures.add(
            f"sync of {len(paths)} {which} changed files, {size:.1f} MB, share of the first index",
            min(shares),
            at_most=bar,
        )


def _many_files(figures: Figures, django: Path, first: "Grown") -> None:
    """Measure a sync to another release, and one that adds many."""
    from bench.search import stages

    corpora.commit(django, corpora.unpacked(corpora.DJANGO_LATER))
    later = stages.synced("django").cpu_seconds
    figures.add("sync of 5.2 to 5.2.8, share of the first index", later / first.cpu_seconds)
    for source in corpora.DJANGO_TAGS:
        corpora.commit(django, corpora.unpacked(source), tag=source.version)
    stages.track_every_tag("django")
    tags = stages.synced("django")
    many = len(corpora.DJANGO_TAGS)
    figures.add(
        f"{many} more tags, CPU, share of the first index", tags.cpu_seconds / first.cpu_seconds
    )
    figures.add(f"{many} more tags, growth of the index", tags.index_bytes / first.index_bytes)


if __name__ == "__main__":
    sys.exit(main())
