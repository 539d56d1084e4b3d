"""R79: a file name finds its path, an identifier itself."""

from pathlib import Path

import pytest

from tests.gitrepos import GitRepository
from tests.library import add_and_sync
from web.accounts.principals import ANONYMOUS
from web.library.selectors.search import code_search, symbols_named

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_folder")]


@pytest.fixture
def _project(tmp_path: Path) -> None:
    files = {
        "src/app/views.py": "def index(request):\n    return request\n",
        "src/app/users.py": "def get_user_name(user):\n    return user.name\n",
        "src/app/other.py": "def get_user(name):\n    return name\n\ndef user_name_get(): ...\n",
        "src/app/talk.py": "# get the user and the name in views, py\nvalue = 1\n",
    }
    add_and_sync("project", GitRepository(tmp_path / "origin").write(files).commit().url)


@pytest.mark.usefixtures("_project")
def test_a_file_name_finds_its_path() -> None:
    for query in ("views.py", "app/views.py", "src/app/views.py", "./src/app/views.py"):
        result = code_search(principal=ANONYMOUS, query=query)
        assert result.places[0].path == "src/app/views.py", query


@pytest.mark.usefixtures("_project")
def test_an_identifier_finds_itself_exactly() -> None:
    place = code_search(principal=ANONYMOUS, query="get_user_name").places[0]
    assert (place.path, place.definition) == ("src/app/users.py", "get_user_name")
    assert symbols_named(principal=ANONYMOUS, name="get_user_name").symbols[0].line == 1
