"""The commands of the catalogue, as an operator runs them."""

import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.gitrepos import GitRepository
from tests.library import entries, index_state
from web.library.git.locks import mirror_lock
from web.library.indexing.progress import SyncProgress
from web.library.management.shown_progress import outcome_line, shown_progress
from web.library.models import Ref, Repository
from web.library.services.repositories import repository_add
from web.library.services.sync import SyncReport

pytestmark = pytest.mark.django_db


def _run(*arguments: str) -> tuple[str, str]:
    """Run a command; return what it writes to its output and to its errors."""
    output, errors = io.StringIO(), io.StringIO()
    call_command(*arguments, stdout=output, stderr=errors)
    return output.getvalue(), errors.getvalue()


@pytest.fixture
def project(origin: GitRepository) -> GitRepository:
    """Return a repository with a page, some code and a tag."""
    return (
        origin.write({"a.py": "A = 1\n", "manual/a.md": "# A\n\nB\n", "x/y.py": "Y = 1\n"})
        .commit()
        .tag("v1")
    )


def test_add_repository_adds_and_indexes_with_all_options(project: GitRepository) -> None:
    output, errors = _run(
        *("add_repository", "project", project.url, "--title", "The project"),
        *("--description", "What it is.", "--docs", "manual/**", "--docs", "*.rst"),
        *("--exclude", "x/", "--ref", "v*", "--refs-newest", "3", "--members"),
    )
    assert "Added project." in output
    assert "3 files looked at, 2 indexed anew" in output
    assert "project: indexing" in errors
    made = Repository.objects.get()
    assert (made.title, made.description, made.visibility) == (
        "The project",
        "What it is.",
        "members",
    )
    assert made.documentation_globs == ["manual/**", "*.rst"]
    assert (made.tracked_refs, made.tracked_refs_newest) == (["v*"], 3)
    assert entries("project")["x/y.py"].content is None
    assert Ref.objects.filter(name="v1").exists()


def test_add_repository_without_sync_only_adds(project: GitRepository) -> None:
    output, _ = _run("add_repository", "project", project.url, "--no-sync")
    assert output == "Added project.\n"
    assert not Ref.objects.exists()


def test_add_repository_again_changes_only_what_is_given(project: GitRepository) -> None:
    _run("add_repository", "project", project.url, "--title", "First", "--exclude", "x/")
    output, _ = _run("add_repository", "project", project.url, "--title", "Second")
    assert "is there already with this address; the given options are changed" in output
    assert "up to date" in output
    made = Repository.objects.get()
    assert (made.title, made.exclude_globs) == ("Second", ["x/"])
    output, _ = _run("add_repository", "project", project.url)
    assert "nothing to change" in output


def test_add_repository_does_not_replace_another_address(
    project: GitRepository, tmp_path: Path
) -> None:
    _run("add_repository", "project", project.url)
    other = GitRepository(tmp_path / "other").write({"a": "1"}).commit()
    with pytest.raises(CommandError, match=r"manage\.py remove_repository project"):
        _run("add_repository", "project", other.url)
    assert Repository.objects.get().url == project.url


def test_failures_are_one_sentence_and_an_exit_code(project: GitRepository) -> None:
    with pytest.raises(CommandError, match="not a valid name") as failed:
        _run("add_repository", "No Name", project.url)
    assert failed.value.returncode == 1
    with pytest.raises(CommandError, match="control characters"):
        _run("add_repository", "project", "ext::sh -c id")
    with pytest.raises(CommandError, match="no repository 'nothing'"):
        _run("remove_repository", "nothing")
    with pytest.raises(CommandError, match="1 failed: nothing"):
        _run("sync_repositories", "nothing")
    assert not Repository.objects.exists()


def test_sync_repositories_goes_on_after_a_failure_and_exits_with_one(
    project: GitRepository, tmp_path: Path
) -> None:
    gone = GitRepository(tmp_path / "gone").write({"a": "1"}).commit()
    _run("add_repository", "gone", gone.url)
    _run("add_repository", "project", project.url, "--no-sync")
    gone.path.rename(tmp_path / "away")
    output, errors = io.StringIO(), io.StringIO()
    with pytest.raises(CommandError, match="1 failed: gone"):
        call_command("sync_repositories", stdout=output, stderr=errors)
    assert "gone: There is no repository at this address" in errors.getvalue()
    assert "project: main" in output.getvalue()
    assert index_state("project")


def test_sync_repositories_syncs_only_what_is_named(project: GitRepository) -> None:
    for name in ("one", "two"):
        repository_add(name=name, url=project.url)
    output, _ = _run("sync_repositories", "two")
    assert "two: main" in output
    assert not Ref.objects.filter(repository__name="one").exists()


