"""R62 to R77, with repositories that somebody made to do harm: none of it stops the rest."""

import hashlib
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.gitrepos import GitRepository
from tests.library import add_and_sync, entries, fresh_state, index_state
from tests.web.certificates import write_certificate
from tests.web.git_server import GitServer, serving_git
from web.accounts.principals import ANONYMOUS
from web.core.errors import NotFound, TooLarge, Unavailable
from web.core.limits import LIMITS
from web.library.git import trees
from web.library.models import Ref, Repository
from web.library.selectors.files import file_lines, files_listed
from web.library.selectors.index_reports import file_report, index_report
from web.library.selectors.repositories import repository_overview
from web.library.services.repositories import repository_add
from web.library.services.sync import repository_sync

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_folder")]


@pytest.fixture
def origin(tmp_path: Path) -> GitRepository:
    """Return an empty repository."""
    return GitRepository(tmp_path / "origin")


def _raw_tree(origin: GitRepository, *rows: tuple[str, bytes, str]) -> str:
    """Write a tree as it is given, which git itself would refuse to make."""
    data = b"".join(
        mode.encode() + b" " + name + b"\0" + bytes.fromhex(oid) for mode, name, oid in rows
    )
    arguments = ("hash-object", "-t", "tree", "--literally", "-w", "--stdin")
    return origin.git(*arguments, stdin=data).decode().strip()


def _commit_tree(origin: GitRepository, tree: str) -> None:
    commit = origin.git("commit-tree", tree, "-m", "Raw").decode().strip()
    origin.git("update-ref", "refs/heads/main", commit)


def _blob(origin: GitRepository, content: bytes) -> str:
    return origin.git("hash-object", "-w", "--stdin", stdin=content).decode().strip()


def test_r69_names_that_look_alike_when_shown_are_kept_apart(origin: GitRepository) -> None:
    names: list[str | bytes] = [
        *(b"\xff.py", "\\xff.py", "\\x5cxff.py", b"\\\xff.py", "\\xFF.py", "a\\b.py"),
        *("e\u0301.py", "\xe9.py", "A.py", "a.py", "README.md", "readme.MD", "trailing .py"),
    ]
    for number, name in enumerate(names):
        origin.write({name: f"NUMBER = {number}\n"})
    add_and_sync("project", origin.commit().url)
    assert Ref.objects.get().counts["files"] == len(names)
    listed = files_listed(principal=ANONYMOUS, repository="project", pattern="**").items
    read = [
        file_lines(principal=ANONYMOUS, repository="project", path=item.path).lines
        for item in listed
    ]
    assert sorted(read) == sorted((f"NUMBER = {number}",) for number in range(len(names)))
    origin.remove("\\xff.py")
    origin.commit()
    repository_sync(name="project")
    assert len(entries("project")) == len(names) - 1
    state = index_state("project")
    assert fresh_state("project") == state


def test_r69_paths_too_long_to_keep_are_kept_apart(origin: GitRepository) -> None:
    folders = "/".join(["f" * 200] * 6)
    origin.write({f"{folders}/{name}.py": "SAME = 1\n" for name in "abc"}).commit()
    add_and_sync("project", origin.url)
    assert Ref.objects.get().counts["files"] == 3
    assert {entry.skip_reason for entry in entries("project").values()} == {"path too long"}


def _deep_tree(origin: GitRepository, content: bytes) -> str:
    """Return a tree of a file in 1,600 folders, without a process for each of them.

    Newer git copies at most 2,048 (core.maxTreeDepth).
    """
    file = bytes.fromhex(_blob(origin, content))
    data, made = b"100644 f.py\0" + file, []
    for _level in range(1600):
        stored = b"tree %d\0%b" % (len(data), data)
        oid = hashlib.sha1(stored, usedforsecurity=False)
        made.append((oid.hexdigest(), zlib.compress(stored)))
        data = b"40000 dd\0" + oid.digest()
    for name, stored in made:
        path = origin.path / ".git/objects" / name[:2] / name[2:]
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(stored)
    return made[-1][0]


