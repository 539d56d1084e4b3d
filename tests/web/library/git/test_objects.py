"""Reading objects by id: sizes before contents, and a clear answer when something is not there."""

import shutil
import threading
import tracemalloc
from datetime import UTC, datetime

import pygit2
import pytest

from tests.gitrepos import GitRepository
from tests.library import mirrored
from web.core.errors import TooLarge, Unavailable
from web.library.git.mirrors import mirror_path
from web.library.git.objects import few_pages_mapped


def _oid(origin: GitRepository, path: str) -> str:
    return origin.git("rev-parse", f"HEAD:{path}").decode().strip()


def test_blob_is_read_as_it_is(origin: GitRepository) -> None:
    data = bytes(range(256))
    origin.write({"a.bin": data, "empty": b""}).commit()
    store = mirrored(origin)
    assert store.size(_oid(origin, "a.bin")) == 256
    assert store.blob(_oid(origin, "a.bin")) == data
    assert store.blob(_oid(origin, "empty")) == b""


def test_size_of_a_huge_blob_costs_no_memory(origin: GitRepository) -> None:
    origin.write({"huge": b"\0" * 50_000_000}).commit()
    store = mirrored(origin)
    oid = _oid(origin, "huge")
    tracemalloc.start()
    try:
        assert store.size(oid) == 50_000_000
        with pytest.raises(TooLarge, match="50,000,000 bytes"):
            store.blob(oid)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "oid", ["0" * 40, "", "main", "HEAD", "--help", "0" * 39, "x" * 40, "0" * 64]
)
def test_what_is_no_object_is_unavailable(oid: str, origin: GitRepository) -> None:
    origin.write({"a": "1"}).commit()
    store = mirrored(origin)
    for read in (store.size, store.blob, store.tree, store.tree_of, store.commit):
        with pytest.raises(Unavailable):
            read(oid)


def test_object_of_another_kind_is_unavailable(origin: GitRepository) -> None:
    origin.write({"a": "1"}).commit()
    store = mirrored(origin)
    with pytest.raises(Unavailable):
        store.blob(origin.head)
    with pytest.raises(Unavailable):
        store.tree(_oid(origin, "a"))
    with pytest.raises(Unavailable):
        store.commits(commit=_oid(origin, "a"), limit=1)


def test_missing_mirror_is_unavailable_and_comes_back(origin: GitRepository) -> None:
    origin.write({"a": "1"}).commit()
    store = mirrored(origin)
    oid = _oid(origin, "a")
    assert store.blob(oid) == b"1"
    shutil.rmtree(mirror_path(1))
    with pytest.raises(Unavailable):
        store.blob(oid)
    mirrored(origin)
    assert store.blob(oid) == b"1"


def test_objects_fetched_after_the_store_was_opened_are_found(origin: GitRepository) -> None:
    origin.write({"a": "1"}).commit()
    store = mirrored(origin)
    assert store.blob(_oid(origin, "a")) == b"1"
    origin.write({"a": "2"}).commit()
    mirrored(origin)
    assert store.blob(_oid(origin, "a")) == b"2"


def test_commits_come_newest_first(origin: GitRepository) -> None:
    for number in range(3):
        origin.write({"a": str(number)}).commit(f"Number {number}\n\nWith a body.")
    commits = mirrored(origin).commits(commit=origin.head, limit=2)
    assert [commit.subject for commit in commits] == ["Number 2", "Number 1"]
    assert commits[0].commit == origin.head
    assert commits[0].author == "Ada Test"
    assert commits[0].committed_at == datetime.fromtimestamp(1_700_000_180, UTC)


def test_commit_of_any_bytes_is_read(origin: GitRepository) -> None:
    origin.write({"a": "1"}).commit()
    tree = origin.git("rev-parse", "HEAD^{tree}").decode().strip()
    raw = (
        (
            f"tree {tree}\nauthor Andr\\e9 <a@b> 99999999999999 +0000\n"
            "committer X <a@b> 99999999999999 +0000\n\n  \nSubj\\e9ct\r\nmore\n"
        )
        .encode()
        .replace(b"\\e9", b"\xe9")
    )
    oid = origin.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=raw)
    origin.git("update-ref", "refs/heads/main", oid.decode().strip())
    commit = mirrored(origin).commit(origin.head)
    assert commit.subject == "Subj\ufffdct"
    assert commit.author == "Andr\ufffd"
    assert commit.committed_at.year == 9999


def test_refs_that_lead_to_no_commit_are_left_out(origin: GitRepository) -> None:
    origin.write({"a": "1"}).commit()
    origin.tag("tree", at="HEAD^{tree}").tag("blob", at="HEAD:a")
    origin.tag("nested", message="One").tag("nested2", message="Two", at="nested")
    store = mirrored(origin)
    refs = store.refs()
    assert refs["refs/tags/nested2"] == origin.head
    assert not {"refs/tags/tree", "refs/tags/blob"} & set(refs)
    assert store.newest_tags(limit=3) == ("nested2", "nested")
    assert store.newest_tags(limit=1) == ("nested2",)


def test_threads_share_a_store(origin: GitRepository) -> None:
    names = {f"f{number}": str(number) * 1000 for number in range(40)}
    origin.write(names).commit()
    store = mirrored(origin)
    oids = {name: _oid(origin, name) for name in names}
    wrong: list[str] = []

    def read_all() -> None:
        for name, text in names.items():
            if store.blob(oids[name]) != text.encode():
                wrong.append(name)

    threads = [threading.Thread(target=read_all) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_sync_keeps_less_of_the_packs_mapped_than_reading(origin: GitRepository) -> None:
    origin.write({"a": "1"}).commit()
    store = mirrored(origin)
    before = pygit2.settings.mwindow_mapped_limit
    with few_pages_mapped():
        inside = pygit2.settings.mwindow_mapped_limit
        assert store.commit(origin.head).commit == origin.head
    assert (inside < before, pygit2.settings.mwindow_mapped_limit) == (True, before)
