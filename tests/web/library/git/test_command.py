"""git is started in one place, and nothing that a caller chose can be an option of it."""

import ast
import os
import re
import select
import threading
import tracemalloc
from pathlib import Path

import pytest

from tests.gitrepos import GitRepository
from web.library.git import command
from web.library.git.command import run_git
from web.library.git.failures import GitFailed, explained

ROOT = Path(__file__).resolve().parents[4]
SOURCES = sorted([*(ROOT / "web").rglob("*.py"), *(ROOT / "mcp_sidecar").rglob("*.py")])
STARTERS = {"run", "Popen", "call", "check_call", "check_output", "system", "popen", "execv"}


def _calls(path: Path) -> list[ast.Call]:
    return [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def test_only_one_module_starts_git() -> None:
    starting = {
        path.relative_to(ROOT).as_posix()
        for path in SOURCES
        for call in _calls(path)
        if _name(call) in STARTERS and re.search(r"""["']git["'\s]""", ast.unparse(call))
    }
    literal = {
        path.relative_to(ROOT).as_posix()
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.List | ast.Tuple)
        and node.elts
        and isinstance(node.elts[0], ast.Constant)
        and node.elts[0].value == "git"
    }
    assert starting == set()
    assert literal == {"web/library/git/command.py"}


def test_nothing_goes_through_a_shell() -> None:
    for path in SOURCES:
        for call in _calls(path):
            for keyword in call.keywords:
                shell = keyword.arg == "shell" and getattr(keyword.value, "value", True)
                assert not shell, f"{path}:{call.lineno}"
            assert ast.unparse(call.func) not in {"os.system", "os.popen"}, f"{path}:{call.lineno}"


def test_operands_stand_behind_the_end_of_options() -> None:
    tree = ast.parse(Path(command.__file__).read_text())
    argv = next(
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "argv"
    )
    assert isinstance(argv, ast.List)
    parts = [ast.unparse(part) for part in argv.elts]
    assert parts == ["'git'", "*settings", "*options", "'--end-of-options'", "*operands"]


def test_options_are_literals_everywhere() -> None:
    """What is not a literal has to be an operand, or a list of literals made right beside it."""
    seen = 0
    for path in SOURCES:
        tree = ast.parse(path.read_text())
        literal_lists = {
            ast.unparse(node.targets[0])
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign)
            and all(
                isinstance(part, ast.Constant | ast.List | ast.IfExp | ast.Load)
                for part in ast.walk(node.value)
                if part not in _tests_of_conditions(node.value)
            )
        }
        for call in _calls(path):
            if _name(call) != "run_git":
                continue
            seen += 1
            for argument in call.args:
                if isinstance(argument, ast.Starred):
                    assert ast.unparse(argument.value) in literal_lists, f"{path}:{call.lineno}"
                else:
                    assert isinstance(argument, ast.Constant), f"{path}:{call.lineno}"
    assert seen >= 6


def _tests_of_conditions(node: ast.AST) -> set[ast.AST]:
    conditions = [part.test for part in ast.walk(node) if isinstance(part, ast.IfExp)]
    return {part for condition in conditions for part in ast.walk(condition)}


def test_caller_data_is_never_compiled_to_a_regular_expression_of_python() -> None:
    """In the rooms that serve callers a pattern is a literal, or made of literals alone."""
    for path in [
        *(ROOT / "web/library/git").rglob("*.py"),
        *(ROOT / "web/library/services").rglob("*.py"),
    ]:
        for call in _calls(path):
            if ast.unparse(call.func) in {"re.compile", "re.match", "re.search", "re.fullmatch"}:
                pattern = ast.unparse(call.args[0])
                assert isinstance(call.args[0], ast.Constant) or pattern in {
                    "pattern",
                    "NAME_PATTERN",
                }


def test_operand_that_looks_like_an_option_is_none(tmp_path: Path, origin: GitRepository) -> None:
    origin.write({"a.txt": "x\n"}).commit()
    written = tmp_path / "written"
    with pytest.raises(GitFailed):
        run_git("log", operands=[f"--output={written}", "-1"], mirror=origin.path / ".git")
    assert not written.exists()


