"""read_doc: one page of the documentation, or one section of it."""

from pydantic import Field

from mcp_sidecar.contract.base import (
    FIX_REF,
    RETRY,
    Arguments,
    Description,
    Rendering,
    Result,
    ToolContract,
)
from mcp_sidecar.contract.fields import Ref, RequiredPath
from mcp_sidecar.contract.project.search_docs import trail_text
from mcp_sidecar.contract.rendering.answer import Answer
from mcp_sidecar.contract.rendering.code import fenced
from mcp_sidecar.contract.rendering.freshness import Freshness, state
from mcp_sidecar.contract.text import link, path_span, span, word

NAME = "read_doc"
MAX_SECTION_CHARACTERS = 300


class ReadDocArguments(Arguments):
    """What read_doc takes."""

    path: RequiredPath = Field(
        description="Path of the page, from search_docs or list_docs.",
        examples=["docs/howto/logging.txt"],
    )
    section: str | None = Field(
        None,
        max_length=MAX_SECTION_CHARACTERS,
        description="Only this section with its subsections: its anchor or its heading.",
        examples=["configure-a-logger"],
    )
    ref: Ref = None


class SectionItem(Result):
    """A section in a page's table of contents; see the record of the same name."""

    heading: str
    anchor: str
    level: int
    start_line: int
    end_line: int


class ReadDocResult(Result):
    """A document or a section of it; see the record DocumentText."""

    path: str
    title: str
    format: str
    trail: tuple[str, ...]
    heading: str
    anchor: str
    start_line: int
    end_line: int
    total_lines: int
    text: str
    sections: tuple[SectionItem, ...]
    next_start_line: int | None
    url: str
    freshness: Freshness


def render(result: ReadDocResult) -> Rendering:
    """Return the text in a fence; where it is not whole, its sections and how to go on."""
    title = trail_text(result.title, result.trail, result.heading)
    where = f"{path_span(result.path)}, {word(result.format)}"
    answer = Answer(
        [
            f"Read from {state(result.freshness)}",
            f"{where} {link(result.url)}" if result.url else where,
            f"Page: {title}" if title else "",
        ]
    )
    rows = result.text.removesuffix("\n").split("\n") if result.text else []
    room = answer.free * 3 // 4 if result.sections else answer.free
    text, shown = fenced(rows, most=room, language=result.format)
    if text:
        answer.add(text)
    next_line = _next_line(result, shown, len(rows))
    if next_line is None:
        ending = f"Lines {result.start_line}-{result.end_line} of {result.total_lines}, whole."
        return Rendering(answer.text([ending]), shown)
    if result.sections:
        answer.add("Sections, for the argument section:")
        listed = answer.add_rows(_section(section) for section in result.sections)
        left = len(result.sections) - listed
        if left:
            answer.add(f"and {left} more sections, not listed.")
    ending = (
        f"truncated: lines {result.start_line}-{next_line - 1} of {result.total_lines} are shown. "
        f"Go on with one section, or with read_file of this path and start_line={next_line}"
    )
    return Rendering(answer.text([ending]), shown)


def _next_line(result: ReadDocResult, shown: int, total: int) -> int | None:
    """Return the line of the file to go on with; None when all of the text is shown."""
    if shown < total:
        return result.start_line + shown
    return result.next_start_line


def _section(section: SectionItem) -> str:
    indent = "  " * min(max(section.level - 1, 0), 5)
    return (
        f"{indent}- {span(section.anchor or section.heading, 200)} {span(section.heading, 200)}, "
        f"lines {section.start_line}-{section.end_line}"
    )


CONTRACT = ToolContract(
    name=NAME,
    title="Read documentation",
    description=Description(
        purpose="Read one documentation page, or one section of it with its subsections. Use it "
        "when you know the path, from search_docs or list_docs.",
        not_for="finding a page (search_docs), source code or numbered lines (read_file).",
        returns="Markdown: the indexed commit, the trail of headings, a link and the text as it "
        "stands in the repository. A text that is too long ends with the list of its sections, "
        'such as "- `testing` `Testing`, lines 40-88", and the line to go on with.',
        errors="not_found: no such page or section; take one it names, or use search_docs. "
        f"{FIX_REF} {RETRY}",
    ),
    arguments=ReadDocArguments,
    result=ReadDocResult,
    renderer=render,
    uses_repository=True,
    requires_repository=True,
)
