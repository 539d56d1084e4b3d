"""Commits as callers see them."""

from datetime import UTC, datetime

import pytest

from tests.library import add_and_sync
from web.accounts.principals import ANONYMOUS
from web.core.errors import InvalidInput, NotFound
from web.core.limits import LIMITS
from web.library.selectors.history import commit_detail, commits_listed
from web.library.services.sync import repository_sync

pytestmark = pytest.mark.django_db


@pytest.fixture
def heads(origin):
    ids = []
    origin.write({"a.py": "x = 1\n"}).commit("Add a")
    ids.append(origin.head)
    origin.write({"lib/b.py": "y = 1\n"}).commit("Add b\n\nWith a reason.")
    ids.append(origin.head)
    origin.write({"a.py": "x = 2\n", "logo.png": b"\x89PNG\0\0", b"o\\\xe9": "1"})
    origin.commit("Change a")
    ids.append(origin.head)
    add_and_sync("tool", origin.url)
    return ids


def listed(**arguments):
    return commits_listed(principal=ANONYMOUS, repository="tool", **arguments)


def detail(commit, **arguments):
    return commit_detail(principal=ANONYMOUS, repository="tool", commit=commit, **arguments)


def subjects(listing):
    return [commit.subject for commit in listing.commits]


@pytest.mark.usefixtures("heads")
def test_commits_come_newest_first():
    assert subjects(listed()) == ["Change a", "Add b", "Add a"]


def test_commits_of_one_second_come_as_git_log_shows_them(origin):
    """As after a rebase, which gives all commits the date at which it ran."""
    origin.write({"a.py": "x = 1\n"}).commit("Begin")
    for number in range(20):
        origin.git("commit", "--quiet", "--allow-empty", f"--message=Change {number}")
    add_and_sync("tool", origin.url)
    assert subjects(listed()) == origin.git("log", "--format=%s").decode().split("\n")[:-1]


@pytest.mark.usefixtures("heads")
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.py", ["Change a", "Add a"]),
        ("lib", ["Add b"]),
        ("lib/b.py", ["Add b"]),
        ("no", []),
        ("o\\x5c\\xe9", ["Change a"]),
    ],
)
def test_a_path_keeps_the_commits_that_changed_it(path, expected):
    assert subjects(listed(path=path)) == expected


def test_since_and_author_narrow_the_history(heads):
    second = detail(heads[1]).summary.committed_at
    assert subjects(listed(since=second)) == ["Change a", "Add b"]
    assert subjects(listed(since=datetime(2099, 1, 1, tzinfo=UTC))) == []
    assert len(subjects(listed(author="ADA@example"))) == 3
    assert subjects(listed(author="nobody")) == []


@pytest.mark.usefixtures("heads")
def test_pages_go_on_without_gap():
    first = listed(limit=2)
    second = listed(limit=2, cursor=first.next_cursor)
    assert subjects(first) + subjects(second) == ["Change a", "Add b", "Add a"]
    assert second.next_cursor is None
    assert listed(limit=3).next_cursor is None


def test_a_commit_tells_its_message_and_what_it_changed(heads):
    commit = detail(heads[2][:7])
    assert commit.summary.commit == heads[2]
    assert commit.parents == (heads[1],)
    assert [(file.path, file.status, file.is_binary) for file in commit.files] == [
        ("a.py", "modified", False),
        ("logo.png", "added", True),
        ("o\\x5c\\xe9", "added", False),
    ]
    assert "-x = 1\n+x = 2" in commit.files[0].patch
    assert detail(heads[1]).message == "Add b\n\nWith a reason."


