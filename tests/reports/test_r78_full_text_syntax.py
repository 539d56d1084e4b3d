"""R78: what a full-text engine takes as syntax is ordinary text in a query."""

from pathlib import Path

import pytest

from tests.gitrepos import GitRepository
from tests.library import add_and_sync
from web.accounts.principals import ANONYMOUS
from web.core.errors import InvalidInput
from web.core.limits import LIMITS
from web.library.selectors.search import code_search, documents_search, symbols_named

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_folder")]

PLANTED = {
    "POL-358": "policy",
    "multi-agent": "agents",
    "don't": "apostrophe",
    "grammar::fa": "grammar",
    "38.101": "standard",
}
HOSTILE = [
    *PLANTED,
    *('a"b', '"', '""', '"a', "(", ")", "(a", "*", "a*", "^a", "AND", "OR", "NOT", "foo AND"),
    *("NEAR(a b)", "NEAR(a b, 2", "-x", "+x", "C++", "C#", "user:", "body:x", "home : h1"),
    *("{a b} : c", "%", "_", "\\", "a\\", "'", "';--", "🙂", "a 🙂 b", "\u202eabc", "a\tb\nc"),
    *(":", "a:b:c", "[", "$", "&&", "||", "!x", "é" * 100, "検索", "\ud800", "a " * 250),
    "x" * LIMITS.max_query_characters,
]


def refused_fields(search, **arguments):
    """Return the arguments that a search refuses, none when it answers."""
    try:
        search(principal=ANONYMOUS, **arguments)
    except InvalidInput as error:
        return set(error.fields)
    return set()


@pytest.fixture
def _planted(tmp_path: Path) -> None:
    files = {}
    for query, name in PLANTED.items():
        files[f"docs/{name}.md"] = f"# About {name}\n\nIt says {query} here.\n"
        files[f"src/{name}.py"] = f"# it says {query} here\nvalue = 1\n"
    for number in range(20):
        files[f"docs/filler{number}.md"] = f"# Filler {number}\n\nNothing of note.\n"
        files[f"src/filler{number}.py"] = f"# nothing of note\nnumber = {number}\n"
    add_and_sync("project", GitRepository(tmp_path / "origin").write(files).commit().url)


@pytest.mark.usefixtures("_planted")
class TestLiteralQueries:
    @pytest.mark.parametrize(("query", "name"), PLANTED.items())
    def test_each_planted_text_is_found(self, query, name):
        code = code_search(principal=ANONYMOUS, query=query)
        assert code.places[0].path == f"src/{name}.py"
        documents = documents_search(principal=ANONYMOUS, query=query)
        assert documents.sections[0].path == f"docs/{name}.md"

    @pytest.mark.parametrize("search", [code_search, documents_search])
    def test_every_query_is_answered_or_refused_with_its_argument(self, search):
        refused = {query: refused_fields(search, query=query) for query in HOSTILE}
        assert {query: fields for query, fields in refused.items() if fields - {"query"}} == {}

    def test_every_name_is_answered_or_refused_with_its_argument(self):
        refused = {name: refused_fields(symbols_named, name=name) for name in HOSTILE}
        assert {name: fields for name, fields in refused.items() if fields - {"name"}} == {}

    def test_a_query_that_is_too_long_is_told_the_bound(self):
        with pytest.raises(InvalidInput, match=str(LIMITS.max_query_characters)) as caught:
            code_search(principal=ANONYMOUS, query="a" * 2000)
        assert "query" in caught.value.fields

    def test_a_nul_is_refused_with_its_argument(self):
        with pytest.raises(InvalidInput, match="NUL") as caught:
            documents_search(principal=ANONYMOUS, query="a\0b")
        assert "query" in caught.value.fields

    @pytest.mark.parametrize(
        "path", ["a\0b", "[", "{", "{{a,b}", "**", "***", "../..", "/", "x" * 9000]
    )
    def test_a_hostile_path_is_answered_or_refused(self, path):
        assert refused_fields(code_search, query="says", path=path) <= {"path"}
