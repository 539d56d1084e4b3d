"""Trees of any names are listed, and two of them compared exactly."""

import os
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.gitrepos import GitRepository
from tests.library import mirrored
from web.core.errors import TooLarge, Unavailable
from web.library.git import objects, trees
from web.library.git.objects import ObjectStore
from web.library.git.paths import path_text
from web.library.git.trees import FOLDER, changes_between, entries_of


def _listing(origin: GitRepository, commit: str = "HEAD") -> dict[bytes, tuple[int, str]]:
    """Return what git itself lists: modes and ids by path."""
    lines = origin.git("ls-tree", "-r", "-z", commit).split(b"\0")[:-1]
    found = {}
    for line in lines:
        head, _, path = line.partition(b"\t")
        mode, _, oid = head.split(b" ")
        found[path] = (int(mode, 8), oid.decode())
    return found


NAMES: list[str | bytes] = [
    *("plain.txt", "with space.txt", "tab\there", "new\nline", "-dash", "--help", "quo\"te'"),
    *(
        "ünïcode.txt",
        "日本語/ファイル",
        "back\\slash",
        "a/b/c/d/e.txt",
        "colon:x",
        "#hash",
        "~tilde",
    ),
    *(b"latin-\xe9.txt", b"\xff\xfe/\x80", b"mixed-\xc3\xa9-\xe9", "\u202eevil", "semi;colon"),
    *("a.b", "a-b/c", "a0", "~tilde"),
]


def test_names_of_any_bytes_are_listed_as_git_lists_them(origin: GitRepository) -> None:
    origin.write({name: os.fsencode(name) for name in NAMES}).link("link", "/etc/passwd").commit()
    origin.submodule("module", origin.head).commit(stage=False)
    store = mirrored(origin)
    entries = list(entries_of(store, store.tree_of(origin.head)))
    assert {entry.path: (entry.mode, entry.oid) for entry in entries} == _listing(origin)
    assert {os.fsencode(name) for name in NAMES} < {entry.path for entry in entries}
    assert [entry.path for entry in entries if entry.is_symlink] == [b"link"]
    assert [entry.path for entry in entries if entry.is_submodule] == [b"module"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("ünï/ñ.txt".encode(), "ünï/ñ.txt"),
        (b"latin-\xe9.txt", "latin-\\xe9.txt"),
        (b"a\\b-\xff", "a\\x5cb-\\xff"),
        (b"a\\xff", "a\\x5cxff"),
        (b"a\\xyz", "a\\xyz"),
        (b"tab\there\nthere", "tab\there\nthere"),
    ],
)
def test_path_is_shown_as_text(path: bytes, text: str) -> None:
    assert path_text(path) == text


_PATHS = st.lists(st.sampled_from(["a", "b", "c.py", "d"]), min_size=1, max_size=3).map("/".join)
_TREES = st.dictionaries(_PATHS, st.sampled_from(["1", "2", "3"]), max_size=6)


def _without_conflicts(files: dict[str, str]) -> dict[str, str]:
    """Leave out files that would have to be folders as well."""
    return {
        path: text
        for path, text in files.items()
        if not any(other.startswith(f"{path}/") for other in files)
    }


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(before=_TREES, after=_TREES)
def test_changes_turn_one_tree_into_the_other(
    before: dict[str, str], after: dict[str, str], tmp_path: Path
) -> None:
    origin = GitRepository(tmp_path / "compared")
    commits = []
    for files in (before, after):
        origin.git("rm", "-r", "--quiet", "--ignore-unmatch", "--", ".")
        origin.write(_without_conflicts(files)).commit()
        commits.append(origin.head)
    store = mirrored(origin)
    old, new = (store.tree_of(commit) for commit in commits)
    changes = changes_between(store, old, new)
    listing = _listing(origin, commits[0])
    for entry in changes.removed:
        assert listing.pop(entry.path) == (entry.mode, entry.oid)
    for entry in changes.written:
        assert entry.path not in listing
        listing[entry.path] = (entry.mode, entry.oid)
    assert listing == _listing(origin, commits[1])


def test_only_folders_that_differ_are_opened(origin: GitRepository) -> None:
    origin.write({f"same{n}/deep/{n}.txt": str(n) for n in range(50)}).write(
        {"x/y/z": "1"}
    ).commit()
    first = origin.head
    origin.write({"x/y/z": "2"}).commit()
    store = mirrored(origin)
    opened: list[str] = []

    class Watched(ObjectStore):
        def tree(self, oid: str) -> bytes:
            opened.append(oid)
            return super().tree(oid)

    watched = Watched(1)
    changes = changes_between(watched, store.tree_of(first), store.tree_of(origin.head))
    assert [entry.path for entry in changes.written] == [b"x/y/z"]
    assert len(opened) == 6


def test_change_of_mode_alone_is_a_change(origin: GitRepository) -> None:
    origin.write({"run.sh": "#!/bin/sh\n"}).commit()
    first = origin.head
    origin.git("update-index", "--chmod=+x", "run.sh")
    origin.commit(stage=False)
    store = mirrored(origin)
    changes = changes_between(store, store.tree_of(first), store.tree_of(origin.head))
    assert [entry.mode for entry in changes.written] == [0o100755]


