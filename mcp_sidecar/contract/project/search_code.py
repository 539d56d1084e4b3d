"""search_code: the best matching places in the code."""

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
from mcp_sidecar.contract.fields import Cursor, OptionalPath, OptionalWord, Query, Ref, row_limit
from mcp_sidecar.contract.limits import DEFAULT_SEARCH_LIMIT, MAX_SEARCH_LIMIT
from mcp_sidecar.contract.rendering.answer import MAX_SOURCE_CHARACTERS, Answer
from mcp_sidecar.contract.rendering.code import fenced, numbered
from mcp_sidecar.contract.rendering.freshness import Freshness, searched
from mcp_sidecar.contract.rendering.lists import (
    copies_line,
    count_line,
    filters_line,
    hint_lines,
    more_line,
)
from mcp_sidecar.contract.text import link, path_span, span

NAME = "search_code"
MAX_OTHER_LINES = 20


class SearchCodeArguments(Arguments):
    """What search_code takes."""

    query: Query = Field(
        description="Names, or a question in words; an exact text, such as an error message, in "
        "double quotes. Literal, no regular expression.",
        examples=["where is the CSRF token compared"],
    )
    path: OptionalPath = Field(
        None,
        description="Only below this folder, or files matching this glob.",
        examples=["src/**/*.py"],
    )
    language: OptionalWord = Field(
        None,
        description="Only this language, in lower case: python, typescript, cpp, csharp, html.",
        examples=["python"],
    )
    ref: Ref = None
    limit: int = row_limit(DEFAULT_SEARCH_LIMIT, MAX_SEARCH_LIMIT, noun="Results", example=5)
    cursor: Cursor = None


class CodePlace(Result):
    """A place in code; see the record of the same name."""

    repository: str
    ref: str
    commit: str
    path: str
    language: str
    start_line: int
    lines: tuple[str, ...]
    matched_lines: tuple[int, ...]
    definition: str
    kind: str
    url: str
    other_line_numbers: tuple[int, ...] = ()
    copies: int = 0


class SearchCodeResult(Page):
    """One page of places, best first."""

    places: tuple[CodePlace, ...]
    total_count: int
    total_is_exact: bool
    freshness: tuple[Freshness, ...]
    interpretation: str = ""
    hints: tuple[str, ...] = ()


def render(result: SearchCodeResult) -> Rendering:
    """Return the places as headings with numbered source."""
    names = [place.repository for place in result.places]
    answer = Answer(
        [
            *searched(result.freshness, names),
            filters_line(result.filters_applied),
            f"Read as: {span(result.interpretation)}" if result.interpretation else "",
        ]
    )
    shown = answer.add_all(
        _block(number, place, is_named=len(result.freshness) != 1)
        for number, place in enumerate(result.places, 1)
    )
    left_out = len(result.places) - shown
    closing = [
        count_line(result.total_count, shown, noun="files", is_exact=result.total_is_exact),
        more_line(
            NAME,
            cursor=result.next_cursor,
            shown=shown,
            left_out=left_out,
            is_exact=result.total_is_exact or not result.places,
        ),
        *hint_lines(result.hints),
    ]
    if not result.places:
        closing[0] = "Nothing found."
    return Rendering(answer.text(closing), shown, left_out)


def _block(number: int, place: CodePlace, *, is_named: bool) -> str:
    end_line = place.start_line + max(len(place.lines) - 1, 0)
    title = f"## {number}. {path_span(place.path)} lines {place.start_line}-{end_line}"
    if place.definition:
        title += f", {span(place.kind or 'definition', 40)} {span(place.definition)}"
    if is_named:
        title += f", in {span(place.repository)}"
    lines = [title]
    if place.url:
        lines.append(link(place.url))
    text, count = fenced(
        numbered(place.lines, place.start_line, place.matched_lines),
        most=MAX_SOURCE_CHARACTERS,
        language=place.language,
    )
    lines.append(text)
    if count < len(place.lines):
        lines.append(
            f"truncated: read_file with start_line={place.start_line + count} shows the rest."
        )
    if place.other_line_numbers:
        others = ", ".join(map(str, place.other_line_numbers[:MAX_OTHER_LINES]))
        more = len(place.other_line_numbers) - MAX_OTHER_LINES
        lines.append(f"Also in lines {others}{f' and {more} more' if more > 0 else ''}.")
    lines.append(copies_line(place.copies))
    return "\n".join(line for line in lines if line)


CONTRACT = ToolContract(
    name=NAME,
    title="Search code",
    description=Description(
        purpose="Find the best matching places in source code, with path, line numbers and the "
        "lines themselves, definitions first. Use it to find where something is done, by name, "
        "by phrase or by a question in plain words.",
        not_for="a definition whose name you know (find_symbol), prose documentation "
        "(search_docs), a file you can name (read_file), file names (list_files with pattern).",
        returns="Markdown: the indexed commit, then one place per file, such as "
        '"## 1. `django/middleware/csrf.py` lines 118-125, function `_does_token_match`" with a '
        "link and numbered lines (> marks a match); total_count; the cursor of the next page. "
        "When nothing matches, what to try.",
        errors=f"{FIX_REF} {RETRY}",
    ),
    arguments=SearchCodeArguments,
    result=SearchCodeResult,
    renderer=render,
    query_argument="query",
    uses_repository=True,
)
