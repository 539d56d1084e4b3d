"""read_post: one post of the blog."""

from pydantic import Field

from mcp_sidecar.contract.base import (
    FIX,
    RETRY,
    Arguments,
    Description,
    Rendering,
    Result,
    ToolContract,
)
from mcp_sidecar.contract.fields import MAX_LINE_NUMBER
from mcp_sidecar.contract.project.read_doc import ROOM_FOR_SECTIONS, SectionItem
from mcp_sidecar.contract.rendering.answer import Answer
from mcp_sidecar.contract.rendering.code import fenced
from mcp_sidecar.contract.rendering.posts import (
    POST_CACHE_SECONDS,
    PostItem,
    StaleFeed,
    origin_line,
    stale_lines,
)
from mcp_sidecar.contract.text import span

NAME = "read_post"
MAX_SLUG_CHARACTERS = 2000  # of an address, in which a letter can take twelve


class ReadPostArguments(Arguments):
    """What read_post takes."""

    slug: str = Field(
        min_length=1,
        max_length=MAX_SLUG_CHARACTERS,
        description="Slug of the post, from search_posts, or the address of its page.",
        examples=["release-5-2"],
    )
    start_line: int | None = Field(
        None,
        ge=1,
        le=MAX_LINE_NUMBER,
        description="First line to show, to go on in a long post.",
        examples=[120],
    )


class ReadPostResult(Result):
    """A post from a line on; see the record PostText."""

    post: PostItem
    text: str
    start_line: int
    end_line: int
    total_lines: int
    sections: tuple[SectionItem, ...]
    next_start_line: int | None
    stale_feed: StaleFeed | None = None


def render(result: ReadPostResult) -> Rendering:
    """Return the text in a fence; where it is not whole, its sections and how to go on."""
    answer = Answer(
        [
            f"Read the post {span(result.post.slug, 120)}: {span(result.post.title)}",
            origin_line(result.post),
            f"Summary: {span(result.post.summary)}" if _has_own_summary(result) else "",
            *stale_lines([result.stale_feed] if result.stale_feed else []),
        ]
    )
    rows = result.text.removesuffix("\n").split("\n") if result.text else []
    text, shown = fenced(rows, most=answer.free, language="markdown")
    is_whole = shown == len(rows) and result.next_start_line is None
    if not is_whole:
        text, shown = fenced(rows, most=answer.free - ROOM_FOR_SECTIONS, language="markdown")
    if text:
        answer.add(text)
    if is_whole:
        last = f"Lines {result.start_line}-{result.end_line} of {result.total_lines}"
        ending = f"{last}, whole." if result.start_line == 1 else f"{last}, to the end."
        return Rendering(answer.text([ending]), shown)
    if result.sections:
        answer.add("Sections, for the argument start_line:")
        listed = answer.add_rows(_section(section) for section in result.sections)
        if left := len(result.sections) - listed:
            answer.add(f"and {left} more sections, not listed.")
    next_line = result.start_line + shown if shown < len(rows) else result.next_start_line
    return Rendering(
        answer.text(
            [
                f"truncated: lines {result.start_line}-{(next_line or 1) - 1} of "
                f"{result.total_lines} are shown. Go on with read_post of this slug and "
                f"start_line={next_line}"
            ]
        ),
        shown,
    )


def _has_own_summary(result: ReadPostResult) -> bool:
    """Say whether the summary tells more than the beginning of the text, which it often is."""
    summary = result.post.summary.removesuffix(" …")
    return result.start_line == 1 and summary not in " ".join(result.text.split())


def _section(section: SectionItem) -> str:
    indent = "  " * min(max(section.level - 1, 0), 5)
    return f"{indent}- {span(section.heading, 200)}, lines {section.start_line}-{section.end_line}"


CONTRACT = ToolContract(
    name=NAME,
    title="Read a post",
    description=Description(
        purpose="Read one post of the blog as Markdown. Use it when you know its slug, from "
        "search_posts.",
        not_for="finding a post (search_posts), documentation (read_doc).",
        returns='Markdown: title, date, author, tags, a link such as "<https://hub.example/blog/'
        'release-5-2/>", and the text. A post that is too long ends with the list of its sections '
        "and the line to go on with.",
        errors=f"not_found: no such post; take a slug it names, or use search_posts. {FIX} {RETRY}",
    ),
    arguments=ReadPostArguments,
    result=ReadPostResult,
    renderer=render,
    project_wide=True,
    cache_seconds=POST_CACHE_SECONDS,
)
