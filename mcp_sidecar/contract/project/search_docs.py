"""search_docs: sections of the documentation."""

from pydantic import Field

from mcp_sidecar.contract.base import (
    FIX_REF,
    RETRY,
    Arguments,
    Description,
    Page,
    Rendering,
    Result,
    ToolContract,
)
from mcp_sidecar.contract.fields import Cursor, Query, Ref, row_limit
from mcp_sidecar.contract.limits import DEFAULT_SEARCH_LIMIT, MAX_SEARCH_LIMIT
from mcp_sidecar.contract.rendering.answer import MAX_SOURCE_CHARACTERS, Answer
from mcp_sidecar.contract.rendering.code import fenced
from mcp_sidecar.contract.rendering.freshness import Freshness, searched
from mcp_sidecar.contract.rendering.lists import (
    copies_line,
    count_line,
    filters_line,
    hint_lines,
    more_line,
)
from mcp_sidecar.contract.text import link, path_span, span

NAME = "search_docs"
MAX_TRAIL = 6


class SearchDocsArguments(Arguments):
    """What search_docs takes."""

    query: Query = Field(
        description="Question or words; an exact text in double quotes.",
        examples=["how to add a custom management command"],
    )
    ref: Ref = None
    limit: int = row_limit(DEFAULT_SEARCH_LIMIT, MAX_SEARCH_LIMIT, noun="Results", example=5)
    cursor: Cursor = None


class SectionPlace(Result):
    """A section of a document; see the record of the same name."""

    repository: str
    ref: str
    commit: str
    path: str
    title: str
    trail: tuple[str, ...]
    heading: str
    anchor: str
    start_line: int
    end_line: int
    excerpt: str
    url: str
    copies: int = 0


class SearchDocsResult(Page):
    """One page of sections, best first."""

    sections: tuple[SectionPlace, ...]
    total_count: int
    total_is_exact: bool
    freshness: tuple[Freshness, ...]
    interpretation: str = ""
    hints: tuple[str, ...] = ()


def render(result: SearchDocsResult) -> Rendering:
    """Return the sections as headings with an excerpt."""
    names = [section.repository for section in result.sections]
    answer = Answer(
        [
            *searched(result.freshness, names),
            filters_line(result.filters_applied),
            f"Read as: {span(result.interpretation)}" if result.interpretation else "",
        ]
    )
    shown = answer.add_all(
        _block(number, section, is_named=len(result.freshness) != 1)
        for number, section in enumerate(result.sections, 1)
    )
    left_out = len(result.sections) - shown
    closing = [
        count_line(result.total_count, shown, noun="pages", is_exact=result.total_is_exact),
        more_line(
            NAME,
            cursor=result.next_cursor,
            shown=shown,
            left_out=left_out,
            is_exact=result.total_is_exact,
        ),
        "read_doc with path and section shows a section whole.",
        *hint_lines(result.hints),
    ]
    if not result.sections:
        closing = ["Nothing found.", *hint_lines(result.hints)]
    return Rendering(answer.text(closing), shown, left_out)


def trail_text(title: str, trail: tuple[str, ...], heading: str) -> str:
    """Return title, headings above and heading as spans, outermost first, none twice in a row."""
    names: list[str] = []
    for name in (title, *trail[:MAX_TRAIL], heading):
        if name and name not in names[-1:]:
            names.append(name)
    return " > ".join(span(name, 200) for name in names)


def _block(number: int, section: SectionPlace, *, is_named: bool) -> str:
    where = f"{path_span(section.path)} lines {section.start_line}-{section.end_line}"
    if section.anchor:
        where += f", section={span(section.anchor, 200)}"
    if is_named:
        where += f", in {span(section.repository)}"
    if section.url:
        where += f", {link(section.url)}"
    rows = section.excerpt.strip("\n").split("\n")
    excerpt, count = fenced(rows, most=MAX_SOURCE_CHARACTERS)
    lines = [f"## {number}. {trail_text(section.title, section.trail, section.heading)}", where]
    lines.append(excerpt)
    if count < len(rows):
        lines.append("truncated: read_doc shows the whole section.")
    lines.append(copies_line(section.copies))
    return "\n".join(line for line in lines if line)


CONTRACT = ToolContract(
    name=NAME,
    title="Search documentation",
    description=Description(
        purpose="Find the sections of the documentation that answer a question, with their trail "
        "of headings, an excerpt and a link. Use it for how-to, concepts, options and release "
        "notes.",
        not_for="source code (search_code), a page you can name (read_doc), all pages of a "
        "repository (list_docs).",
        returns="Markdown: the indexed commit, then one section per page, such as "
        '"## 1. `Custom management commands` > `Testing`" with `docs/howto/commands.txt`, its '
        "section for read_doc and an excerpt; total_count; the cursor of the next page. When "
        "nothing matches, what to try.",
        errors=f"{FIX_REF} {RETRY}",
    ),
    arguments=SearchDocsArguments,
    result=SearchDocsResult,
    renderer=render,
    query_argument="query",
    uses_repository=True,
)
