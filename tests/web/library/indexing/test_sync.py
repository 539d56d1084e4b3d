"""After any change of the remote the index is what a fresh clone gives, or says that it is not."""

import shutil
from collections.abc import Callable
from pathlib import Path as FilePath
from typing import Any

import pytest

from tests.gitrepos import GitRepository
from tests.library import add_and_sync, entries, fresh_state, full_text_rows, index_state, leftovers
from web.core import clock
from web.core.errors import Unavailable
from web.core.limits import LIMITS
from web.library.git import mirrors
from web.library.git.mirrors import mirror_path
from web.library.git.objects import ObjectStore
from web.library.indexing import discover, reading, skipping, sync
from web.library.indexing.collect import collect
from web.library.indexing.decode import Decoded, decode
from web.library.indexing.sync import RepositorySync
from web.library.models import (
    Chunk,
    Content,
    Entry,
    IndexState,
    Path,
    Ref,
    Repository,
    Symbol,
    SymbolName,
)
from web.library.selectors.generation import index_generation
from web.library.services import repositories
from web.library.services.repositories import (
    RepositoryFields,
    finish_removals,
    repository_add,
    repository_remove,
    repository_update,
)
from web.library.services.sync import repository_sync

pytestmark = pytest.mark.django_db

CODE = "class Chart:\n    def draw(self):\n        return 'coast'\n"
OTHER = "def harbour():\n    return 'lights'\n"
PAGE = "# Sailing\n\nTo sea.\n\n## Tides\n\nHigh and low.\n"


def _repository() -> Repository:
    return Repository.objects.get(name="project")


def _begin(origin: GitRepository) -> GitRepository:
    origin.write(
        {"a.py": CODE, "lib/b.py": OTHER, "docs/page.md": PAGE, "img.png": b"\x89PNG\0", "e": ""}
    ).commit()
    return origin


def _change_files(origin: GitRepository) -> None:
    origin.write({"a.py": CODE + "\nX = 1\n", "new/c.py": "C = 1\n", "docs/page.md": PAGE + "!\n"})
    origin.remove("lib/b.py").commit()


def _rename(origin: GitRepository) -> None:
    origin.git("mv", "lib", "moved")
    origin.git("mv", "a.py", "z.py")
    origin.commit()


def _force_push(origin: GitRepository) -> None:
    origin.git("checkout", "--quiet", "--orphan", "rewritten")
    origin.write({"a.py": OTHER}).commit("History begins anew")
    origin.git("branch", "-M", "main")
    origin.git("reflog", "expire", "--expire=now", "--all")
    origin.git("gc", "--quiet", "--prune=now")


def _rename_default_branch(origin: GitRepository) -> None:
    origin.git("branch", "-m", "main", "trunk")
    origin.write({"a.py": CODE + "\n# trunk\n"}).commit()


def _rename_default_branch_alone(origin: GitRepository) -> None:
    origin.git("branch", "-m", "main", "trunk")


def _switch_default_branch(origin: GitRepository) -> None:
    origin.switch("next", create=True).write({"a.py": OTHER}).commit()


def _detach_head(origin: GitRepository) -> None:
    origin.write({"d.py": "D = 1\n"}).commit()
    origin.git("checkout", "--quiet", "--detach")


def _break_head(origin: GitRepository) -> None:
    origin.switch("work", create=True).write({"w.py": "W = 1\n"}).commit()
    origin.git("symbolic-ref", "HEAD", "refs/heads/nothing")


def _delete_default_branch(origin: GitRepository) -> None:
    origin.switch("work", create=True).write({"w.py": "W = 1\n"}).commit()
    origin.git("branch", "-D", "main")


def _turn_file_into_folder(origin: GitRepository) -> None:
    origin.remove("a.py").write({"a.py/inner.py": OTHER}).remove("docs").write({"docs": "x\n"})
    origin.commit()


def _change_kinds(origin: GitRepository) -> None:
    origin.remove("a.py").link("a.py", "lib/b.py").remove("lib/b.py")
    origin.write(
        {"lib/b.py": b"\0\1\2", "img.png": "now text\n", "e": "no longer empty\n"}
    ).commit()


