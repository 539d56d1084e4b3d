"""list_files: one folder, or the files that match a glob."""

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
from mcp_sidecar.contract.limits import DEFAULT_LIST_LIMIT, MAX_LIST_LIMIT
from mcp_sidecar.contract.rendering.answer import Answer
from mcp_sidecar.contract.rendering.freshness import Freshness, state, what_to_try
from mcp_sidecar.contract.rendering.lists import count_line, counted, filters_line, more_line
from mcp_sidecar.contract.text import path_span, span, word

NAME = "list_files"


class ListFilesArguments(Arguments):
    """What list_files takes."""

    path: OptionalPath = Field(
        None, description="Folder; left out, the root.", examples=["django/db/models"]
    )
    pattern: OptionalPath = Field(
        None,
        description="Glob as in .gitignore, for all files below path: *.html matches in any "
        "folder, docs/*.md in one. Left out, one folder is listed.",
        examples=["**/test_*.py"],
    )
    ref: Ref = None
    limit: int = row_limit(DEFAULT_LIST_LIMIT, MAX_LIST_LIMIT, noun="Rows", example=50)
    cursor: Cursor = None


class FileItem(Result):
    """A row of a listing; see the record of the same name."""

    path: str
    kind: str
    size: int
    language: str
    note: str
    file_count: int = 0


class ListFilesResult(Page):
    """One page of a folder or of the files that match, folders first."""

    items: tuple[FileItem, ...]
    total_count: int
    freshness: Freshness


def render(result: ListFilesResult) -> Rendering:
    """Return one line per folder or file."""
    answer = Answer([f"Listed {state(result.freshness)}", filters_line(result.filters_applied)])
    shown = answer.add_rows(_row(item) for item in result.items)
    left_out = len(result.items) - shown
    closing = [
        count_line(result.total_count, shown, noun="rows"),
        more_line(NAME, cursor=result.next_cursor, shown=shown, left_out=left_out),
    ]
    if not result.items:
        advice = "Try: a pattern such as **/*.py without path, or leave both out to see the root."
        closing = ["Nothing matches.", what_to_try([result.freshness], advice)]
    return Rendering(answer.text(closing), shown, left_out)


def _row(item: FileItem) -> str:
    if item.kind == "folder" and not item.note:
        return (
            f"- {path_span(item.path.rstrip('/') + '/')} folder, {counted(item.file_count, 'file')}"
        )
    parts = [f"{item.size} bytes"]
    if item.kind != "file":
        parts.insert(0, word(item.kind.replace("_", " ")))
    if item.language:
        parts.append(word(item.language))
    if item.note:
        parts.append(span(item.note, 300))
    return f"- {path_span(item.path)} {', '.join(parts)}"


CONTRACT = ToolContract(
    name=NAME,
    title="List files",
    description=Description(
        purpose="List the folders and files of one folder, or all files whose path matches a glob, "
        "with size, language and kind. Use it to learn a layout or to find a file by its name.",
        not_for="what files contain (search_code), the documentation pages with their titles "
        "(list_docs).",
        returns='Markdown: the indexed commit, then rows such as "- `django/db/` folder, 212 '
        'files" or "- `setup.cfg` 1893 bytes, ini"; what is not indexed says why; total_count; '
        "the cursor of the next page.",
        errors=f"not_found: no such folder; list its parent. {FIX_REF} {RETRY}",
    ),
    arguments=ListFilesArguments,
    result=ListFilesResult,
    renderer=render,
    uses_repository=True,
    requires_repository=True,
)
