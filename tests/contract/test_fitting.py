from dataclasses import replace

import pytest

from mcp_sidecar.contract.fitting import fitted
from mcp_sidecar.contract.project.list_files import CONTRACT, ListFilesResult
from tests.contract import samples
from web.core.paging import cursor_for, offset_of
from web.library.records.files import FileItem

FILTERS = {"pattern": "**"}


class Files:
    """A list of files that is paged as the selectors page theirs."""

    def __init__(self, count: int, length: int) -> None:
        self.items = [
            FileItem(f"{number:05}{'x' * length}", "file", 1, "", "") for number in range(count)
        ]
        self.calls: list[int] = []

    def page(self, cursor: str | None):
        async def fetch(limit: int) -> ListFilesResult:
            self.calls.append(limit)
            start = offset_of(cursor, filters=FILTERS)
            end = start + limit
            more = cursor_for(offset=end, filters=FILTERS) if end < len(self.items) else None
            return ListFilesResult.of(
                replace(
                    samples.FILES,
                    items=tuple(self.items[start:end]),
                    total_count=len(self.items),
                    next_cursor=more,
                )
            )

        return fetch


async def test_page_that_fits_is_fetched_once():
    files = Files(50, 20)
    result = await fitted(CONTRACT, files.page(None), 500)
    assert files.calls == [500]
    assert len(result.items) == 50


@pytest.mark.parametrize("length", [150, 900])
async def test_pages_that_do_not_fit_go_on_without_a_gap(length):
    files = Files(700, length)
    seen: list[str] = []
    cursor = None
    while True:
        result = await fitted(CONTRACT, files.page(cursor), 500)
        text = CONTRACT.render(result)
        assert CONTRACT.rendering(result).left_out == 0
        assert len(text) <= 40_000
        seen += [item.path for item in result.items]
        cursor = result.next_cursor
        if cursor is None:
            break
        assert f'cursor="{cursor}"' in text
    assert seen == [item.path for item in files.items]
