"""Files as callers see them: listings and lines."""

import pytest

from tests.library import add_and_sync
from web.accounts.principals import ANONYMOUS
from web.core.errors import InvalidInput, NotFound
from web.core.limits import LIMITS
from web.library.models import Content
from web.library.selectors.documents import document_text
from web.library.selectors.files import file_lines, files_listed
from web.library.selectors.grep import lines_matching
from web.library.selectors.history import commit_detail
from web.library.selectors.repositories import repository_overview
from web.library.services.repositories import repository_add
from web.library.services.sync import repository_sync

pytestmark = pytest.mark.django_db


@pytest.fixture
def _project(origin):
    origin.write(
        {
            "README.md": "# Tool\n",
            "src/app.py": "a = 1\nb = 2\nc = 3\n",
            "src/web/views.py": "def index():\n    return 1\n",
            "src/web/page.html": "<p>page</p>\n",
            "src0.py": "beside = 1\n",
            ".github/workflow.yml": "on: push\n",
            "logo.png": b"\x89PNG\r\n\x1a\n" + b"\0" * 64,
        }
    ).commit()
    add_and_sync("tool", origin.url)


def listed(**arguments):
    return files_listed(principal=ANONYMOUS, repository="tool", **arguments)


def read(path, **arguments):
    return file_lines(principal=ANONYMOUS, repository="tool", path=path, **arguments)


@pytest.mark.usefixtures("_project")
class TestListing:
    def test_the_root_has_folders_with_counts_before_files(self):
        items = listed().items
        assert [(item.path, item.kind, item.file_count) for item in items] == [
            (".github", "folder", 1),
            ("src", "folder", 3),
            ("README.md", "file", 0),
            ("logo.png", "binary", 0),
            ("src0.py", "file", 0),
        ]

    @pytest.mark.parametrize("path", ["src", "src/", "/src", "./src"])
    def test_one_folder_is_listed_however_its_path_is_spelled(self, path):
        assert [item.path for item in listed(path=path).items] == ["src/web", "src/app.py"]

    def test_a_hidden_folder_keeps_its_dot(self):
        assert [item.path for item in listed(path=".github").items] == [".github/workflow.yml"]

    def test_a_glob_finds_files_in_all_folders_below_the_path(self):
        assert [item.path for item in listed(pattern="*.py").items] == [
            "src/app.py",
            "src/web/views.py",
            "src0.py",
        ]
        assert [item.path for item in listed(path="src/web", pattern="*.{js,py}").items] == [
            "src/web/views.py"
        ]

    def test_a_file_that_is_not_indexed_says_why(self):
        logo = next(item for item in listed().items if item.path == "logo.png")
        assert logo.size == 72
        assert logo.note == "not indexed, because: binary file"

    def test_pages_go_on_without_gap_and_know_the_total(self):
        seen, cursor = [], None
        while True:
            page = listed(limit=2, cursor=cursor)
            assert page.total_count == 5
            seen += [item.path for item in page.items]
            cursor = page.next_cursor
            if cursor is None:
                break
        assert seen == [item.path for item in listed().items]

    def test_a_cursor_of_other_arguments_is_refused(self):
        cursor = listed(limit=2).next_cursor
        with pytest.raises(InvalidInput, match="cursor"):
            listed(path="src", limit=2, cursor=cursor)

    def test_a_cursor_ends_with_the_commit_it_was_made_at(self, origin):
        cursor = listed(limit=2).next_cursor
        origin.write({"A.py": "new = 1\n"}).commit()
        repository_sync(name="tool")
        with pytest.raises(InvalidInput, match="cursor"):
            listed(limit=2, cursor=cursor)

    def test_the_path_of_a_file_lists_that_file(self):
        assert [item.path for item in listed(path="src/app.py").items] == ["src/app.py"]

    def test_an_unknown_folder_is_not_found(self):
        with pytest.raises(NotFound, match="no folder 'srv'"):
            listed(path="srv")

    @pytest.mark.parametrize("pattern", ["\\", "!", "[z-a]"])
    def test_what_is_no_glob_is_refused_with_examples(self, pattern):
        with pytest.raises(InvalidInput, match="not a glob") as refused:
            listed(pattern=pattern)
        assert "**/*.py" in refused.value.hint


