"""read_file: numbered lines of one file."""

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
from mcp_sidecar.contract.fields import MAX_LINE_NUMBER, Ref, RequiredPath
from mcp_sidecar.contract.limits import MAX_READ_LINES
from mcp_sidecar.contract.rendering.answer import Answer
from mcp_sidecar.contract.rendering.code import fenced, numbered
from mcp_sidecar.contract.rendering.freshness import Freshness, state
from mcp_sidecar.contract.text import link, path_span, span, word

NAME = "read_file"
MAX_CUT_LINES_NAMED = 20
CUT = " … (cut)"


class ReadFileArguments(Arguments):
    """What read_file takes."""

    path: RequiredPath = Field(
        description="Path from the root of the repository.",
        examples=["django/middleware/csrf.py"],
    )
    start_line: int = Field(
        1, ge=1, le=MAX_LINE_NUMBER, description="First line, counted from 1.", examples=[120]
    )
    line_count: int = Field(
        MAX_READ_LINES, ge=1, le=MAX_READ_LINES, description="Lines at most.", examples=[80]
    )
    ref: Ref = None


class ReadFileResult(Result):
    """Lines of a file; see the record FileLines."""

    path: str
    kind: str
    size: int
    language: str
    encoding: str
    start_line: int
    lines: tuple[str, ...]
    total_lines: int
    cut_lines: tuple[int, ...]
    note: str
    url: str
    freshness: Freshness


def render(result: ReadFileResult) -> Rendering:
    """Return the lines with their numbers, or what the file is when it has none."""
    answer = Answer([f"Read from {state(result.freshness)}", _title(result)])
    if result.note:
        answer.add(f"Note: {span(result.note)}")
    rows = [
        f"{row}{CUT}" if number in result.cut_lines else row
        for number, row in enumerate(numbered(result.lines, result.start_line), result.start_line)
    ]
    text, shown = fenced(rows, most=answer.free, language=result.language)
    if text:
        answer.add(text)
    return Rendering(answer.text(_closing(result, shown)), shown)


def _title(result: ReadFileResult) -> str:
    parts = [path_span(result.path), word(result.kind.replace("_", " ")), f"{result.size} bytes"]
    parts += [word(part) for part in (result.language, result.encoding) if part]
    title = ", ".join(parts)
    return f"{title} {link(result.url)}" if result.url else title


def _closing(result: ReadFileResult, shown: int) -> list[str]:
    if not result.lines:
        is_empty = result.kind == "file" and not result.total_lines and not result.note
        return ["The file is empty."] if is_empty else []
    last = result.start_line + shown - 1
    lines = [f"Lines {result.start_line}-{last} of {result.total_lines}."]
    if shown < len(result.lines):
        lines.append(
            f"truncated: {len(result.lines) - shown} lines did not fit. "
            f"Go on with start_line={last + 1}"
        )
    elif last < result.total_lines:
        lines.append(f"More: start_line={last + 1}")
    if result.cut_lines:
        named = ", ".join(map(str, result.cut_lines[:MAX_CUT_LINES_NAMED]))
        more = len(result.cut_lines) - MAX_CUT_LINES_NAMED
        lines.append(
            f"Cut, because overlong: lines {named}{f' and {more} more' if more > 0 else ''}."
        )
    return lines


CONTRACT = ToolContract(
    name=NAME,
    title="Read file",
    description=Description(
        purpose=f"Read the text of one file with line numbers, at most {MAX_READ_LINES} lines a "
        "call. Use it when you know the path, for instance from search_code or find_symbol.",
        not_for="finding the path (search_code, or list_files with pattern), a documentation "
        "page by sections (read_doc).",
        returns="Markdown: the indexed commit, kind, size and language, then lines such as "
        '"120 | def process_view(self, request):"; which lines of how many, and the start_line '
        "to go on. Of a symlink, submodule, LFS pointer or binary file only what it is.",
        errors="not_found: no such path at this ref; take a near one it names, or use list_files. "
        f"too_large: stop, give the user the link. {FIX_REF} {RETRY}",
    ),
    arguments=ReadFileArguments,
    result=ReadFileResult,
    renderer=render,
    uses_repository=True,
    requires_repository=True,
)
