"""Mirrors copy exactly the branches and tags that a remote has now."""

import itertools
import os
from pathlib import Path

import pygit2
import pytest

from tests.gitrepos import GitRepository
from tests.web.library.installation import Installation
from web.core.errors import Conflict, Unavailable
from web.library.git import fetch, mirrors
from web.library.git.fetch import HEAD_REF
from web.library.git.locks import mirror_lock
from web.library.git.mirrors import (
    blob_head,
    mirror_path,
    remove_mirror,
    tidy_mirror,
    update_mirror,
)
from web.library.git.objects import ObjectStore
from web.library.git.remotes import remote_refs


def _mirror(origin: GitRepository) -> dict[str, str]:
    """Bring mirror 1 up to date and return its refs."""
    with mirror_lock(1, wait_seconds=0) as lock:
        update_mirror(
            1,
            url=origin.url,
            remote=remote_refs(origin.url),
            present=ObjectStore(1).targets(),
            lock=lock,
        )
    return ObjectStore(1).refs()


def test_mirror_has_branches_and_tags_and_nothing_else(origin: GitRepository) -> None:
    origin.write({"a": "1"}).commit().branch("side").tag("v1").tag("v2", message="Second")
    origin.git("update-ref", "refs/pull/1/head", "HEAD")
    origin.git("notes", "add", "--message=note")
    head = origin.head
    assert _mirror(origin) == {
        "refs/heads/main": head,
        "refs/heads/side": head,
        "refs/tags/v1": head,
        "refs/tags/v2": head,
        HEAD_REF: head,
    }


def test_detached_head_has_no_branch(origin: GitRepository) -> None:
    first = origin.write({"a": "1"}).commit().head
    origin.write({"a": "2"}).commit()
    origin.git("checkout", "--quiet", "--detach", first)
    remote = remote_refs(origin.url)
    assert (remote.head_branch, remote.head) == ("", first)
    assert _mirror(origin)[HEAD_REF] == first


def test_what_goes_at_the_remote_goes_here(origin: GitRepository) -> None:
    origin.write({"a": "1"}).commit().branch("gone").tag("gone").tag("stays")
    _mirror(origin)
    origin.git("branch", "-D", "gone")
    origin.git("tag", "-d", "gone")
    assert set(_mirror(origin)) == {"refs/heads/main", "refs/tags/stays", HEAD_REF}


def test_branch_that_becomes_a_folder_of_branches_is_followed(origin: GitRepository) -> None:
    origin.write({"a": "1"}).commit().branch("topic")
    _mirror(origin)
    origin.git("branch", "-m", "topic", "topic/one")
    assert set(_mirror(origin)) == {"refs/heads/main", "refs/heads/topic/one", HEAD_REF}


def test_moved_tag_and_force_push_are_followed(origin: GitRepository) -> None:
    origin.write({"a": "1"}).commit().tag("v1")
    _mirror(origin)
    origin.write({"a": "other"})
    origin.git("commit", "--quiet", "--all", "--amend", "--message=Rewritten")
    origin.tag("v1", message="Moved")
    refs = _mirror(origin)
    assert refs["refs/heads/main"] == refs["refs/tags/v1"] == origin.head


def test_very_many_refs_are_kept_in_one_file_and_followed(
    origin: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "_MANY_LOOSE_REFS", 3)
    origin.write({"a": "1"}).commit().tag("v1").tag("v2").branch("side")
    before = _mirror(origin)
    assert [path for path in (mirror_path(1) / "refs").rglob("*") if path.is_file()] == []
    origin.git("tag", "--delete", "v1")
    origin.write({"a": "2"}).commit()
    after = {**before, "refs/heads/main": origin.head, HEAD_REF: origin.head}
    del after["refs/tags/v1"]
    assert _mirror(origin) == after


def test_head_that_vanishes_leaves_no_trace(origin: GitRepository) -> None:
    origin.write({"a": "1"}).commit().branch("other")
    _mirror(origin)
    origin.git("symbolic-ref", "HEAD", "refs/heads/nothing")
    assert HEAD_REF not in _mirror(origin)