def _swap_contents(origin: GitRepository) -> None:
    origin.write({"a.py": OTHER, "lib/b.py": CODE}).commit()


def _remove_every_file(origin: GitRepository) -> None:
    origin.remove(".").commit()


def _commit_nothing(origin: GitRepository) -> None:
    origin.commit("Nothing")


def _step_back(origin: GitRepository) -> None:
    origin.write({"a.py": OTHER}).commit()
    origin.git("reset", "--quiet", "--hard", "HEAD~1")


CHANGES = [
    *(_change_files, _rename, _force_push, _rename_default_branch, _rename_default_branch_alone),
    *(_switch_default_branch, _detach_head, _break_head, _delete_default_branch),
    *(_turn_file_into_folder, _change_kinds, _swap_contents, _remove_every_file),
    *(_commit_nothing, _step_back),
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__.strip("_"))
def test_sync_after_a_change_equals_a_fresh_index(
    change: Callable[[GitRepository], None], origin: GitRepository
) -> None:
    _begin(origin)
    add_and_sync("project", origin.url)
    change(origin)
    repository_sync(name="project")
    state = index_state("project")
    assert state
    assert not _repository().stale_since
    assert full_text_rows() == set(Chunk.objects.values_list("text_id", flat=True))
    assert state == fresh_state("project")


@pytest.mark.parametrize("second", CHANGES, ids=lambda change: change.__name__.strip("_"))
def test_sync_after_several_changes_equals_a_fresh_index(
    second: Callable[[GitRepository], None], origin: GitRepository
) -> None:
    _begin(origin)
    add_and_sync("project", origin.url)
    _change_files(origin)
    repository_sync(name="project")
    origin.write({"a.py": CODE, "lib/b.py": OTHER}).commit()
    second(origin)
    repository_sync(name="project")
    assert index_state("project") == fresh_state("project")


