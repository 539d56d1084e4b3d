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
from mcp_sidecar.contract.limits import MAX_RESULT_CHARACTERS
from mcp_sidecar.contract.project.search_docs import trail_text
from mcp_sidecar.contract.rendering.answer import Answer
from mcp_sidecar.contract.rendering.code import fenced
from mcp_sidecar.contract.rendering.freshness import Freshness, state
from mcp_sidecar.contract.text import link, path_span, span, word

NAME = "read_doc"
MAX_SECTION_CHARACTERS = 300
ROOM_FOR_SECTIONS = MAX_RESULT_CHARACTERS // 10


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
    text, shown = fenced(rows, most=answer.free, language=result.format)
    if shown < len(rows) or result.next_start_line is not None:
        text, shown = fenced(rows, most=answer.free - ROOM_FOR_SECTIONS, language=result.format)
    if text:
        answer.add(text)
    if shown == len(rows) and result.next_start_line is None:
        ending = f"Lines {result.start_line}-{result.end_line} of {result.total_lines}, whole."
        return Rendering(answer.text([ending]), shown)
    if result.sections:
        answer.add("Sections, for the argument section:")
        listed = answer.add_rows(_section(section) for section in result.sections)
        if left := len(result.sections) - listed:
            answer.add(f"and {left} more sections, not listed.")
    return Rendering(answer.text([_truncation(result, shown, len(rows))]), shown)


def _truncation(result: ReadDocResult, shown: int, total: int) -> str:
    """Return what of the text is shown and how to go on.

    The rows of a notebook are no lines of its file; where they were cut, only a section or the
    source can be asked for.
    """
    if shown == total:
        next_line = result.next_start_line or result.end_line + 1
    elif total == result.end_line - result.start_line + 1:
        next_line = result.start_line + shown
    else:
        return "truncated: go on with one section, or read the source with read_file of this path"
    return (
        f"truncated: lines {result.start_line}-{next_line - 1} of {result.total_lines} are shown. "
        f"Go on with one section, or with read_file of this path and start_line={next_line}"
    )


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