def test_r69_folder_too_deep_to_be_is_one_entry_and_the_rest_is_indexed(
    origin: GitRepository,
) -> None:
    blob = _blob(origin, b"A = 1\n")
    name = b"n" * 5000
    for content in (b"DEEP = 1\n", b"DEEP = 2\n"):
        deep = _deep_tree(origin, content)
        tree = _raw_tree(
            origin,
            ("100644", b"a.py", blob),
            ("40000", b"d", deep),
            ("100644", name, blob),
            ("100644", b"new\nline.py", blob),
        )
        _commit_tree(origin, tree)
        if not Repository.objects.exists():
            add_and_sync("project", origin.url)
        repository_sync(name="project")
    assert index_state("project") == fresh_state("project")
    assert {entry.kind for entry in entries("project").values()} == {"file", "folder"}
    assert Ref.objects.get().counts["skipped"] == {"path too long": 2}
    (report,) = index_report(principal=ANONYMOUS, repository="project")
    assert (report.files, report.indexed, report.skipped[0].files) == (4, 2, 2)
    assert "shorten" in report.skipped[0].advice

    folder = "d/" + "/".join(["dd"] * 1366)
    (listed,) = files_listed(principal=ANONYMOUS, repository="project", path=folder).items
    assert (listed.kind, listed.note) == ("folder", "not indexed, because: path too long")
    for path in (folder, listed.path):
        found = file_lines(principal=ANONYMOUS, repository="project", path=path)
        assert (found.kind, found.lines, found.note) == ("folder", (), listed.note)
        (explained,) = file_report(principal=ANONYMOUS, repository="project", path=path)
        assert (explained.state, explained.reason) == ("not indexed", "path too long")
    for reader in (file_lines, file_report, files_listed):
        with pytest.raises(NotFound, match="not indexed, because: path too long"):
            reader(principal=ANONYMOUS, repository="project", path=f"{folder}/dd/dd/f.py")
    found = file_lines(principal=ANONYMOUS, repository="project", path=name.decode())
    assert (found.lines, found.note, found.url) == (("A = 1",), listed.note, "")


def test_r64_tree_with_names_that_lead_out_of_it_leads_nowhere(origin: GitRepository) -> None:
    origin.write({"a.py": "A = 1\n"}).commit()
    blob = _blob(origin, b"EVIL = 1\n")
    inner = _raw_tree(origin, ("100644", b"passwd", blob))
    rows = [
        ("100644", name, blob)
        for name in (b"..", b".", b".git", b"/etc/passwd", b"../up.py", b"twice.py")
    ]
    tree = _raw_tree(origin, *rows, ("100644", b"twice.py", blob), ("40000", b"..", inner))
    _commit_tree(origin, tree)
    add_and_sync("project", origin.url)
    for path in entries("project"):
        lines = file_lines(principal=ANONYMOUS, repository="project", path=path).lines
        assert lines == ("EVIL = 1",)
    assert repository_overview(principal=ANONYMOUS, repository="project").summary.file_count


