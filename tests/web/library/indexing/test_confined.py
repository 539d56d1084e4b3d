"""Source that makes a grammar take gigabytes, or end its process, costs only its definitions."""

import fnmatch
import os
import select
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from string import ascii_lowercase

import pytest

from tests.gitrepos import GitRepository
from tests.library import add_and_sync
from tests.web.library.installation import ROOT
from web.accounts.principals import Principal
from web.core.errors import PortolanError
from web.core.limits import LIMITS
from web.library.indexing import confined
from web.library.indexing import sync as indexing_sync
from web.library.indexing.analysis import analyse
from web.library.indexing.confined import Child, _fork
from web.library.indexing.grammars import grammar_of
from web.library.indexing.languages import language_of
from web.library.indexing.symbols import Found, definitions_in
from web.library.models import Symbol
from web.library.selectors.index_reports import file_report

# Each takes 300 MB or more without a bound, and most with the square of their size.
HOSTILE = [
    ("bash", "{}|", 12_000),
    ("c", "{}=>", 4_000),
    ("csharp", "{}<", 12_000),
    ("java", "{}<", 12_000),
    ("rust", ">{}(", 4_000),
    ("tsx", "{}<b,c<d,", 16_000),
    ("typescript", "{}<b,c<d,", 16_000),
]
WAITING = """
import os, sys
from web.library.indexing.confined import parser
with parser() as confined:
    confined.definitions_in(b"x = 1", "python")
    print(confined.child.pid, flush=True)
    sys.stdin.read()
"""


def _hostile(pattern: str, size: int) -> str:
    """Return the pattern over and over with other names, so that it is not monotonous."""
    names = Random(1).choices(ascii_lowercase, k=size)  # noqa: S311
    return "".join(map(pattern.format, names))[:size]


def _children() -> set[str]:
    """Return the processes that this one has started and not waited for."""
    lists = Path("/proc/self/task").glob("*/children")
    return {pid for one in lists for pid in one.read_text(encoding="ascii").split()}


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    bounds = {"max_parse_memory_bytes": 30 * 1024 * 1024, "max_unconfined_parse_bytes": 1024}
    monkeypatch.setattr(confined, "LIMITS", LIMITS.model_copy(update=bounds))


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(("language", "pattern", "size"), HOSTILE)
def test_source_that_takes_too_much_memory_has_no_definitions(
    language: str, pattern: str, size: int
) -> None:
    with confined.parser():
        hostile = analyse(_hostile(pattern, size), format=language, is_document=False)
        assert hostile.symbols == ()
        assert hostile.chunks
        assert "PORTOLAN_MAX_PARSE_MEMORY_BYTES" in hostile.left_out[0]
        fair = "def fair():\n    pass\n" + "# nothing\n" * 200
        assert analyse(fair, format="python", is_document=False).symbols


