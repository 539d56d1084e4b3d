"""What a sync tells of itself while it runs: to who started it, and on the repository's page."""

import re
from typing import Any

import pytest

from tests.gitrepos import GitRepository
from web.library.indexing import progress
from web.library.indexing.progress import ProgressReporter, progress_text
from web.library.models import Repository
from web.library.services.repositories import repository_add
from web.library.services.sync import repository_sync

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(origin: GitRepository) -> GitRepository:
    """Return a repository of some files, in the catalogue."""
    origin.write({f"a{n}.py": f"A = {n}\n" for n in range(30)}).commit()
    repository_add(name="project", url=origin.url)
    return origin


def test_every_phase_is_kept_for_the_page_also_while_fetching(
    project: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_RECORDS", 0.0)
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_CALLS", 0.0)
    kept: list[str] = []

    def look(_state: Any) -> None:
        kept.append(progress_text(Repository.objects.get().sync_progress))

    repository_sync(name="project", progress=look)
    phases = list(dict.fromkeys(text.partition(",")[0].partition(":")[0] for text in kept))
    assert phases == ["", "fetching", "comparing", "indexing"]
    assert any(re.match(r"fetching, \w+ objects", text) for text in kept)
    assert Repository.objects.get().sync_progress == {}


def test_page_is_written_at_most_every_two_seconds(
    project: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    time = [1000.0]
    monkeypatch.setattr(progress, "monotonic", lambda: time[0])
    row = Repository.objects.get()
    reporter = ProgressReporter(row.pk)
    reporter.begin("indexing", total=100)

    def kept() -> Any:
        return Repository.objects.get().sync_progress

    for done in range(50):
        reporter.advance(1, size=1024 * 1024)
        time[0] += 0.03
        reporter.record()
        assert kept() == {}, done
    time[0] = 1002.0
    reporter.record()
    assert progress_text(kept()) == "indexing: 50/100 files, 25.0 MiB/s, 0:02 left"
    written = kept()
    reporter.advance(1)
    reporter.record()
    assert kept() == written


def test_time_left_of_a_fetch_counts_from_the_beginning_of_its_part(
    project: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    time = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: time[0])
    reporter = ProgressReporter(Repository.objects.get().pk)
    reporter.begin("fetching")
    reporter.percent("counting objects", 100)
    time[0] = 60.0
    reporter.percent("receiving objects", 1)
    time[0] = 70.0
    reporter.percent("receiving objects at 3.00 MiB/s", 50)
    state = reporter.state()
    assert (state.seconds_left, state.counts) == (10.0, "50 %, 0:10 left")
    assert state.what == "fetching, receiving objects at 3.00 MiB/s"


def test_what_another_version_kept_is_shown_all_the_same() -> None:
    assert progress_text({"phase": "fetching", "unknown": 1}) == "fetching"
    assert progress_text({}) == ""