def test_tree_without_bound_is_refused(
    origin: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A "git bomb": few objects whose folders repeat each other into billions of files."""
    oid = origin.git("hash-object", "-w", "--stdin", stdin=b"boom").decode().strip()
    kind = f"100644 blob {oid}"
    for _ in range(10):
        listing = "".join(f"{kind}\tf{number}\n" for number in range(10))
        tree = origin.git("mktree", stdin=listing.encode()).decode().strip()
        kind = f"040000 tree {tree}"
    commit = origin.git("commit-tree", "-m", "bomb", tree).decode().strip()
    origin.git("update-ref", "refs/heads/main", commit)
    monkeypatch.setattr(
        trees, "LIMITS", trees.LIMITS.model_copy(update={"max_repository_files": 1000})
    )
    store = mirrored(origin)
    entries = entries_of(store, tree)
    assert len(list(islice(entries, 500))) == 500
    with pytest.raises(TooLarge, match="1,000 files"):
        list(entries)


def _tree(origin: GitRepository, *lines: str) -> str:
    return origin.git("mktree", stdin="".join(f"{line}\n" for line in lines).encode()).decode()[:40]


def _file(origin: GitRepository, content: bytes) -> str:
    oid = origin.git("hash-object", "-w", "--stdin", stdin=content).decode().strip()
    return f"100644 blob {oid}\tf"


def _within(origin: GitRepository, tree: str, *, levels: int, name: str) -> str:
    """Return a tree in that many folders, one in the other."""
    for _ in range(levels):
        tree = _tree(origin, f"040000 tree {tree}\t{name}")
    return tree


def _stored(origin: GitRepository, *made: str) -> ObjectStore:
    for number, tree in enumerate(made):
        commit = origin.git("commit-tree", "-m", "made", tree).decode().strip()
        origin.git("update-ref", f"refs/heads/main{number or ''}", commit)
    return mirrored(origin)


@pytest.mark.parametrize(("levels", "name"), [(60, "d" * 80), (1500, "ddd"), (1, "d" * 5000)])
def test_folder_whose_path_is_too_long_is_not_opened(
    levels: int, name: str, origin: GitRepository
) -> None:
    deep = [
        _within(origin, _tree(origin, _file(origin, content)), levels=levels, name=name)
        for content in (b"one", b"two")
    ]
    trees = [_tree(origin, f"040000 tree {one}\tdeep", _file(origin, b"beside")) for one in deep]
    store = _stored(origin, *trees)
    folder, beside = entries_of(store, trees[0])
    assert (folder.mode, folder.is_too_deep, beside.path) == (FOLDER, True, b"f")
    assert 4096 < len(folder.path) <= 4096 + 1 + len(name)
    changes = changes_between(store, *trees)
    assert [entry.path for entry in (*changes.removed, *changes.written)] == [folder.path] * 2
    assert changes.written[0].oid != changes.removed[0].oid


def test_folder_that_is_too_large_is_not_opened(
    origin: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = origin.write({"large/a": "1", "beside": "1"}).commit().head
    origin.write({f"large/{number:04}": "1" for number in range(40)})
    large = origin.commit().head
    store = mirrored(origin)
    old, new = store.tree_of(small), store.tree_of(large)
    monkeypatch.setattr(
        objects, "LIMITS", objects.LIMITS.model_copy(update={"max_folder_bytes": 1000})
    )
    assert [(entry.path, entry.is_folder) for entry in entries_of(store, new)] == [
        (b"beside", False),
        (b"large", True),
    ]
    changes = changes_between(store, old, new)
    assert [entry.path for entry in changes.removed] == [b"large/a"]
    assert [entry.path for entry in changes.written] == [b"large"]
    changes = changes_between(store, new, old)
    assert [entry.path for entry in changes.removed] == [b"large"]
    assert [entry.path for entry in changes.written] == [b"large/a"]


def test_folders_without_a_file_that_repeat_each_other_are_refused(
    origin: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    bombs = []
    for name in ("old", "new"):
        tree = _tree(origin, f"040000 tree {_tree(origin)}\t{name}")
        for _ in range(10):
            tree = _tree(origin, *(f"040000 tree {tree}\t{number}" for number in range(10)))
        bombs.append(tree)
    store = _stored(origin, *bombs)
    monkeypatch.setattr(
        trees, "LIMITS", trees.LIMITS.model_copy(update={"max_repository_files": 1000})
    )
    with pytest.raises(TooLarge, match="1,000 files and folders"):
        list(entries_of(store, bombs[0]))
    with pytest.raises(TooLarge, match="1,000 files and folders"):
        changes_between(store, *bombs)


@pytest.mark.parametrize(
    "data",
    [
        b"100644 name-without-end",
        b"100644 a\0" + b"i" * 20 + b"x" * 22,
        b"1" * 500_000,
        b"1 " * 250_000,
    ],
    ids=["without end", "without mode", "of digits", "of modes"],
)
def test_damaged_tree_is_said_to_be_damaged(data: bytes) -> None:
    class Damaged(ObjectStore):
        def tree(self, _oid: str) -> bytes:
            return data

    with pytest.raises(Unavailable, match="damaged"):
        list(entries_of(Damaged(1), "x"))
