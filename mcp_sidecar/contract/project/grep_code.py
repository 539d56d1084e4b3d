"""grep_code: every line of a repository that matches a regular expression."""

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
from mcp_sidecar.contract.fields import Cursor, OptionalPath, Ref, row_limit
from mcp_sidecar.contract.limits import (
    DEFAULT_SEARCH_LIMIT,
    MAX_QUERY_CHARACTERS,
    MAX_SEARCH_LIMIT,
)
from mcp_sidecar.contract.rendering.answer import MAX_SOURCE_CHARACTERS, Answer
from mcp_sidecar.contract.rendering.code import fenced
from mcp_sidecar.contract.rendering.freshness import Freshness, state, what_to_try
from mcp_sidecar.contract.rendering.lists import filters_line, hint_lines, more_line
from mcp_sidecar.contract.text import link, path_span

NAME = "grep_code"


class GrepCodeArguments(Arguments):
    """What grep_code takes."""

    pattern: str = Field(
        min_length=1,
        max_length=MAX_QUERY_CHARACTERS,
        description="Regular expression in the syntax of RE2 (no look-around, no "
        "back-references), tried on each line.",
        examples=["def \\w+_or_404\\("],
    )
    path: OptionalPath = Field(
        None,
        description="Only this file, below this folder, or files matching this glob.",
        examples=["src/**/*.py"],
    )
    ignore_case: bool = Field(
        False, description="Whether capital and small letters are the same.", examples=[True]
    )
    ref: Ref = None
    limit: int = row_limit(DEFAULT_SEARCH_LIMIT, MAX_SEARCH_LIMIT, noun="Files", example=5)
    cursor: Cursor = None


class MatchingFile(Result):
    """A file with matching lines; see the record of the same name."""

    path: str
    language: str
    lines: tuple[tuple[int, str], ...]
    line_count: int
    url: str


class GrepCodeResult(Page):
    """One page of files, by path."""

    files: tuple[MatchingFile, ...]
    searched_count: int
    file_count: int
    skipped_count: int
    unreadable_count: int
    freshness: Freshness
    hints: tuple[str, ...] = ()

    @property
    def found_count(self) -> int | None:
        """How many files of this page match; None where there is none yet, but more to search."""
        return None if self.next_cursor and not self.files else len(self.files)


def render(result: GrepCodeResult) -> Rendering:
    """Return the files as headings with their matching lines."""
    answer = Answer([f"Searched {state(result.freshness)}", filters_line(result.filters_applied)])
    shown = answer.add_all(_block(file) for file in result.files)
    left_out = len(result.files) - shown
    closing = [
        f"files with matches shown: {shown}; files searched so far: {result.searched_count} of "
        f"{result.file_count}; files not indexed, so not searched: {result.skipped_count}",
        more_line(NAME, cursor=result.next_cursor, shown=shown, left_out=left_out),
    ]
    if result.unreadable_count:
        closing.append(f"{result.unreadable_count} files could not be read now.")
    closing += hint_lines(result.hints)
    if not result.files:
        where = "in the files searched so far" if result.next_cursor else "in any indexed file"
        closing.insert(0, f"No line matches {where}.")
        advice = "Try: ignore_case=true, no path, or search_code with words instead of a pattern."
        closing.append(what_to_try([result.freshness], advice))
    return Rendering(answer.text(closing), shown, left_out)


def _block(file: MatchingFile) -> str:
    width = len(str(file.lines[-1][0])) if file.lines else 1
    rows = [f"{number:>{width}} | {text}" for number, text in file.lines]
    text, count = fenced(rows, most=MAX_SOURCE_CHARACTERS, language=file.language)
    what = "matching line" if file.line_count == 1 else "matching lines"
    lines = [f"## {path_span(file.path)}, {file.line_count} {what}"]
    if file.url:
        lines.append(link(file.url))
    lines.append(text)
    if file.line_count > count:
        more = file.line_count - count
        lines.append(
            f"truncated: {more} more in this file; for them narrow the pattern, or read_file"
            + (f" with start_line={file.lines[count - 1][0] + 1}" if count else "")
        )
    return "\n".join(line for line in lines if line)


CONTRACT = ToolContract(
    name=NAME,
    title="Grep code",
    description=Description(
        purpose="Find every line of a repository that matches a regular expression, by file and "
        "line number. Use it for all uses of a name or an exact text, when a ranking would miss "
        "some.",
        not_for="a question in words or the best places (search_code), a definition "
        "(find_symbol), file names (list_files with pattern).",
        returns='Markdown: the indexed commit, then files by path, such as "## `django/shortcuts.'
        'py`, 1 matching line" with numbered lines; how many files were searched; the cursor '
        "of the next page.",
        errors=f"{FIX_REF} {RETRY}",
    ),
    arguments=GrepCodeArguments,
    result=GrepCodeResult,
    renderer=render,
    query_argument="pattern",
    uses_repository=True,
    requires_repository=True,
)