def test_sync_repositories_says_when_it_waits(
    project: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    from web.library.management.commands import sync_repositories

    _run("add_repository", "project", project.url)
    monkeypatch.setattr(
        sync_repositories,
        "repository_sync",
        lambda **options: sync_repositories_real(**options, wait_seconds=0.01),
    )
    from web.library.services.sync import repository_sync as sync_repositories_real

    errors = io.StringIO()
    with (
        mirror_lock(Repository.objects.get().pk, wait_seconds=0),
        pytest.raises(CommandError, match="1 failed"),
    ):
        call_command("sync_repositories", stdout=io.StringIO(), stderr=errors)
    assert "project: another sync is running, waiting for it." in errors.getvalue()
    assert "Another sync of this repository is running." in errors.getvalue()


def test_commands_on_an_empty_catalogue_say_how_to_begin() -> None:
    for command in ("list_repositories", "sync_repositories"):
        assert "manage.py add_repository NAME URL" in _run(command)[0]


@pytest.mark.parametrize("pause", ["0", "-1", "nan", "inf"])
def test_watch_needs_a_pause(pause: str) -> None:
    with pytest.raises(CommandError, match="1 or more"):
        _run("sync_repositories", "--watch", pause)


def test_list_repositories_shows_state_and_counts(project: GitRepository, tmp_path: Path) -> None:
    said, _ = _run("add_repository", "project", project.url, "--members", "--ref", "v*")
    assert "matches" not in said
    for _again in range(2):  # whether anything changes or not
        said, _ = _run("add_repository", "project", project.url, "--ref", "V*", "--ref", "v*")
        assert said.endswith(". No tag or branch matches V*.\n")
    stale = GitRepository(tmp_path / "stale").write({"a.py": "A = 1\n"}).commit()
    _run("add_repository", "stale", stale.url)
    stale.path.rename(tmp_path / "away")
    with pytest.raises(CommandError):
        _run("sync_repositories", "stale")
    with pytest.raises(CommandError, match="remove_repository stale"):
        _run("add_repository", "stale", stale.url)
    repository_add(name="fresh", url=project.url)
    lines = _run("list_repositories")[0].splitlines()
    rows = {line.split()[0]: line for line in lines[1:] if line and not line.startswith(" ")}
    assert project.head[:12] in rows["project"]
    assert rows["project"].split()[1:6] == ["members", "main", project.head[:12], "2", "3"]
    assert "stale since" in rows["stale"]
    assert "Check the address of the repository." in " ".join(" ".join(lines).split())
    assert "not indexed yet" in rows["fresh"]


def test_remove_repository_removes_it(project: GitRepository) -> None:
    _run("add_repository", "project", project.url)
    assert _run("remove_repository", "project")[0] == "Removed project.\n"
    assert not Repository.objects.exists()


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _state(phase: str, done: int = 0, total: int = 0) -> SyncProgress:
    return SyncProgress(
        phase=phase,
        detail="receiving objects" if phase == "fetching" else "",
        done=done,
        total=total,
        bytes_done=done * 1000,
        bytes_per_second=0 if phase == "fetching" else 3.5 * 1024 * 1024,
        seconds_left=75.4,
    )


def test_progress_on_a_terminal_is_one_live_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "120")
    terminal = _Terminal()
    with shown_progress("pro[ject]", terminal) as show:
        show(_state("indexing", 1200, 4800))
    assert "1,200/4,800 files, 3.5 MiB/s, 1:15 left" in terminal.getvalue()
    assert "\x1b[2K" in terminal.getvalue()


def test_progress_elsewhere_is_a_line_for_each_phase() -> None:
    plain = io.StringIO()
    with shown_progress("project", plain) as show:
        for state in (
            _state("fetching", 12, 100),
            _state("fetching", 13, 100),
            _state("indexing", 1200, 4800),
            _state("indexing", 1300, 4800),
            _state("publishing"),
        ):
            show(state)
    assert plain.getvalue().splitlines() == [
        "project: fetching, receiving objects 12 %, 1:15 left",
        "project: indexing 1,200/4,800 files, 3.5 MiB/s, 1:15 left",
        "project: publishing",
    ]


def test_outcome_tells_removed_refs() -> None:
    report = SyncReport(
        repository="project",
        outcome="updated",
        changed_refs=("main\u202e",),
        removed_refs=("v1",),
        files_read=1200,
        contents_written=7,
        contents_removed=5,
        bytes_read=3 * 1024 * 1024,
        seconds=1.25,
    )
    assert outcome_line(report) == (
        "project: main\\u202e, v1 removed; 1,200 files looked at, 7 indexed anew (3.0 MiB), "
        "5 removed, in 1.2 s."
    )
