"""search_posts: posts of the blog, by words or newest first."""

from datetime import datetime
from typing import Annotated

from pydantic import Field, StringConstraints

from mcp_sidecar.contract.base import (
    FIX,
    RETRY,
    Arguments,
    Description,
    Page,
    Rendering,
    Result,
    ToolContract,
)
from mcp_sidecar.contract.fields import Cursor, OptionalWord, row_limit
from mcp_sidecar.contract.instants import OptionalInstant
from mcp_sidecar.contract.limits import (
    DEFAULT_SEARCH_LIMIT,
    MAX_QUERY_CHARACTERS,
    MAX_SEARCH_LIMIT,
)
from mcp_sidecar.contract.project.search_docs import trail_text
from mcp_sidecar.contract.rendering.answer import MAX_SOURCE_CHARACTERS, Answer
from mcp_sidecar.contract.rendering.code import fenced
from mcp_sidecar.contract.rendering.freshness import instant
from mcp_sidecar.contract.rendering.lists import count_line, filters_line, hint_lines, more_line
from mcp_sidecar.contract.rendering.posts import (
    POST_CACHE_SECONDS,
    PostItem,
    StaleFeed,
    origin_line,
    stale_lines,
)
from mcp_sidecar.contract.text import span

NAME = "search_posts"


class SearchPostsArguments(Arguments):
    """What search_posts takes."""

    query: Annotated[
        str | None, StringConstraints(strip_whitespace=True, max_length=MAX_QUERY_CHARACTERS)
    ] = Field(
        None,
        description="Question or words; an exact text in double quotes; without it the newest.",
        examples=["what changed in the latest release"],
    )
    tag: OptionalWord = Field(None, description="Only posts with this tag.", examples=["release"])
    since: OptionalInstant = Field(
        None,
        description="Only posts of this date or later, ISO 8601; a time without offset is UTC.",
        examples=["2026-11-02"],
    )
    limit: int = row_limit(DEFAULT_SEARCH_LIMIT, MAX_SEARCH_LIMIT, noun="Posts", example=5)
    cursor: Cursor = None


class PostPlace(Result):
    """A post with its best section; see the record of the same name."""

    post: PostItem
    heading: str
    trail: tuple[str, ...]
    anchor: str
    start_line: int
    end_line: int
    excerpt: str


class SearchPostsResult(Page):
    """One page of posts, best first."""

    places: tuple[PostPlace, ...]
    total_count: int
    total_is_exact: bool
    searched_count: int
    newest_at: datetime | None
    stale_feeds: tuple[StaleFeed, ...] = ()
    interpretation: str = ""
    hints: tuple[str, ...] = ()


def render(result: SearchPostsResult) -> Rendering:
    """Return the posts as headings with an excerpt."""
    newest = f", the newest of {instant(result.newest_at)}" if result.newest_at else ""
    noun = "post" if result.searched_count == 1 else "posts"
    answer = Answer(
        [
            f"Searched {result.searched_count} {noun} of the blog{newest}.",
            *stale_lines(result.stale_feeds),
            filters_line(result.filters_applied),
            f"Read as: {span(result.interpretation)}" if result.interpretation else "",
        ]
    )
    shown = answer.add_all(_block(number, place) for number, place in enumerate(result.places, 1))
    left_out = len(result.places) - shown
    closing = [
        count_line(result.total_count, shown, noun="posts", is_exact=result.total_is_exact),
        more_line(
            NAME,
            cursor=result.next_cursor,
            shown=shown,
            left_out=left_out,
            is_exact=result.total_is_exact,
        ),
        "read_post with slug shows a post whole; with start_line from that section on.",
        *hint_lines(result.hints),
    ]
    if not result.places:
        closing = ["Nothing found.", *hint_lines(result.hints)]
    return Rendering(answer.text(closing), shown, left_out)


def _block(number: int, place: PostPlace) -> str:
    where = f"slug={span(place.post.slug, 120)}"
    if place.heading:
        where += f", start_line={place.start_line}"
    excerpt = (place.excerpt or place.post.summary).strip("\n")
    rows = excerpt.split("\n") if excerpt else []
    text, count = fenced(rows, most=MAX_SOURCE_CHARACTERS, language="markdown")
    lines = [
        f"## {number}. {trail_text(place.post.title, place.trail, place.heading)}",
        where,
        origin_line(place.post),
        text,
    ]
    if count < len(rows):
        lines.append("truncated: read_post shows the whole section.")
    return "\n".join(line for line in lines if line)


CONTRACT = ToolContract(
    name=NAME,
    title="Search posts",
    description=Description(
        purpose="Find posts of the blog, best first, with an excerpt of the section that fits; "
        "without a query the newest ones. Use it for announcements, news and background that "
        "people wrote about.",
        not_for="documentation (search_docs), what changed in code (list_commits), a post you "
        "can name (read_post).",
        returns='Markdown: how many posts were searched, then per post such as "## 1. `Release '
        '5.2` > `Upgrading`" with slug=`release-5-2` for read_post, its date, author, tags, link '
        "and an excerpt; total_count; the cursor of the next page. When nothing matches, what to "
        "try.",
        errors=f"{FIX} {RETRY}",
    ),
    arguments=SearchPostsArguments,
    result=SearchPostsResult,
    renderer=render,
    query_argument="query",
    project_wide=True,
    cache_seconds=POST_CACHE_SECONDS,
)