def test_source_that_overflows_the_stack_of_a_parser_has_no_definitions() -> None:
    source = _hostile("{{{}:", 360_000).encode()
    assert confined.definitions_of(source, language="javascript") is None


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the grammar of a source that says so loop for ever within one step of C."""

    def definitions(source: bytes, language: str) -> Found | None:
        return sum(iter(int, 1)) if b"for ever" in source else definitions_in(source, language)

    bounds = {
        **{"max_parse_seconds": 0.2, "max_parse_overrun_seconds": 0.2},
        **{"max_unconfined_parse_bytes": 1024, "max_unconfined_ambiguous_bytes": 0},
    }
    monkeypatch.setattr(confined, "LIMITS", LIMITS.model_copy(update=bounds))
    monkeypatch.setattr(confined, "definitions_in", definitions)


@pytest.mark.usefixtures("endless")
@pytest.mark.parametrize("thread", [False, True])
def test_a_step_that_never_ends_is_ended_once_and_the_next_source_is_parsed(thread: bool) -> None:
    def parse() -> tuple[Found | None, Child | None, Found | None]:
        with confined.parser() as parser:
            endless = parser.definitions_in(b"for ever", "python")
            return endless, parser.child, parser.definitions_in(b"x = 1", "python")

    forked = []
    with pytest.MonkeyPatch.context() as counting:
        counting.setattr(confined, "_fork", lambda: forked.append(_fork()) or forked[-1])
        if thread:
            with ThreadPoolExecutor(1) as pool:
                endless, child, after = pool.submit(parse).result()
        else:
            endless, child, after = parse()
    assert (endless, child) == (None, None)
    assert after is not None
    assert len(forked) == 2


@pytest.mark.django_db
@pytest.mark.usefixtures("endless")
def test_file_on_which_a_grammar_loops_for_ever_is_indexed_as_text(origin: GitRepository) -> None:
    fair = "class Fair {}\n" + "// nothing\n" * 300
    origin.write({"a.java": fair, "b.java": f"// for ever\n{fair}", "c.java": f"{fair}//\n"})
    before = _children()
    add_and_sync("project", origin.commit().url)
    assert _children() == before
    operator = Principal(is_member=True, is_staff=True)
    reports = [
        file_report(principal=operator, repository="project", path=path)[0]
        for path in ("a.java", "b.java", "c.java")
    ]
    assert [report.symbols for report in reports] == [1, 0, 1]
    assert "PORTOLAN_MAX_PARSE_SECONDS" in reports[1].left_out[0]


def test_definitions_are_those_that_are_found_in_process() -> None:
    names = subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines()
    compared = set()
    with confined.parser() as parser:
        for path in (ROOT / name for name in [*names[::3], *fnmatch.filter(names, "*.js")]):
            language = language_of(str(path))
            if grammar_of(language) is not None and path.is_file():
                source = path.read_bytes()
                assert parser.definitions_in(source, language) == definitions_in(source, language)
                compared.add(language)
    assert {"python", "javascript"} <= compared


def test_a_child_that_was_killed_is_replaced() -> None:
    with confined.parser() as parser:
        before = parser.definitions_in(b"x = 1", "python")
        assert parser.child is not None
        os.kill(parser.child.pid, signal.SIGKILL)
        assert parser.definitions_in(b"x = 1", "python") == before != []


def test_the_child_holds_nothing_of_its_parent_and_heeds_no_signal_of_the_service() -> None:
    with Path(__file__).open("rb") as inherited, confined.parser() as parser:
        parser.definitions_in(b"x = 1", "python")
        assert parser.child is not None
        open_files = Path(f"/proc/{parser.child.pid}/fd").iterdir()
        targets = [one.readlink() for one in open_files]
        assert inherited.name not in map(str, targets)
        assert len([one for one in targets if str(one) != os.devnull]) == 1
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            os.kill(parser.child.pid, number)
        pid = parser.child.pid
        parser.definitions_in(b"x = 1", "python")
        assert parser.child.pid == pid


def test_no_child_outlives_a_killed_parent() -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", WAITING],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with parent:
        assert parent.stdout is not None
        child = os.pidfd_open(int(parent.stdout.readline()))
        try:
            parent.kill()
            assert select.select([child], [], [], 60)[0]  # readable once the process has ended
        finally:
            os.close(child)


@pytest.mark.django_db
@pytest.mark.usefixtures("small")
def test_hostile_file_is_indexed_as_text_and_its_neighbours_as_ever(origin: GitRepository) -> None:
    fair = "class Fair {}\n" + "// nothing\n" * 300
    hostile = _hostile("{}<\n", 20_000)
    origin.write({"a.java": fair, "b.java": hostile, "c.java": fair + "//\n"}).commit()
    before = _children()
    add_and_sync("project", origin.url)
    assert _children() == before
    shown = Symbol.objects.filter(content__revisions__entries__ref__repository__name="project")
    assert sorted(shown.values_list("content__revisions__path__path", flat=True)) == [
        "a.java",
        "c.java",
    ]
    operator = Principal(is_member=True, is_staff=True)
    (report,) = file_report(principal=operator, repository="project", path="b.java")
    assert (report.state, report.symbols) == ("indexed", 0)
    assert "PORTOLAN_MAX_PARSE_MEMORY_BYTES" in report.left_out[0]


@pytest.mark.django_db
@pytest.mark.usefixtures("small")
def test_no_child_outlives_a_sync_that_fails(
    origin: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = []

    def write(*_arguments: object, **_options: object) -> None:
        started.extend(_children() - before)
        raise OSError("gone")

    origin.write({"a.py": "x = 1\n" * 300}).commit()
    before = _children()
    monkeypatch.setattr(indexing_sync, "write_contents", write)
    with pytest.raises(PortolanError):
        add_and_sync("project", origin.url)
    assert started
    assert not _children() & set(started)
