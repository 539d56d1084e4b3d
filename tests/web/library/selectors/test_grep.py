"""Lines that match a pattern."""

import pytest

from tests.library import add_and_sync
from web.accounts.principals import ANONYMOUS
from web.core.errors import InvalidInput
from web.core.limits import LIMITS
from web.library.selectors.grep import lines_matching

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _project(origin):
    origin.write(
        {
            "a.py": "def alpha():\n    return beta()\n",
            "lib/b.py": "class Beta:\n    pass\n\ndef beta():\n    pass\n",
            "lib/c.js": "function beta() {}\r\nlet x = 1;\r\n",
            "many.txt": "hit\n" * 50,
            "[x]*.py": "beta = 2\n",
            "logo.png": b"\x89PNG\0\0beta",
        }
    ).commit()
    add_and_sync("tool", origin.url)


def grep(pattern, **arguments):
    return lines_matching(principal=ANONYMOUS, repository="tool", pattern=pattern, **arguments)


def places(found):
    return [(file.path, number) for file in found.files for number, _ in file.lines]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"beta\(", [("a.py", 2), ("lib/b.py", 4), ("lib/c.js", 1)]),
        (r"^def \w+", [("a.py", 1), ("lib/b.py", 4)]),
        (r"\{\}$", [("lib/c.js", 1)]),
        (r"\bBeta\b", [("lib/b.py", 1)]),
        (r"\A\z", [("lib/b.py", 3)]),
        (r"(?-m)^def b", [("lib/b.py", 4)]),
        (r"(?i-m:^DEF B)", [("lib/b.py", 4)]),
    ],
)
def test_every_matching_line_is_found_once(pattern, expected):
    assert places(grep(pattern)) == expected


def test_case_counts_unless_it_is_ignored():
    assert places(grep("BETA")) == []
    assert ("lib/b.py", 1) in places(grep("BETA", ignore_case=True))


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("lib", {"lib/b.py", "lib/c.js"}),
        ("*.py", {"a.py", "lib/b.py", "[x]*.py"}),
        ("a.py", {"a.py"}),
        ("{lib/*,a}.{js,py}", {"a.py", "lib/b.py", "lib/c.js"}),
        ("[x]*.py", {"[x]*.py"}),
    ],
)
def test_a_folder_a_glob_or_a_file_narrows_it(path, expected):
    assert {file.path for file in grep("beta", path=path).files} == expected


def test_of_a_file_with_many_matches_some_are_shown_and_all_are_counted():
    file = grep("hit").files[0]
    assert len(file.lines) == LIMITS.max_grep_lines
    assert file.line_count == 50


def test_pages_go_on_without_gap():
    seen, cursor = [], None
    while True:
        page = grep("beta", limit=1, cursor=cursor)
        seen += [file.path for file in page.files]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == ["[x]*.py", "a.py", "lib/b.py", "lib/c.js"]


def test_what_was_not_looked_at_is_counted():
    found = grep("nothing like it")
    assert (found.files, found.searched_count, found.file_count) == ((), 5, 5)
    assert (found.skipped_count, found.hints) == (1, ())


@pytest.mark.parametrize(
    ("path", "skipped", "said"),
    [
        ("logo.png", 1, "logo.png is not indexed, because: binary file."),
        ("*.png", 1, "logo.png is not indexed, because: binary file."),
        ("nowhere", 0, "No file is at 'nowhere'"),
    ],
)
def test_nothing_to_look_at_is_explained(path, skipped, said):
    found = grep("beta", path=path)
    assert (found.file_count, found.skipped_count) == (0, skipped)
    assert said in found.hints[0]


@pytest.mark.parametrize(
    ("pattern", "is_hinted"),
    [("a:\n", True), (r"a:\n", True), (r"a:\\\n", True), (r"a:\\n", False)],
)
def test_a_pattern_over_several_lines_is_told_that_it_matches_none(pattern, is_hinted):
    found = grep(pattern)
    assert found.files == ()
    assert ["each line by itself" in hint for hint in found.hints] == [True] * is_hinted


@pytest.mark.parametrize("pattern", ["(", "[", "\\", "(?R)", r"(a)\1", "(?=x)", "a{1001}"])
def test_what_re2_does_not_take_is_refused_with_what_it_lacks(pattern):
    with pytest.raises(InvalidInput, match="RE2") as refused:
        grep(pattern)
    assert "look-around" in refused.value.hint
