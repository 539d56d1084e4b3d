"""What operators are told of the index: counts by reason, and what became of one file."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from tests.gitrepos import GitRepository
from tests.library import add_and_sync
from web.accounts.principals import ANONYMOUS, Principal
from web.core.errors import InvalidInput, NotFound
from web.core.limits import LIMITS
from web.library.indexing import analysis
from web.library.indexing.analysis import analyse
from web.library.models import Entry, Repository
from web.library.selectors.index_reports import file_report, index_report
from web.library.services.repositories import RepositoryFields, repository_update
from web.library.services.sync import repository_sync

pytestmark = pytest.mark.django_db
OPERATOR = Principal(is_member=True, is_staff=True)
LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 12345\n".format("0" * 64)


@pytest.fixture
def project(origin: GitRepository) -> GitRepository:
    """Index a repository with a file for most reasons, and a tag without some of them."""
    origin.write({"a.py": "def a():\n    pass\n", "manual.md": "# Manual\n\nText.\n"})
    origin.commit().tag("v1")
    origin.write({
        "vendor/one.js": "x = 1\n", "vendor/two.js": "x = 2\n",
        "picture.png": b"\x89PNG\r\n\x1a\n\0\0", "model.bin": LFS, "empty.txt": "",
        "big.txt": "line\n" * (LIMITS.max_indexed_file_bytes // 5 + 1),
        "api_pb2.py": "X = 1\n", "a\x1b[31m.lock/uv.lock": "x = 1\n",
    }).link("link", "a.py").submodule("part", "1" * 40)  # fmt: skip
    origin.git("add", "--all", "--force", "--", ".", ":!part")
    origin.commit(stage=False)
    add_and_sync("project", origin.url)
    repository_update(name="project", fields=RepositoryFields(tracked_refs=["v*"]))
    repository_sync(name="project")
    return origin


def _explain(*arguments: str) -> str:
    output = io.StringIO()
    call_command("explain_index", *arguments, stdout=output)
    return output.getvalue()


def test_every_file_is_counted_once(project: GitRepository) -> None:
    main, tag = index_report(principal=OPERATOR, repository="project")
    assert (tag.ref, tag.files, tag.indexed, tag.documents, tag.skipped) == ("v1", 2, 2, 1, ())
    assert (main.is_default, main.commit, main.chunks, main.symbols) == (True, project.head, 2, 1)
    assert {one.reason: one.files for one in main.skipped} == {
        "vendored code": 2,
        "binary file": 1,
        "Git LFS pointer": 1,
        "empty file": 1,
        "larger than 512 KiB": 1,
        "generated code": 1,
        "lock file": 1,
        "symbolic link": 1,
        "submodule": 1,
    }
    assert main.files == main.indexed + sum(one.files for one in main.skipped)
    assert main.files == Entry.objects.filter(ref__is_default=True).count()
    vendored = main.skipped[0]
    assert (vendored.examples, vendored.size_bytes) == (("vendor/one.js", "vendor/two.js"), 12)


def test_command_counts_by_reason_and_acts_on_no_terminal(project: GitRepository) -> None:
    said = _explain("project")
    assert f"branch main, the default, at {project.head[:12]}" in said
    assert "2 of 12 files are indexed, 1 of them documents: 2 chunks, 1 definitions" in said
    assert "2  vendored code (12 bytes): vendor/one.js, vendor/two.js\n" in said
    assert "raise PORTOLAN_MAX_INDEXED_FILE_BYTES" in said
    assert "a\\x1b[31m.lock/uv.lock" in said
    assert "\x1b" not in said
    assert "branch main" not in _explain("project", "--ref", "v1")


def test_command_tells_what_a_file_is_on_each_ref(project: GitRepository) -> None:
    said = _explain("project", "a.py")
    assert f"main at {project.head[:12]}: a.py is indexed" in said
    assert "v1 at" in said
    assert "read as code, format python, encoding utf-8" in said
    assert "2 lines, 1 chunks, 1 definitions" in said
    said = _explain("project", "model.bin")
    assert "lfs_pointer of 12,345 bytes" in said
    assert "because: Git LFS pointer" in said
    assert "model.bin is absent" in said
    assert "because: larger than 512 KiB" in _explain("project", "big.txt", "--ref", "main")


def test_command_writes_json_for_programs(project: GitRepository) -> None:
    main, tag = json.loads(_explain("project", "--json"))
    assert (main["ref"], tag["ref"], main["skipped"][0]["files"]) == ("main", "v1", 2)
    file, absent = json.loads(_explain("project", "vendor/one.js", "--json"))
    assert (file["state"], file["reason"]) == ("not indexed", "vendored code")
    assert (absent["state"], absent["ref"]) == ("absent", "v1")


def test_what_is_not_there_is_told_with_what_is_near(project: GitRepository) -> None:
    with pytest.raises(NotFound, match="There is no file"):
        file_report(principal=OPERATOR, repository="project", path="vendor/onee.js")
    with pytest.raises(InvalidInput, match="is not indexed"):
        index_report(principal=OPERATOR, repository="project", ref="v2")
    Repository.objects.update(visibility="members")
    with pytest.raises(NotFound):
        index_report(principal=ANONYMOUS, repository="project")
    with pytest.raises(CommandError, match="There is no repository 'other'"):
        _explain("other")
    Repository.objects.create(name="new", url="https://code.example.org/a")
    assert "Nothing is indexed yet." in _explain("new")
    with pytest.raises(CommandError, match="nothing indexed yet"):
        _explain("new", "a.py")


def test_file_of_one_line_sections_has_a_bounded_number_of_chunks(origin: GitRepository) -> None:
    count = LIMITS.max_file_chunks + 1
    origin.write({"many.md": "# a\n" * count, "long.md": f"# Long\n\n{'word ' * 90_000}\n"})
    add_and_sync("project", origin.commit().url)
    (report,) = file_report(principal=OPERATOR, repository="project", path="many.md")
    assert 0 < report.chunks <= LIMITS.max_file_chunks
    assert f"cut into even pieces: it has {count:,} sections" in report.left_out[0]
    assert report.left_out[0] in _explain("project", "many.md")
    (whole,) = file_report(principal=OPERATOR, repository="project", path="long.md")
    assert whole.left_out == ()


def test_file_of_definitions_alone_has_a_bounded_number_of_symbols(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    smaller = LIMITS.model_copy(update={"max_file_symbols": 100, "max_file_chunks": 7})
    monkeypatch.setattr(analysis, "LIMITS", smaller)
    text = "".join(f"def f{number}():\n    return {number}\n\n" for number in range(400))
    found = analyse(text, format="python", is_document=False)
    assert [symbol.name for symbol in found.symbols] == [f"f{number}" for number in range(100)]
    assert len(found.left_out) == 2
    assert len(found.chunks) <= 7
    covered = [line for one in found.chunks for line in range(one.start_line, one.end_line + 1)]
    assert covered == list(range(1, 1201))


def test_text_that_no_parser_is_given_says_so() -> None:
    found = analyse("(" * 20_000, format="python", is_document=False)
    assert found.symbols == ()
    assert "without definitions" in found.left_out[0]
    assert analyse("plain words\n", format="text", is_document=False).left_out == ()
