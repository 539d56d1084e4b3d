"""search_posts and read_post over a real blog."""

import re

import pytest

from mcp_sidecar.auth import NOBODY
from mcp_sidecar.contract.limits import MAX_RESULT_CHARACTERS
from mcp_sidecar.contract.rendering.answer import UNTRUSTED
from mcp_sidecar.errors import ProtocolError
from mcp_sidecar.servers.exchange import Exchange
from mcp_sidecar.servers.pipeline import call_tool
from mcp_sidecar.servers.project import PROJECT
from tests.mcp_sidecar.tools.calls import error, text
from web.library.services.posts import PostFields, post_save

pytestmark = pytest.mark.usefixtures("harbour")


async def test_search_posts_finds_a_section_and_read_post_reads_on_from_it():
    found = await text("search_posts", {"query": "hoist the jib"})
    searched = r"Searched 1 post of the blog, the newest of .+ UTC \((just now|1 minute ago)\)\."
    assert re.match(searched, found)
    assert "## 1. `A trip` > `Sailing guide` > `Leaving the harbour`" in found
    start = re.search(r"slug=`a-trip`, start_line=(\d+)", found)
    assert start
    assert found.count(UNTRUSTED) == 1

    answer = await text("read_post", {"slug": "a-trip", "start_line": start[1]})
    assert "Loosen the mooring lines" in answer
    assert "Read this before" not in answer
    assert "to the end." in answer


async def test_search_posts_without_a_query_shows_the_newest():
    assert "## 1. `A trip`" in await text("search_posts")
    assert "Nothing found." in await text("search_posts", {"since": "2999-01-01"})
    assert "Tags: sea" in await text("search_posts", {"tag": "see"})


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"since": "yesterday"}, "since: "),
        ({"query": "a\0b"}, "NUL"),
        ({"tag": "a\0b"}, "NUL"),
        ({"limit": 21}, "limit: Input should be less than or equal to 20"),
        ({"tags": "sea"}, "tag"),
    ],
)
async def test_search_posts_says_what_is_wrong(arguments, said):
    assert said in await error("search_posts", arguments)


async def test_read_post_of_an_unknown_slug_says_where_to_look():
    answer = await error("read_post", {"slug": "a-tripp"})
    assert "Near: a-trip." in answer
    assert answer.endswith("(code: not_found)")


async def test_a_long_post_is_read_to_its_end_without_a_gap():
    from mcp_sidecar import bridge

    body = "".join(f"Line {number} {'x' * 100}\n" for number in range(1_500))
    fields = PostFields("Log", body, slug="log", status="published")
    await bridge.call(post_save, fields=fields)
    seen: list[int] = []
    start: int | None = 1
    while start is not None:
        answer = await text("read_post", {"slug": "log", "start_line": start})
        assert len(answer) <= MAX_RESULT_CHARACTERS
        seen += map(int, re.findall(r"^Line (\d+) ", answer, re.MULTILINE))
        further = re.search(r"start_line=(\d+)", answer)
        start = int(further[1]) if further else None
    assert seen == list(range(1_500))


@pytest.mark.parametrize("tool", ["search_posts", "read_post"])
async def test_posts_are_not_offered_on_the_endpoint_of_one_repository(tool):
    exchange = Exchange(PROJECT, repository="harbour", caller=NOBODY)

    with pytest.raises(ProtocolError, match=tool):
        await call_tool(exchange, tool, {"slug": "a-trip"} if tool == "read_post" else {})
