"""R60: results over what a client takes; and what is left out has to be reachable without a gap."""

import re
from pathlib import Path
from typing import Any

import pytest

from mcp_sidecar import bridge
from tests.gitrepos import GitRepository
from tests.library import add_and_sync
from tests.mcp_sidecar.tools.calls import text
from web.library.services.repositories import RepositoryFields, repository_add

MOST = 40_000


@pytest.fixture
def _catalogue(settings: Any, transactional_db: None, tmp_path: Path):
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    settings.ALLOW_LOCAL_REPOSITORIES = True
    yield
    bridge.close()


@pytest.fixture
def _large(_catalogue: None, tmp_path: Path) -> None:
    origin = GitRepository(tmp_path / "large")
    lines = "".join(f"needle_{number} = 'needle {'x' * 400}'\n" for number in range(50))
    origin.write(
        {f"{'folder' * 20}/{'x' * 60}{n:03}.py": f"part = {n}\n{lines}" for n in range(600)}
    )
    origin.write({"large.txt": "".join(f"row {n} {'y' * 490}\n" for n in range(900))})
    pages = {f"docs/{'page' * 30}{n:03}.md": f"# Page {n} {'z' * 150}\n" for n in range(300)}
    origin.write(pages).commit("First")
    add_and_sync("large", origin.url)


@pytest.fixture
def _many(_catalogue: None) -> None:
    fields = RepositoryFields(description="word " * 90, title="title " * 20)
    for number in range(500):
        repository_add(name=f"p{number:03}", url="https://example.org/p.git", fields=fields)


async def pages_of(tool: str, arguments: dict[str, Any]) -> list[str]:
    """Return all pages of a list, following its cursors."""
    pages: list[str] = []
    cursor = None
    while not pages or cursor:
        answer = await text(tool, arguments | ({"cursor": cursor} if cursor else {}))
        assert len(answer) <= MOST
        assert ("truncated" in answer) == bool(re.search('cursor="', answer))
        pages.append(answer)
        further = re.search(r'cursor="([^"]+)"', answer)
        cursor = further[1] if further else None
    return pages


@pytest.mark.usefixtures("_many")
async def test_five_hundred_repositories_are_all_reached():
    pages = await pages_of("list_repositories", {})
    names = [name for page in pages for name in re.findall(r"^- `(p\d+)`", page, re.MULTILINE)]
    assert names == [f"p{number:03}" for number in range(500)]
    assert len(pages) > 1


@pytest.mark.usefixtures("_large")
@pytest.mark.parametrize("limit", [None, 500])
async def test_all_files_of_a_large_folder_are_reached(limit):
    pages = await pages_of("list_files", {"repository": "large", "pattern": "*.py", "limit": limit})
    numbers = [n for page in pages for n in re.findall(r"^- `.*x(\d{3})\.py`", page, re.MULTILINE)]
    assert numbers == [f"{number:03}" for number in range(600)]


@pytest.mark.usefixtures("_large")
async def test_all_pages_of_the_documentation_are_reached():
    pages = await pages_of("list_docs", {"repository": "large", "path": "docs", "limit": 500})
    numbers = [
        n for page in pages for n in re.findall(r"^- `.*page(\d{3})\.md`", page, re.MULTILINE)
    ]
    assert numbers == [f"{number:03}" for number in range(300)]


@pytest.mark.usefixtures("_large")
async def test_search_over_many_long_lines_stays_in_bounds_and_goes_on():
    arguments = {"query": "needle", "repository": "large", "limit": 20}
    first = await text("search_code", arguments)
    cursor = re.search(r'cursor="([^"]+)"', first)
    assert cursor
    second = await text("search_code", arguments | {"cursor": cursor[1]})
    paths = [re.findall(r"^## \d+\. `(.+?)`", answer, re.MULTILINE) for answer in (first, second)]
    assert max(len(first), len(second)) <= MOST
    assert paths[0]
    assert not set(paths[0]) & set(paths[1])


@pytest.mark.usefixtures("_large")
async def test_large_file_is_read_to_its_end_without_a_gap():
    seen: list[int] = []
    start: int | None = 1
    while start is not None:
        sent = {"repository": "large", "path": "large.txt", "start_line": start}
        answer = await text("read_file", sent)
        assert len(answer) <= MOST
        seen += map(int, re.findall(r"^ *(\d+) \| row ", answer, re.MULTILINE))
        further = re.search(r"start_line=(\d+)", answer)
        start = int(further[1]) if further else None
    assert seen == list(range(1, 901))