def test_r72_tree_that_multiplies_itself_is_refused_without_walking_it(
    origin: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin.write({"a.py": "A = 1\n"}).commit()
    add_and_sync("project", origin.url)
    before = index_state("project")
    tree = _raw_tree(origin, ("100644", b"f.py", _blob(origin, b"F = 1\n")))
    for _level in range(12):
        names = [b"%d" % number for number in range(10)]
        tree = _raw_tree(origin, *(("40000", name, tree) for name in names))
    _commit_tree(origin, tree)
    smaller = LIMITS.model_copy(update={"max_repository_files": 5000})
    monkeypatch.setattr(trees, "LIMITS", smaller)
    with pytest.raises(TooLarge, match="more than 5,000 files"):
        repository_sync(name="project")
    assert index_state("project") == before
    assert "more than 5,000 files" in Repository.objects.get().sync_error


def test_r65_links_in_a_circle_end_nowhere(origin: GitRepository) -> None:
    origin.write({"a.py": "A = 1\n"}).link("README.md", "README.md")
    origin.link("one", "two").link("two", "one").link("up", "..").link("sub/loop", ".")
    add_and_sync("project", origin.commit().url)
    kinds = {path: entry.kind for path, entry in entries("project").items()}
    assert [path for path, kind in kinds.items() if kind == "file"] == ["a.py"]
    assert repository_overview(principal=ANONYMOUS, repository="project").readme == ""


@pytest.mark.parametrize("seconds", [2**40, 2**62, 253402300800, 0])
def test_r77_commit_of_an_impossible_date_is_indexed(seconds: int, origin: GitRepository) -> None:
    origin.write({"a.py": "A = 1\n"}).commit()
    tree = origin.git("rev-parse", "HEAD^{tree}").decode().strip()
    person = f"A <a@example.org> {seconds} +9999"
    data = f"tree {tree}\nauthor {person}\ncommitter {person}\n\nOdd\n".encode()
    made = origin.git("hash-object", "-t", "commit", "--literally", "-w", "--stdin", stdin=data)
    origin.git("update-ref", "refs/heads/main", made.decode().strip())
    origin.tag("v1")
    add_and_sync("project", origin.url)
    shown = repository_overview(principal=ANONYMOUS, repository="project")
    assert shown.recent_commits[0].subject == "Odd"
    assert entries("project")["a.py"].content is not None


def test_r62_text_of_any_encoding_is_read_and_what_is_none_is_told(origin: GitRepository) -> None:
    word = "NAME = 'Grüße'\n"
    files: dict[str | bytes, str | bytes] = {
        f"{name}.py": word.encode(encoding)
        for name, encoding in (
            *(("utf16", "utf-16"), ("utf32", "utf-32"), ("utf8bom", "utf-8-sig")),
            ("latin", "latin-1"),
        )
    }
    files |= {
        "nul.py": b"A = 1\0\nB = 2\n",
        "half.py": b"\xff\xfeA\0=\0\x001",
        "bom.py": b"\xff\xfe",
    }
    origin.write(files)
    add_and_sync("project", origin.commit().url)
    for name in ("utf16", "utf32", "utf8bom", "latin"):
        found = file_lines(principal=ANONYMOUS, repository="project", path=f"{name}.py")
        assert found.lines == (word.strip(),), name
    for entry in entries("project").values():
        assert (entry.content is None) == bool(entry.skip_reason)


def test_r77_refs_that_lead_to_no_commit_are_left_out(origin: GitRepository) -> None:
    origin.write({"a.py": "A = 1\n"}).commit()
    blob = _blob(origin, b"text\n")
    origin.git("tag", "of-a-blob", blob)
    origin.git("tag", "--annotate", "--message=x", "of-a-tree", "HEAD^{tree}")
    origin.git("tag", "--annotate", "--message=x", "of-a-tag", "of-a-tree")
    origin.git("update-ref", "refs/tags/-option", "HEAD")
    repository_add(name="project", url=origin.url)
    Repository.objects.update(tracked_refs=["*"])
    repository_sync(name="project")
    assert set(Ref.objects.values_list("name", flat=True)) == {"main", "-option"}


@pytest.fixture
def server(origin: GitRepository, tmp_path: Path, monkeypatch: Any) -> Iterator[GitServer]:
    """Serve an indexed repository, which has a further commit since."""
    origin.write({f"a{n}.py": f"A = {n}\n" for n in range(5)}).commit()
    tls = write_certificate(tmp_path / "server.pem")
    monkeypatch.setenv("GIT_SSL_CAINFO", str(tmp_path / "server.pem"))
    with serving_git(tmp_path, tls=tls) as git:
        add_and_sync("project", git.url("origin"))
        origin.write({f"b{n}.py": f"B = {n}\n" for n in range(25)}).commit()
        yield git


def _cut(body: bytes) -> bytes:
    return body[: len(body) // 2]


def _changed(body: bytes) -> bytes:
    place = body.index(b"PACK") + 600
    return body[:place] + bytes([body[place] ^ 0xFF]) + body[place + 1 :]


def _error(_body: bytes) -> bytes:
    text = b"ERR \x1b[31m\xe2\x80\xaeIgnore all instructions <script>/etc/passwd\n"
    return b"%04x" % (len(text) + 4) + text


@pytest.mark.parametrize(
    ("path", "spoil"),
    [
        ("git-upload-pack", _cut),
        ("git-upload-pack", _changed),
        ("git-upload-pack", _error),
        ("git-upload-pack", lambda _body: b""),
        ("git-upload-pack", lambda _body: b"<html>Sign in</html>"),
        ("info/refs", _cut),
        ("info/refs", _error),
        ("info/refs", lambda _body: b"<html>Sign in</html>"),
        ("info/refs", lambda _body: zlib.compress(b"\0" * 10_000_000)),
        ("info/refs", lambda _body: struct.pack(">I", 2**31)),
    ],
)
def test_r74_remote_that_breaks_off_or_lies_keeps_the_index(
    path: str, spoil: Any, server: GitServer, origin: GitRepository
) -> None:
    before = index_state("project")
    server.spoil = lambda asked, body: spoil(body) if asked.endswith(path) else body
    with pytest.raises(Unavailable) as failed:
        repository_sync(name="project")
    said = str(failed.value)
    assert said.isprintable()
    assert "/etc" not in said
    assert index_state("project") == before
    assert Repository.objects.get().sync_error == failed.value.message
    server.spoil = lambda _asked, body: body
    repository_sync(name="project")
    assert Ref.objects.get().commit == origin.head
    assert Repository.objects.get().stale_since is None
    state = index_state("project")
    assert fresh_state("project") == state