@pytest.mark.parametrize("url", ["ext::sh -c 'touch {}'", "file://{}", "git://{}/x", "http://{}/x"])
def test_transports_that_are_not_allowed_do_not_work_at_all(url: str, tmp_path: Path) -> None:
    with pytest.raises(GitFailed) as failed:
        run_git("ls-remote", operands=[url.format(tmp_path / "x")])
    assert "not allowed" in failed.value.detail
    assert not (tmp_path / "x").exists()


def test_configuration_of_machine_user_and_repository_is_not_read(
    tmp_path: Path, origin: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text("[protocol]\n\tallow = always\n[user]\n\tname = Mallory\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "protocol.allow")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "always")
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "ext:file:git")
    origin.git("config", "protocol.ext.allow", "always")
    origin.git("config", "protocol.allow", "always")
    for url in (f"ext::touch {tmp_path}/x", f"file://{origin.path}"):
        with pytest.raises(GitFailed, match="git failed"):
            run_git("ls-remote", operands=[url], mirror=origin.path / ".git")
    assert not (tmp_path / "x").exists()


def _replace_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Put another program in git's place, which finds the folder in its HOME."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "git").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))


def test_secrets_of_the_installation_are_not_handed_to_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _replace_git(tmp_path, monkeypatch, "env")
    monkeypatch.setenv("PORTOLAN_SECRET_KEY", "do-not-tell")
    monkeypatch.setenv("DATABASE_PASSWORD", "do-not-tell")
    seen = run_git("version").decode().splitlines()
    assert not [line for line in seen if "do-not-tell" in line]
    assert {"GIT_TERMINAL_PROMPT=0", "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C"} <= set(seen)


def test_git_is_ended_with_its_children_when_it_takes_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _replace_git(tmp_path, monkeypatch, 'echo $$ > "$HOME/pid"; sleep 1000 & wait')
    hurried = command.LIMITS.model_copy(update={"git_timeout_seconds": 0.5})
    monkeypatch.setattr(command, "LIMITS", hurried)
    with pytest.raises(GitFailed) as failed:
        run_git("version")
    assert "did not answer in time" in str(explained(failed.value))
    group = (tmp_path / "pid").read_text().strip()
    assert _ends(group)


def _ends(group: str) -> bool:
    """Wait for the end of each process of a group; False when one does not end within a minute.

    A process that was told to end still exists for a moment when nobody waits for it.
    """
    for number in [int(stat[0]) for stat in _process_states() if stat[4] == group]:
        try:
            process = os.pidfd_open(number)
        except ProcessLookupError:
            continue
        try:
            if not select.select([process], [], [], 60)[0]:
                return False
        finally:
            os.close(process)
    return True


def _process_states() -> list[list[str]]:
    """Return what the kernel says of each process: number, name, state, parent, group and so on."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            number, _, rest = path.read_text().partition(" (")
        except OSError:
            continue
        name, _, fields = rest.rpartition(") ")
        found.append([number, name, *fields.split()])
    return found


def test_progress_is_told_by_the_thread_that_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _replace_git(
        tmp_path, monkeypatch, r"printf 'Receiving objects:  5%%\rReceiving' >&2; echo done"
    )
    told: list[tuple[str, int]] = []
    output = run_git("fetch", on_progress=lambda line: told.append((line, threading.get_ident())))
    assert told == [("Receiving objects:  5%", threading.get_ident())]
    assert output == b"done\n"


def test_of_a_line_that_a_remote_never_ends_the_end_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = r"""head -c 3000000 /dev/zero | tr '\0' x >&2; printf ' Writing: 5%%\r' >&2"""
    _replace_git(tmp_path, monkeypatch, script)
    told: list[str] = []
    run_git("fetch", on_progress=told.append)
    assert [line[-12:] for line in told] == [" Writing: 5%"]
    assert len(told[0]) < 10_000


def test_failure_of_who_is_told_of_progress_ends_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = r"""echo $$ > "$HOME/pid"; printf 'Receiving objects: 5%%\r' >&2; sleep 1000"""
    _replace_git(tmp_path, monkeypatch, script)

    def fails(_line: str) -> None:
        raise OSError("the disk went away")

    with pytest.raises(OSError, match="went away"):
        run_git("fetch", on_progress=fails)
    group = (tmp_path / "pid").read_text().strip()
    assert _ends(group)


def test_output_is_read_no_further_than_asked(origin: GitRepository) -> None:
    origin.write({"big.txt": b"x" * 3_000_000}).commit()
    oid = origin.git("rev-parse", "HEAD:big.txt").decode().strip()
    head = run_git(
        "cat-file", "blob", operands=[oid], mirror=origin.path / ".git", max_output_bytes=1000
    )
    assert head == b"x" * 1000


def test_a_bound_of_the_output_takes_no_memory_by_itself() -> None:
    tracemalloc.start()
    try:
        said = run_git("--version", max_output_bytes=1 << 30)
        assert tracemalloc.get_traced_memory()[1] < 10 * 1024 * 1024
    finally:
        tracemalloc.stop()
    assert said.startswith(b"git version ")


_ACCESS = "fatal: unable to access 'https://h.example/a/': "


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (f"{_ACCESS}Could not resolve host: h.example", "host name"),
        ("git@h: Permission denied (publickey).\nfatal: Could not read from remote", "sign-in"),
        (f"{_ACCESS}The requested URL returned error: 403", "sign-in"),
        ("remote: Repository not found.\nfatal: repository 'https://h/a/' not found", "no repos"),
        ("Host key verification failed.\nfatal: Could not read from remote", "key of the remote"),
        ("fatal: write error: No space left on device\nfatal: fetch-pack failed", "disk is full"),
        (f"{_ACCESS}SSL certificate problem: certificate has expired", "certificate"),
        ("fatal: unable to update url base from redirection:", "leads to another"),
        (f"{_ACCESS}Failed to connect to h.example port 443", "not be reached"),
        (f"{_ACCESS}The requested URL returned error: 503", "not be reached"),
        (f"remote: fatal: unable to read {'4a' * 20}\nfatal: bad pack header", "is damaged"),
        ("fatal: unable to read '/srv/a/config': Permission denied", "from this machine"),
    ],
)
def test_failures_are_explained(said: str, meant: str) -> None:
    error = explained(GitFailed(said))
    assert meant in error.message
    assert error.hint


@pytest.mark.parametrize(
    "said",
    [
        "git@h: Permission denied (publickey).",
        "fatal: Authentication failed for 'https://h/a/'",
        "remote: Repository not found.\nfatal: repository 'https://h/a/' not found",
    ],
)
def test_whose_credential_is_refused_is_told_to_look_at_it(said: str) -> None:
    assert "the stored credential" in explained(GitFailed(said), is_signed_in=True).hint
    assert "stored" not in explained(GitFailed(said)).hint


def test_branches_named_like_complaints_are_not_taken_for_them() -> None:
    said = (
        "From https://h/a\n * [new branch] no-space-left-on-device -> x\nfatal: odd thing happened"
    )
    assert (
        explained(GitFailed(said)).message
        == "git could not copy the repository: odd thing happened"
    )


def test_credentials_and_paths_of_the_machine_do_not_leave() -> None:
    said = "fatal: strange '/srv/secret/place.git' at https://joe:hunter2@h.example/a"
    failure = GitFailed(said)
    assert "hunter2" not in failure.detail
    shown = str(explained(failure))
    assert "hunter2" not in shown
    assert "/srv/secret" not in shown


def test_a_complaint_without_end_is_cut_and_gives_no_credentials_away() -> None:
    said = f"{'a' * 60_000}://joe:hunter2@h.example\nfatal: {'repository ' * 6000}\n"
    failure = GitFailed(said)
    assert "hunter2" not in failure.detail
    assert max(map(len, failure.detail.splitlines())) == 2000
    assert explained(failure).message.startswith("git could not copy the repository: repository")