def test_shallow_clone_is_copied_and_becomes_complete_when_it_does(
    origin: GitRepository, tmp_path: Path
) -> None:
    for number in range(4):
        origin.write({"a": str(number)}).commit(f"Number {number}")
    clone = GitRepository(tmp_path / "clone")
    clone.git("fetch", "--quiet", "--depth=1", f"file://{origin.url}", "main")
    clone.git("checkout", "--quiet", "--detach", "FETCH_HEAD")
    refs = _mirror(clone)
    assert refs == {HEAD_REF: origin.head}
    assert [c.subject for c in ObjectStore(1).commits(commit=origin.head, limit=9)] == ["Number 3"]
    clone.git("fetch", "--quiet", "--unshallow", f"file://{origin.url}", "main")
    clone.git("tag", "complete")
    _mirror(clone)
    assert len(ObjectStore(1).commits(commit=origin.head, limit=9)) == 4


def test_linked_worktree_and_bare_repository_can_be_copied(
    origin: GitRepository, tmp_path: Path
) -> None:
    origin.write({"a": "1"}).commit()
    origin.git("worktree", "add", "--quiet", str(tmp_path / "linked"), "-b", "side")
    assert remote_refs(str(tmp_path / "linked")).head_branch == "refs/heads/side"
    bare = GitRepository(tmp_path / "bare.git", bare=True)
    origin.git("push", "--quiet", bare.url, "main")
    assert _mirror(bare)["refs/heads/main"] == origin.head


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to give a folder away")
def test_repository_of_another_user_can_be_copied(origin: GitRepository) -> None:
    origin.write({"a": "1"}).commit()
    for path in [origin.path, *origin.path.rglob("*")]:
        os.chown(path, 12345, 12345, follow_symlinks=False)
    assert _mirror(origin)["refs/heads/main"]


