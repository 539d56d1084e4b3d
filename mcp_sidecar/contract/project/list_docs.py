"""list_docs: the table of contents of the documentation."""

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
from mcp_sidecar.contract.rendering.freshness import Freshness, searched, what_to_try
from mcp_sidecar.contract.rendering.lists import (
    advice_on,
    count_line,
    counted,
    filters_line,
    more_line,
)
from mcp_sidecar.contract.text import path_span, span, word

NAME = "list_docs"


class ListDocsArguments(Arguments):
    """What list_docs takes."""

    path: OptionalPath = Field(
        None, description="Only pages below this folder.", examples=["docs/howto"]
    )
    ref: Ref = None
    limit: int = row_limit(DEFAULT_LIST_LIMIT, MAX_LIST_LIMIT, noun="Rows", example=50)
    cursor: Cursor = None


class DocumentItem(Result):
    """A page in the table of contents; see the record of the same name."""

    repository: str
    path: str
    title: str
    format: str
    section_count: int


class ListDocsResult(Page):
    """One page of documents by repository and path."""

    documents: tuple[DocumentItem, ...]
    total_count: int
    freshness: tuple[Freshness, ...]


def render(result: ListDocsResult) -> Rendering:
    """Return one line per document."""
    names = [document.repository for document in result.documents]
    answer = Answer([*searched(result.freshness, names), filters_line(result.filters_applied)])
    is_named = len(result.freshness) != 1
    shown = answer.add_rows(_row(document, is_named=is_named) for document in result.documents)
    left_out = len(result.documents) - shown
    closing = [
        count_line(result.total_count, shown, noun="pages"),
        more_line(NAME, cursor=result.next_cursor, shown=shown, left_out=left_out),
    ]
    if not result.documents:
        advice = advice_on(result.filters_applied, "Try: without path, or search_code.")
        closing = ["No documentation matches.", what_to_try(result.freshness, advice)]
    return Rendering(answer.text(closing), shown, left_out)


def _row(document: DocumentItem, *, is_named: bool) -> str:
    sections = counted(document.section_count, "section")
    where = f", in {span(document.repository)}" if is_named else ""
    title = span(document.title, 200)
    return f"- {path_span(document.path)} {title}, {word(document.format)}, {sections}{where}"


CONTRACT = ToolContract(
    name=NAME,
    title="List documentation",
    description=Description(
        purpose="List the documentation pages with path, title and number of sections, by path. "
        "Use it to see what is documented, or to find the path for read_doc.",
        not_for="finding the page that answers a question (search_docs), files of any kind "
        "(list_files).",
        returns='Markdown: the indexed commit, then rows such as "- `docs/howto/logging.txt` '
        '`How to configure logging`, restructuredtext, 7 sections"; total_count; the cursor of '
        "the next page.",
        errors=f"{FIX_REF} {RETRY}",
    ),
    arguments=ListDocsArguments,
    result=ListDocsResult,
    renderer=render,
    uses_repository=True,
)