def test_first_sync_reads_identical_blobs_once(
    origin: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin.write({f"copy{n}.py": CODE for n in range(9)}).write({"x": OTHER, "y": OTHER}).commit()
    read: list[str] = []
    real = ObjectStore.blob

    def counted(self: ObjectStore, oid: str, **options: Any) -> bytes:
        read.append(oid)
        return real(self, oid, **options)

    monkeypatch.setattr(ObjectStore, "blob", counted)
    report = add_and_sync("project", origin.url)
    assert len(read) == len(set(read)) == 2
    assert report.contents_written == Content.objects.count() == 2
    assert Entry.objects.count() == 11


def test_second_repository_with_the_same_blobs_reads_none(
    origin: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    _begin(origin)
    add_and_sync("project", origin.url)
    rows = Chunk.objects.count(), Symbol.objects.count()
    monkeypatch.setattr(sync, "analyse", None)
    report = add_and_sync("fork", origin.url)
    assert report.contents_written == 0
    assert (Chunk.objects.count(), Symbol.objects.count()) == rows
    assert set(entries("fork")) == set(entries("project"))


def test_removing_the_repository_that_brought_a_blob_leaves_it_to_the_other(
    origin: GitRepository,
) -> None:
    _begin(origin)
    add_and_sync("project", origin.url)
    add_and_sync("fork", origin.url)
    state = index_state("fork")
    repository_remove(name="project")
    assert index_state("fork") == state
    _change_files(origin)
    repository_sync(name="fork")
    repository_remove(name="fork")
    assert leftovers() == {}


@pytest.mark.parametrize("is_syncing", [False, True])
@pytest.mark.parametrize("is_removed", [False, True])
def test_what_a_sync_or_removal_that_died_ceased_to_show_goes_whoever_brought_it(
    is_removed: bool,
    is_syncing: bool,
    origin: GitRepository,
    tmp_path: FilePath,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fork = GitRepository(tmp_path / "fork").write({"a.py": CODE}).commit()
    _begin(origin)
    add_and_sync("project", origin.url)
    add_and_sync("fork", fork.url)
    _change_files(origin)
    repository_sync(name="project")
    fork.write({"a.py": OTHER}).commit()
    with monkeypatch.context() as dying:
        for module in (sync, repositories):
            dying.setattr(module, "collect", _die)
        with pytest.raises(KeyboardInterrupt):
            (repository_remove if is_removed else repository_sync)(name="fork")
    forgotten = Content.objects.filter(revisions=None)
    assert forgotten.get().home == _repository()
    project = Repository.objects.filter(name="project")
    project.update(sync_started_at=clock.now() if is_syncing else None)
    if is_removed:
        finish_removals()
    else:
        repository_sync(name="fork")
    assert forgotten.exists() is is_syncing, "it could be what that sync is about to show"
    project.update(sync_started_at=None)
    repository_sync(name="project")
    assert not IndexState.objects.get().has_forgotten
    assert not Content.objects.filter(revisions=None).exists()
    assert full_text_rows() == set(Chunk.objects.values_list("text_id", flat=True))


@pytest.mark.parametrize("state", ["sync_started_at", "stale_since"])
def test_what_an_unfinished_sync_wrote_is_left_to_the_next_one_of_its_repository(
    state: str, origin: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    _begin(origin)
    repository_add(name="project", url=origin.url)
    with monkeypatch.context() as dying:
        dying.setattr(sync, "publish", _die)
        with pytest.raises(KeyboardInterrupt):
            repository_sync(name="project")
    unfinished = {"sync_started_at": None, "stale_since": None, state: clock.now()}
    Repository.objects.update(**unfinished)
    written = set(Content.objects.values_list("pk", flat=True))
    add_and_sync("other", GitRepository(origin.path / "other").commit().url)
    repository_remove(name="other")
    assert set(Content.objects.values_list("pk", flat=True)) == written != set()
    assert repository_sync(name="project").contents_written == 0


def _die(*_arguments: Any, **_options: Any) -> None:
    raise KeyboardInterrupt


def test_sync_without_a_change_writes_nothing(origin: GitRepository) -> None:
    _begin(origin)
    add_and_sync("project", origin.url)
    generation, indexed_at = index_generation(), Ref.objects.get().indexed_at
    report = repository_sync(name="project")
    assert report.outcome == "unchanged"
    assert report.files_read == report.contents_written == 0
    assert (index_generation(), Ref.objects.get().indexed_at) == (generation, indexed_at)


def test_sync_looks_only_at_what_changed(origin: GitRepository) -> None:
    origin.write({f"d{n}/f{n}.py": f"N = {n}\n" for n in range(50)}).commit()
    add_and_sync("project", origin.url)
    origin.write({"d7/f7.py": "N = 700\n"}).commit()
    report = repository_sync(name="project")
    assert (report.files_read, report.contents_written, report.contents_removed) == (1, 1, 1)


def test_changed_file_adds_only_the_texts_that_are_new(origin: GitRepository) -> None:
    functions = [f"def f{n}():\n" + f"    x = {n}\n" * 60 for n in range(8)]
    origin.write({"a.py": "\n\n".join(functions)}).commit()
    add_and_sync("project", origin.url)
    before = full_text_rows()
    functions[3] = functions[3].replace("x =", "changed =")
    origin.write({"a.py": "\n\n".join(functions)}).commit()
    repository_sync(name="project")
    after = full_text_rows()
    assert len(before) >= 8
    assert 1 <= len(after - before) <= 2
    assert len(before - after) == len(after - before)


def test_generation_rises_with_each_visible_change(origin: GitRepository) -> None:
    _begin(origin)
    seen = [index_generation()]
    repository_add(name="project", url=origin.url)
    seen.append(index_generation())
    repository_sync(name="project")
    seen.append(index_generation())
    _change_files(origin)
    repository_sync(name="project")
    seen.append(index_generation())
    assert seen == sorted(set(seen))
    IndexState.objects.update(generation=seen[1])  # a backup is put back
    for content in "xyz":
        origin.write({"a.py": content}).commit()
        repository_sync(name="project")
        seen.append(index_generation())
    assert seen == sorted(set(seen))


def test_another_bound_on_files_is_applied_without_a_new_commit(
    origin: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin.write({"a.py": "A = 1\n", "large.py": "LARGE = 1\n" * 20}).commit()
    bound = LIMITS.max_indexed_file_bytes
    for most, reason in ((100, "larger than 0 KiB"), (bound, ""), (100, "larger than 0 KiB")):
        small = LIMITS.model_copy(update={"max_indexed_file_bytes": most})
        for module in (discover, reading, skipping):
            monkeypatch.setattr(module, "LIMITS", small)
        if Repository.objects.exists():
            assert repository_sync(name="project").outcome == "updated"
        else:
            add_and_sync("project", origin.url)
        assert entries("project")["large.py"].skip_reason == reason
        assert full_text_rows() == set(Chunk.objects.values_list("text_id", flat=True))


def test_changed_globs_are_applied_without_a_new_commit(origin: GitRepository) -> None:
    _begin(origin)
    add_and_sync("project", origin.url)
    repository_update(
        name="project",
        fields=RepositoryFields(exclude_globs=["lib/"], documentation_globs=["nothing"]),
    )
    report = repository_sync(name="project")
    assert report.outcome == "updated"
    found = entries("project")
    assert found["lib/b.py"].skip_reason == "excluded by the repository's settings"
    page = found["docs/page.md"].content
    assert page is not None
    assert not page.is_document
    assert index_state("project") == fresh_state("project")


def test_changed_rules_of_the_product_read_everything_anew_and_leave_nothing_behind(
    origin: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    _begin(origin)
    add_and_sync("project", origin.url)
    before = set(Content.objects.values_list("pk", flat=True))
    monkeypatch.setattr(discover, "RULES_VERSION", 999)
    report = repository_sync(name="project")
    assert report.changed_refs == ("main",)
    assert report.contents_written == report.contents_removed == len(before)
    assert not before & set(Content.objects.values_list("pk", flat=True))
    assert full_text_rows() == set(Chunk.objects.values_list("text_id", flat=True))
    assert repository_sync(name="project").outcome == "unchanged"
    assert index_state("project") == fresh_state("project")


def test_what_an_older_release_read_in_another_charset_is_read_anew_without_a_trace(
    origin: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "/* 初始化缓冲区 */\nint length;\n".encode("gb18030")
    _begin(origin).write({"buffer.c": source}).commit()
    with monkeypatch.context() as older:
        older.setattr(discover, "RULES_VERSION", discover.RULES_VERSION - 1)
        older.setattr(
            discover,
            "decode",
            lambda data: Decoded(data.decode("cp949"), "cp949") if data == source else decode(data),
        )
        add_and_sync("project", origin.url)
    assert entries("project")["buffer.c"].content.encoding == "cp949"
    repository_sync(name="project")
    assert entries("project")["buffer.c"].content.encoding == "gb18030"
    assert full_text_rows() == set(Chunk.objects.values_list("text_id", flat=True))
    assert index_state("project") == fresh_state("project")


def test_mirror_is_tidied_also_after_a_push_that_no_view_shows(
    origin: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin.write({f"{n}.py": f"N = {n}\n" for n in range(60)}).commit()
    add_and_sync("project", origin.url)
    mirror = mirror_path(_repository().pk)
    monkeypatch.setattr(mirrors, "_UNTIDY_PACKS", 1)
    with (mirror / "config").open("a") as config:
        config.write("[gc]\n\tautoPackLimit = 1\n")
    origin.switch("side", create=True)
    origin.write({f"{n}.py": f"N = {n}0\n" for n in range(60)}).commit().switch("main")
    assert repository_sync(name="project").outcome == "unchanged"
    assert len(list(mirror.glob("objects/pack/*.pack"))) == 1
    assert index_state("project") == fresh_state("project")


def test_lost_mirror_is_fetched_again(origin: GitRepository) -> None:
    _begin(origin)
    add_and_sync("project", origin.url)
    shutil.rmtree(mirror_path(_repository().pk))
    assert repository_sync(name="project").outcome == "unchanged"
    _change_files(origin)
    shutil.rmtree(mirror_path(_repository().pk))
    repository_sync(name="project")
    assert index_state("project") == fresh_state("project")


def test_text_whose_blob_is_gone_leaves_a_row_that_nothing_finds(origin: GitRepository) -> None:
    _begin(origin)
    add_and_sync("project", origin.url)
    before = full_text_rows()
    _force_push(origin)
    shutil.rmtree(mirror_path(_repository().pk))
    repository_sync(name="project")
    texts = set(Chunk.objects.values_list("text_id", flat=True))
    assert texts < full_text_rows()
    assert before & full_text_rows()
    highest = max(full_text_rows())
    origin.write({"more.py": "MORE = 1\n"}).commit()
    repository_sync(name="project")
    assert max(Chunk.objects.values_list("text_id", flat=True)) > highest


def test_names_that_are_not_text_never_stop_the_rest(origin: GitRepository) -> None:
    names: list[str | bytes] = [
        *(b"latin-\xe9.py", "tab\there.py", "new\nline.py", "-dash.py", "--output=x.py", "a b.py"),
        *('quote".py', "back\\slash.py", "ünï.py", "\u202egnp.py", b"\xff\xff/x.py"),
    ]
    origin.write(dict.fromkeys(names, CODE)).write({"plain.py": OTHER}).commit()
    add_and_sync("project", origin.url)
    found = entries("project")
    assert len(found) == len(names) + 1
    assert all(entry.content for entry in found.values())
    assert {"latin-\\xe9.py", "tab\there.py", "new\nline.py", "-dash.py", "\\xff\\xff/x.py"} <= set(
        found
    )
    origin.git("rm", "-r", "--quiet", "--", "--output=x.py", "-dash.py")
    origin.write({b"latin-\xe9.py": OTHER}).commit()
    repository_sync(name="project")
    assert index_state("project") == fresh_state("project")


def test_path_that_no_database_can_index_is_listed_shortened(origin: GitRepository) -> None:
    folder = "/".join(["d" * 200] * 8)
    oid = origin.git("hash-object", "-w", "--stdin", stdin=CODE.encode()).decode().strip()
    origin.git("update-index", "--add", "--cacheinfo", f"100644,{oid},{folder}/a.py")
    origin.commit(stage=False)
    add_and_sync("project", origin.url)
    (entry,) = entries("project").values()
    assert entry.skip_reason == "path too long"
    assert len(entry.path.path) < 1024
    other = origin.git("hash-object", "-w", "--stdin", stdin=b"X = 1\n").decode().strip()
    origin.git("update-index", "--add", "--cacheinfo", f"100644,{other},{folder}/a.py")
    origin.commit(stage=False)
    repository_sync(name="project")
    assert index_state("project") == fresh_state("project")


def test_two_paths_that_look_alike_are_kept_apart(origin: GitRepository) -> None:
    origin.write({b"a-\xff.py": CODE, "a-\\xff.py": OTHER}).commit()
    add_and_sync("project", origin.url)
    assert set(entries("project")) == {"a-\\xff.py", "a-\\x5cxff.py"}
    origin.git("rm", "--quiet", "--", "a-\\\\xff.py")
    origin.commit()
    repository_sync(name="project")
    assert set(entries("project")) == {"a-\\xff.py"}
    assert repository_sync(name="project").outcome == "unchanged"


def test_blob_that_is_missing_is_listed_as_unreadable(
    origin: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    _begin(origin)
    lost = origin.git("rev-parse", "HEAD:a.py").decode().strip()
    real = ObjectStore.size

    def size(self: ObjectStore, oid: str) -> int:
        return real(self, "0" * 40 if oid == lost else oid)

    monkeypatch.setattr(ObjectStore, "size", size)
    add_and_sync("project", origin.url)
    found = entries("project")
    assert found["a.py"].skip_reason == "unreadable object"
    assert found["lib/b.py"].content is not None


def test_content_that_another_sync_removes_meanwhile_is_written_again(
    origin: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    _begin(origin)
    real_publish = sync.publish
    attempts: list[int] = []

    def publish_after_a_loss(*arguments: Any, **options: Any) -> Any:
        attempts.append(len(attempts))
        if len(attempts) == 1:
            collect(Content.objects.values_list("pk", flat=True), repository_id=_repository().pk)
            assert Content.objects.count() == 0
        return real_publish(*arguments, **options)

    monkeypatch.setattr(sync, "publish", publish_after_a_loss)
    add_and_sync("project", origin.url)
    assert len(attempts) == 2
    assert index_state("project") == fresh_state("project")


def test_sync_that_dies_leaves_the_old_index_and_the_next_one_completes(
    origin: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    _begin(origin)
    add_and_sync("project", origin.url)
    state = index_state("project")
    origin.write({f"n{n}.py": f"N = {n}\n" for n in range(30)}).commit()
    monkeypatch.setattr(sync, "LIMITS", sync.LIMITS.model_copy(update={"index_batch_files": 10}))
    real = RepositorySync._write
    batches: list[int] = []

    def write_then_fail(self: RepositorySync, *arguments: Any) -> None:
        real(self, *arguments)
        batches.append(1)
        if len(batches) == 2:
            raise RuntimeError("killed")

    with monkeypatch.context() as patched:
        patched.setattr(RepositorySync, "_write", write_then_fail)
        with pytest.raises(RuntimeError):
            repository_sync(name="project")
    assert index_state("project") == state
    assert Content.objects.filter(revisions=None).count() == 20
    assert _repository().stale_since
    report = repository_sync(name="project")
    assert report.contents_written == 10
    assert not _repository().stale_since
    assert index_state("project") == fresh_state("project")


def test_leftovers_of_a_sync_that_died_are_collected_when_nothing_needs_them(
    origin: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    _begin(origin)
    add_and_sync("project", origin.url)
    origin.write({"n.py": "N = 1\n"}).commit()
    with monkeypatch.context() as patched:
        patched.setattr(sync, "publish", None)
        with pytest.raises(TypeError):
            repository_sync(name="project")
    assert Content.objects.filter(revisions=None).count() == 1
    origin.git("reset", "--quiet", "--hard", "HEAD~1")
    repository_sync(name="project")
    assert not Content.objects.filter(revisions=None).exists()
    assert full_text_rows() == set(Chunk.objects.values_list("text_id", flat=True))


def test_large_sync_is_written_in_many_short_transactions(
    origin: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin.write({f"n{n}.py": f"N = {n}\n" for n in range(25)}).commit()
    monkeypatch.setattr(sync, "LIMITS", sync.LIMITS.model_copy(update={"index_batch_files": 10}))
    sizes: list[int] = []
    real = sync.write_contents

    def counted(batch: Any, **options: Any) -> Any:
        sizes.append(len(batch))
        return real(batch, **options)

    monkeypatch.setattr(sync, "write_contents", counted)
    add_and_sync("project", origin.url)
    assert sizes == [10, 10, 5]


def test_batches_are_bounded_by_bytes_as_well(
    origin: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin.write({f"n{n}.py": f"N = {n}\n" * 100 for n in range(10)}).commit()
    monkeypatch.setattr(sync, "LIMITS", sync.LIMITS.model_copy(update={"index_batch_bytes": 1300}))
    sizes: list[int] = []
    real = sync.write_contents

    def counted(batch: Any, **options: Any) -> Any:
        sizes.append(len(batch))
        return real(batch, **options)

    monkeypatch.setattr(sync, "write_contents", counted)
    add_and_sync("project", origin.url)
    assert sizes == [3, 3, 3, 1]


def test_nearly_full_disk_stops_a_sync_before_it_is_full(
    origin: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    _begin(origin)
    free = shutil.disk_usage(origin.path).free
    greedy = sync.LIMITS.model_copy(update={"min_free_disk_bytes": free * 2})
    monkeypatch.setattr(sync, "LIMITS", greedy)
    repository_add(name="project", url=origin.url)
    with pytest.raises(Unavailable, match="disk is nearly full"):
        repository_sync(name="project")
    assert "disk is nearly full" in _repository().sync_error


def test_paths_and_names_are_kept_once(origin: GitRepository) -> None:
    _begin(origin)
    add_and_sync("project", origin.url)
    add_and_sync("fork", origin.url)
    assert Path.objects.count() == 5
    assert sorted(SymbolName.objects.values_list("name", flat=True)) == ["Chart", "draw", "harbour"]
