"""The search figures beside their bars: `make bench-search`.

Django 5.2 and Wagtail come from PyPI as source distributions, are imported into git and indexed
by the product's own services, in a data folder of their own below var/bench.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import tarfile
import time
from datetime import UTC, datetime
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
FOLDER = PROJECT / "var" / "bench"
DATA = FOLDER / "data"
QUERIES = PROJECT / "bench" / "queries" / "django.tsv"
os.environ |= {
    "PORTOLAN_DEBUG": "0",
    "PORTOLAN_SECRET_KEY": "of the benchmark only, which serves nobody",
    "PORTOLAN_DATA_DIR": str(DATA),
    "PORTOLAN_DATABASE_URL": "",
    "PORTOLAN_ALLOW_LOCAL_REPOSITORIES": "1",
    "DJANGO_SETTINGS_MODULE": "web.config.settings.production",
}
IDENTITY = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")


def source_of(package: str, version: str) -> Path:
    """Return the unpacked source distribution, fetched from the package index once."""
    target = FOLDER / "sources" / f"{package}-{version}"
    if target.exists():
        return target
    downloads = FOLDER / "downloads" / f"{package}-{version}"
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--no-binary", ":all:", "--no-deps",
         f"{package}=={version}", "--dest", str(downloads)],
        check=True,
    )  # fmt: skip
    archive = next(downloads.glob("*.tar.gz"))
    unpacked = FOLDER / "unpacked" / target.name
    with tarfile.open(archive) as tar:
        tar.extractall(unpacked, filter="data")
    target.parent.mkdir(parents=True, exist_ok=True)
    next(unpacked.iterdir()).rename(target)
    return target


def commit(repository: Path, source: Path, message: str) -> None:
    """Make the tree of a repository that of a source folder, and commit it."""
    repository.mkdir(parents=True, exist_ok=True)
    if not (repository / ".git").exists():
        subprocess.run(["git", "init", "-q", "-b", "main"], cwd=repository, check=True)
    for child in repository.iterdir():
        if child.name != ".git":
            shutil.rmtree(child) if child.is_dir() else child.unlink()
    shutil.copytree(source, repository, dirs_exist_ok=True, symlinks=True)
    subprocess.run(["git", "add", "--all", "--force", "."], cwd=repository, check=True)
    subprocess.run(["git", *IDENTITY, "commit", "-q", "-m", message], cwd=repository, check=True)


def main() -> int:
    """Measure, print the table, write it down; return 1 when a figure misses its bar."""
    shutil.rmtree(DATA, ignore_errors=True)
    shutil.rmtree(FOLDER / "repositories", ignore_errors=True)
    sources = {
        name: source_of(name.partition(" ")[0], name.partition(" ")[2])
        for name in ("django 5.2", "django 5.2.8", "wagtail 7.2")
    }
    django_repository = FOLDER / "repositories" / "django"
    wagtail_repository = FOLDER / "repositories" / "wagtail"
    commit(django_repository, sources["django 5.2"], "5.2")
    commit(wagtail_repository, sources["wagtail 7.2"], "7.2")
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    from web.accounts.principals import ANONYMOUS
    from web.library.search import evaluation
    from web.library.services.repositories import repository_add
    from web.library.services.sync import repository_sync

    def cpu_of(name: str) -> float:
        before = os.times()
        repository_sync(name=name)
        after = os.times()
        return sum(after[:4]) - sum(before[:4])

    repository_add(name="django", url=str(django_repository))
    first = cpu_of("django")
    source_bytes = indexed_bytes("django")
    index_bytes = index_size()
    queries = evaluation.read_queries(QUERIES)
    evaluation.evaluate(queries, principal=ANONYMOUS)
    one = evaluation.evaluate(queries, principal=ANONYMOUS, repeats=3)
    repository_add(name="wagtail", url=str(wagtail_repository))
    cpu_of("wagtail")
    evaluation.evaluate(queries, principal=ANONYMOUS, everywhere=True)
    several = evaluation.evaluate(queries, principal=ANONYMOUS, everywhere=True, repeats=3)
    commit(django_repository, sources["django 5.2.8"], "5.2.8")
    again = cpu_of("django")
    alone, together = evaluation.score(one), evaluation.score(several)
    megabytes = source_bytes / 1e6
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rows = [
        ("recall@8, one repository", alone.recall, 0.95, True),
        ("MRR, one repository", alone.mean_reciprocal_rank, 0.82, True),
        ("recall@8, several repositories", together.recall, 0.93, True),
        ("MRR, several repositories", together.mean_reciprocal_rank, 0.79, True),
        ("query CPU p95, one repository, ms", alone.p95_milliseconds, 15.0, False),
        ("query CPU p95, several repositories, ms", together.p95_milliseconds, 15.0, False),
        ("first index, CPU s per MB of source", first / megabytes, 0.4, False),
        ("index size, MB per MB of source", index_bytes / source_bytes, 0.8, False),
        ("sync 5.2 to 5.2.8, share of first index", again / first, 0.03, False),
        ("peak memory, MB", peak, 400.0, False),
    ]
    print(f"{'figure':42} {'measured':>9} {'bar':>7}")
    missed = 0
    for name, value, bar, at_least in rows:
        is_met = value >= bar if at_least else value <= bar
        missed += not is_met
        print(f"{name:42} {value:9.3f} {bar:7.3g}  {'ok' if is_met else 'MISSED'}")
    for kind, figures in evaluation.scores_by_type(one).items():
        print(
            f"  {kind:8} {figures.count:4} queries: recall@8 {figures.recall:.3f}, "
            f"MRR {figures.mean_reciprocal_rank:.3f}"
        )
    results = PROJECT / "bench" / "results"
    results.mkdir(exist_ok=True)
    when = datetime.fromtimestamp(time.time(), UTC).date().isoformat()
    (results / f"{when}-search.json").write_text(
        json.dumps(
            {name: {"measured": value, "bar": bar} for name, value, bar, _ in rows}, indent=1
        )
    )
    return 1 if missed else 0


def indexed_bytes(name: str) -> int:
    """Return the bytes of the indexed files of a repository."""
    from django.db.models import Sum

    from web.library.models import Entry

    found = Entry.objects.filter(ref__repository__name=name, content__isnull=False)
    return int(found.aggregate(total=Sum("size"))["total"])


def index_size() -> int:
    """Return the bytes of the database's pages in use."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count(), "
            "pragma_freelist_count(), pragma_page_size()"
        )
        return int(cursor.fetchone()[0])


if __name__ == "__main__":
    sys.exit(main())
