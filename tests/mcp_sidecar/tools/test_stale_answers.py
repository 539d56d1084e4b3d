"""A repository that cannot be synced: every answer about it says so, also one that was kept."""

import pytest
from asgiref.sync import sync_to_async

from tests.gitrepos import GitRepository
from tests.mcp_sidecar.tools.calls import text
from web.core.errors import Unavailable
from web.library.services.sync import repository_sync

STALE = "There is no repository at this address any more, or it may not be read."
HINT = "Check the address of the repository."
CALLS = [
    ("list_repositories", {}),
    ("get_repository", {"repository": "harbour"}),
    ("search_code", {"query": "compare_tokens"}),
    ("search_code", {"query": "compare_tokens", "repository": "harbour"}),
    ("find_symbol", {"name": "compare_tokens", "repository": "harbour"}),
    ("grep_code", {"pattern": "needle", "repository": "harbour"}),
    ("list_files", {"repository": "harbour"}),
    ("read_file", {"path": "README.md", "repository": "harbour"}),
    ("search_docs", {"query": "sails", "repository": "harbour"}),
    ("list_docs", {"repository": "harbour"}),
    ("read_doc", {"path": "docs/guide.md", "repository": "harbour"}),
    ("list_commits", {"repository": "harbour"}),
]


@sync_to_async
def _sync() -> None:
    repository_sync(name="harbour")


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
async def test_answer_that_was_kept_hides_no_failed_sync(
    tool: str, arguments: dict[str, str], harbour: GitRepository
) -> None:
    for _kept in range(2):
        assert "STALE" not in await text(tool, arguments)
    away = harbour.path.rename(harbour.path.with_name("away"))
    with pytest.raises(Unavailable, match=HINT):
        await _sync()
    for _kept in range(2):
        answer = await text(tool, arguments)
        assert STALE in answer
        assert HINT not in answer  # for who runs the server, not for who asks
        assert "stale since" in answer.lower()
    away.rename(harbour.path)
    await _sync()
    assert "STALE" not in await text(tool, arguments)