def test_hooks_of_the_remote_and_of_the_machine_do_not_run(
    origin: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin.write({"a": "1"}).commit()
    witness = tmp_path / "witness"
    for name in ("reference-transaction", "post-update", "pre-upload", "post-checkout"):
        hook = origin.path / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {witness}\n")
        hook.chmod(0o755)
    origin.git("config", "uploadpack.packObjectsHook", f"touch {witness};")
    origin.git("config", "core.fsmonitor", f"touch {witness}")
    _mirror(origin)
    assert not witness.exists()
    assert not list((mirror_path(1) / "hooks").glob("*"))


def test_repository_with_sha256_ids_is_refused_clearly(tmp_path: Path) -> None:
    path = tmp_path / "modern"
    GitRepository(tmp_path / "tool").git("init", "--quiet", "--object-format=sha256", str(path))
    GitRepository(path).write({"a": "1"}).commit()
    with pytest.raises(Unavailable, match="SHA-256"):
        _mirror(GitRepository(path))


def test_locks_of_a_killed_git_do_not_stop_the_next_one(origin: GitRepository) -> None:
    origin.write({"a": "1"}).commit()
    _mirror(origin)
    (mirror_path(1) / "refs" / "heads" / "main.lock").touch()
    (mirror_path(1) / "packed-refs.lock").touch()
    origin.write({"a": "2"}).commit()
    assert _mirror(origin)["refs/heads/main"] == origin.head


def test_half_made_mirror_is_made_anew(origin: GitRepository) -> None:
    origin.write({"a": "1"}).commit()
    (mirror_path(1) / "objects").mkdir(parents=True)
    assert _mirror(origin)["refs/heads/main"] == origin.head


def _loose_objects(count: int) -> list[Path]:
    """Give mirror 1 that many objects in the folder where git counts them; return all loose."""
    store = ObjectStore(1)
    with store.opened_apart() as repository:
        made = 0
        for number in itertools.count():
            if made == count:
                break
            content = b"%d" % number
            if str(pygit2.hash(content)).startswith("17"):
                repository.create_blob(content)
                made += 1
    return list((mirror_path(1) / "objects").glob("??/*"))


@pytest.mark.parametrize(("objects", "is_tidied"), [(27, False), (28, True)])
def test_tidying_leaves_nothing_to_tidy_and_keeps_everything_readable(
    origin: GitRepository, objects: int, is_tidied: bool
) -> None:
    """The objects that make it untidy are young, and no ref leads to them."""
    origin.write({"a": "1"}).commit()
    _mirror(origin)
    before = _loose_objects(objects)
    with mirror_lock(1, wait_seconds=0) as lock:
        tidy_mirror(1, lock=lock)
    left = [path for path in before if path.exists()]
    assert left == ([] if is_tidied else before)
    store = ObjectStore(1)
    assert all(
        store.size(path.parent.name + path.name) for path in before if path.parent.name == "17"
    )
    assert store.commit(origin.head).commit == origin.head


def test_tidying_keeps_what_a_rewritten_history_leaves_in_one_pack(
    origin: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin.write({f"old{n}": f"{n}" for n in range(60)}).commit()
    _mirror(origin)
    old = origin.head
    origin.git("checkout", "--quiet", "--orphan", "rewritten")
    origin.git("rm", "-r", "--force", "--quiet", ".")
    origin.write({f"new{n}": f"n{n}" for n in range(60)}).commit()
    origin.git("branch", "-M", "main")
    _mirror(origin)
    monkeypatch.setattr(mirrors, "_UNTIDY_PACKS", 1)
    with (mirror_path(1) / "config").open("a") as config:
        config.write("[gc]\n\tautoPackLimit = 1\n")
    with mirror_lock(1, wait_seconds=0) as lock:
        tidy_mirror(1, lock=lock)
    objects = mirror_path(1) / "objects"
    assert len(list(objects.glob("pack/*.pack"))) == 2
    assert not list(objects.glob("??/*"))
    assert {ObjectStore(1).commit(oid).commit for oid in (old, origin.head)} == {old, origin.head}


def test_mirror_that_cannot_be_tidied_is_used_all_the_same(
    origin: GitRepository, caplog: pytest.LogCaptureFixture
) -> None:
    origin.write({"a": "1"}).commit()
    _mirror(origin)
    _loose_objects(28)
    (mirror_path(1) / "config").write_text("[broken")
    with mirror_lock(1, wait_seconds=0) as lock:
        tidy_mirror(1, lock=lock)
    assert "could not be tidied" in caplog.text


def test_mirror_is_removed_with_its_lock(origin: GitRepository) -> None:
    origin.write({"a": "1"}).commit()
    _mirror(origin)
    remove_mirror(1)
    assert not list(mirror_path(1).parent.iterdir())
    remove_mirror(1)


def test_second_holder_of_the_lock_is_told(origin: GitRepository) -> None:
    waited = []
    with (
        mirror_lock(1, wait_seconds=0),
        pytest.raises(Conflict, match="Another sync"),
        mirror_lock(1, wait_seconds=0.01, on_wait=lambda: waited.append(True)),
    ):
        raise AssertionError("two holders")
    assert waited == [True]


_HOLD_LOCK_FOR_EVER = """
import signal
from web.library.git.fetch import HEAD_REF
from web.library.git.locks import mirror_lock
with mirror_lock(1, wait_seconds=0):
    print("held", flush=True)
    signal.pause()
"""


def test_lock_ends_with_a_killed_process(data_folder: Path) -> None:
    process = Installation(data_folder).run(_HOLD_LOCK_FOR_EVER)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        with pytest.raises(Conflict), mirror_lock(1, wait_seconds=0):
            pass
    finally:
        process.kill()
        process.communicate()
    with mirror_lock(1, wait_seconds=0) as lock:
        assert lock > 0


def test_start_of_a_blob_of_any_size_is_read(origin: GitRepository) -> None:
    origin.write({"big": b"ab" * 5_000_000}).commit()
    _mirror(origin)
    oid = origin.git("rev-parse", "HEAD:big").decode().strip()
    assert blob_head(1, oid, max_bytes=6) == b"ababab"
    with pytest.raises(Unavailable):
        blob_head(1, "0" * 40, max_bytes=6)
