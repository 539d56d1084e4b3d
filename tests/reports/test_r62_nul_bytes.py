"""R62: NUL in files and commit messages is taken out; in a query it is refused, never a failure."""

from pathlib import Path

import pytest

from tests.gitrepos import GitRepository
from tests.library import add_and_sync, entries
from web.accounts.principals import ANONYMOUS
from web.core.errors import InvalidInput, NotFound
from web.library.models import Chunk, SymbolName
from web.library.selectors.documents import document_text
from web.library.selectors.files import file_lines, files_listed
from web.library.selectors.history import commits_listed
from web.library.selectors.search import code_search, documents_search, symbols_named

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_folder")]


@pytest.fixture
def project(tmp_path: Path) -> str:
    origin = GitRepository(tmp_path / "origin")
    origin.write(
        {
            "a.py": b"def pl\0anted():\n    return 'a\0b'\n\n\nLAST\0 = 1\n",
            "docs/page.md": b"# Head\0ing\n\nThe quaggamuffin\0 grazes here.\n",
        }
    ).commit()
    tree = origin.git("rev-parse", "HEAD^{tree}").decode().strip()
    person = "Ada Test <ada@example.org> 1700009999 +0000"
    raw = f"tree {tree}\nparent {origin.head}\nauthor {person}\ncommitter {person}\n\nhea\0d\n"
    commit = origin.git(
        "hash-object", "-t", "commit", "-w", "--stdin", "--literally", stdin=raw.encode()
    )
    origin.git("update-ref", "refs/heads/main", commit.decode().strip())
    add_and_sync("project", origin.url)
    return "project"


def test_a_file_with_nul_is_indexed_and_read_without_it(project: str) -> None:
    assert all(entry.content for entry in entries(project).values())
    read = file_lines(principal=ANONYMOUS, repository=project, path="a.py")
    assert read.lines == ("def planted():", "    return 'ab'", "", "", "LAST = 1")
    found = symbols_named(principal=ANONYMOUS, name="planted").symbols
    assert [(place.line, place.signature) for place in found] == [(1, "def planted():")]
    places = documents_search(principal=ANONYMOUS, query="quaggamuffin").sections
    assert [place.heading for place in places] == ["Heading"]
    assert (
        "\0" not in document_text(principal=ANONYMOUS, repository=project, path="docs/page.md").text
    )
    for stored in (*Chunk.objects.values_list("heading"), *SymbolName.objects.values_list("name")):
        assert "\0" not in stored[0]


def test_a_commit_message_with_nul_is_listed(project: str) -> None:
    newest = commits_listed(principal=ANONYMOUS, repository=project).commits[0]
    assert newest.subject
    assert "\0" not in newest.subject


@pytest.mark.parametrize("search", [code_search, documents_search])
def test_a_query_with_nul_is_refused_by_name(project: str, search) -> None:
    with pytest.raises(InvalidInput) as refused:
        search(principal=ANONYMOUS, query="a\0b")
    assert "query" in refused.value.fields


def test_nul_in_any_other_argument_is_no_failure(project: str) -> None:
    with pytest.raises(NotFound):
        files_listed(principal=ANONYMOUS, repository=project, path="a\0b")
    with pytest.raises(NotFound):
        file_lines(principal=ANONYMOUS, repository=project, path="a.py\0")
    with pytest.raises(NotFound):
        document_text(
            principal=ANONYMOUS, repository=project, path="docs/page.md", section="Head\0x"
        )
    with pytest.raises(NotFound):
        file_lines(principal=ANONYMOUS, repository="pro\0ject", path="a.py")
    with pytest.raises(InvalidInput):
        file_lines(principal=ANONYMOUS, repository=project, path="a.py", ref="main\0")
    with pytest.raises(InvalidInput):
        symbols_named(principal=ANONYMOUS, name="pl\0anted")