@pytest.mark.parametrize(
    ("path", "changed"),
    [("lib", ["lib/b.py", "lib/c.py"]), ("lib/c.py", ["lib/c.py"]), ("a.py", ["b.py"])],
)
def test_a_path_narrows_what_a_commit_changed(origin, path, changed):
    origin.write({"a.py": "1\n2\n3\n", "lib/b.py": "1"}).commit()
    origin.write({"lib/b.py": "2", "lib/c.py": "1", "library.py": "1"})
    origin.git("mv", "a.py", "b.py")
    add_and_sync("tool", origin.commit().url)
    commit = detail(origin.head, path=path)
    assert [file.path for file in commit.files] == changed
    assert (commit.file_count, commit.matching_count) == (4, len(changed))
    with pytest.raises(NotFound, match="changed nothing at 'li'"):
        detail(origin.head, path="li")
    with pytest.raises(NotFound) as missed:
        detail(origin.head, path="lib/*.py")
    assert "no glob" in missed.value.hint


@pytest.mark.parametrize("name", ["HEAD", "main", "heads/main", "refs/heads/main"])
def test_a_branch_or_head_means_its_newest_commit(heads, name):
    assert detail(name).summary.commit == heads[2]


def test_the_first_commit_is_compared_with_nothing(heads):
    commit = detail(heads[0])
    assert commit.parents == ()
    assert [(file.path, file.status) for file in commit.files] == [("a.py", "added")]


def test_a_large_diff_is_cut_at_whole_lines_and_says_so(origin):
    origin.write({"big.txt": "line of text\n" * 5000}).commit("Big")
    add_and_sync("tool", origin.url)
    file = detail(origin.head).files[0]
    assert file.is_cut
    assert len(file.patch) <= LIMITS.max_diff_characters
    assert file.patch.endswith("+line of text")
    assert file.added_lines == 5000


@pytest.mark.parametrize(
    ("charset", "subject"),
    [("cp1251", "Добавить якорь"), ("iso2022_jp", "錨を追加"), ("no-such-one", "Ankertöne")],
)
def test_a_commit_is_read_in_the_charset_that_it_names(origin, charset, subject):
    message = subject.encode(charset if charset != "no-such-one" else "utf-8")
    origin.write({"a.py": "a = 1\n"}).git("add", "--all")
    origin.git(
        *("-c", f"i18n.commitEncoding={charset}", "commit", "--quiet", "--file=-"), stdin=message
    )
    add_and_sync("tool", origin.url)
    assert subjects(listed()) == [subject]
    assert detail("HEAD").message == subject


@pytest.mark.parametrize("is_indexed", [True, False])
@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("cp1251", "koi8-r", "Сначала читаем настройки, потом открываем соединение"),
        ("cp1251", "utf-8", "Сначала читаем настройки, потом открываем соединение"),
        ("utf-8", "iso2022_jp", "設定を読み込んでから接続を開きます。"),
    ],
)
def test_each_side_of_a_change_is_read_in_its_own_charset(origin, is_indexed, before, after, words):
    old = [f"# {words} {number}" for number in range(40)]
    new = [line.replace(" 3", " 4") for line in old]
    origin.write({"a.py": "\n".join(old).encode(before)}).commit("Add")
    if is_indexed:
        add_and_sync("tool", origin.url)
    origin.write({"a.py": "\n".join(new).encode(after)}).commit("Convert")
    converted = origin.head
    if is_indexed:
        repository_sync(name="tool")
    else:
        origin.write({"a.py": "a = 1\n"}).commit("Begin anew")
        add_and_sync("tool", origin.url)
    lines = detail(converted).files[0].patch.splitlines()
    assert [line[1:] for line in lines if line.startswith("-#")] == old
    assert [line[1:] for line in lines if line.startswith("+#")] == new


@pytest.mark.usefixtures("heads")
@pytest.mark.parametrize(
    "commit", ["--output=/tmp/x", "HEAD^{/x}", "@{-1}", "main:a.py", "abc", "../x", "a\0b"]
)
def test_what_is_no_id_is_refused(commit):
    with pytest.raises(InvalidInput, match="neither the id of a commit nor") as refused:
        detail(commit)
    assert "Indexed refs of tool: main." in refused.value.hint


@pytest.mark.usefixtures("heads")
def test_an_unknown_commit_is_not_found():
    with pytest.raises(NotFound, match="no commit"):
        detail("0" * 40)