@pytest.mark.usefixtures("_project")
class TestReading:
    def test_lines_come_with_their_numbers_and_the_total(self):
        lines = read("src/app.py", start_line=2, line_count=1)
        assert (lines.lines, lines.start_line, lines.total_lines) == (("b = 2",), 2, 3)
        assert lines.language == "python"

    def test_lines_past_the_end_are_refused_with_the_total(self):
        with pytest.raises(InvalidInput, match="has 3 lines"):
            read("src/app.py", start_line=4)

    @pytest.mark.parametrize("count", [0, -1, LIMITS.max_read_lines + 1])
    def test_a_count_of_lines_out_of_range_is_refused(self, count):
        with pytest.raises(InvalidInput, match="line_count"):
            read("src/app.py", line_count=count)

    def test_a_miss_names_the_file_of_that_name_elsewhere(self):
        with pytest.raises(NotFound) as missed:
            read("views.py")
        assert "src/web/views.py" in missed.value.hint

    @pytest.mark.parametrize(
        ("path", "near"), [("scr", "src"), ("src/wep", "src/web"), ("SRC/web", "src")]
    )
    def test_a_misspelled_folder_is_told_the_nearest(self, path, near):
        with pytest.raises(NotFound) as missed:
            listed(path=path)
        assert missed.value.hint == f"Near it: {near}."

    def test_a_glob_given_as_the_folder_is_told_where_it_belongs(self):
        with pytest.raises(NotFound) as missed:
            listed(path="src/*.py")
        assert "belongs into pattern" in missed.value.hint

    def test_a_name_misspelled_together_with_its_folder_is_told_the_nearest(self):
        with pytest.raises(NotFound) as missed:
            read("src/wep/viewz.py")
        assert "src/web/views.py" in missed.value.hint

    def test_a_misspelled_name_is_told_the_nearest(self):
        with pytest.raises(NotFound) as missed:
            read("src/ap.py")
        assert "src/app.py" in missed.value.hint

    def test_a_folder_is_sent_to_list_files(self):
        with pytest.raises(NotFound) as missed:
            read("src/web")
        assert "list_files" in missed.value.hint

    def test_a_ref_that_is_not_indexed_is_refused_with_the_list(self):
        with pytest.raises(InvalidInput) as refused:
            read("src/app.py", ref="v9")
        assert "main" in refused.value.hint

    def test_a_long_line_is_cut_and_named(self, origin):
        origin.write({"long.txt": "x" * 2000 + "\nshort\n"}).commit()
        add_and_sync("longer", origin.url)
        lines = file_lines(principal=ANONYMOUS, repository="longer", path="long.txt")
        assert len(lines.lines[0]) == LIMITS.max_line_characters
        assert lines.cut_lines == (1,)


def test_an_indexed_file_reads_alike_everywhere_whatever_would_be_guessed_now(origin):
    words = "# Читай меня"
    origin.write({"README.md": words.encode("koi8-r")}).commit()
    add_and_sync("tool", origin.url)
    Content.objects.update(encoding="cp866")  # as earlier rules may have read it
    read_as = words.encode("koi8-r").decode("cp866")
    asked = {"principal": ANONYMOUS, "repository": "tool"}
    assert read("README.md").lines == (read_as,)
    assert document_text(path="README.md", **asked).text == read_as
    assert repository_overview(**asked).readme == read_as
    assert lines_matching(pattern=f"^{read_as}$", **asked).files
    assert f"+{read_as}\n" in commit_detail(commit="HEAD", **asked).files[0].patch


def test_an_empty_repository_says_so(origin):
    repository_add(name="tool", url=origin.url)
    assert listed().total_count == 0
    with pytest.raises(NotFound, match="nothing indexed yet"):
        read("a.py")
    with pytest.raises(NotFound, match="nothing indexed yet"):
        commit_detail(principal=ANONYMOUS, repository="tool", commit="HEAD")
