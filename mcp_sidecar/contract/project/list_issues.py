"""list_issues: the issues of a repository on GitHub."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from mcp_sidecar.contract.base import (
    FIX,
    READ_ELSEWHERE,
    RETRY,
    Arguments,
    Description,
    Page,
    Rendering,
    ToolContract,
)
from mcp_sidecar.contract.fields import Cursor, row_limit
from mcp_sidecar.contract.rendering.issues import READ_ERRORS, IssueItem, github_answer, issue_row
from mcp_sidecar.contract.rendering.lists import count_line, filters_line, more_line
from mcp_sidecar.contract.text import span

NAME = "list_issues"
DEFAULT_ISSUES = 20
MAX_ISSUES = 100
MAX_LABELS = 10
MAX_LABEL_CHARACTERS = 100
MAX_ISSUE_QUERY_CHARACTERS = 256
"""GitHub's own bound."""

Label = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_LABEL_CHARACTERS),
]


class ListIssuesArguments(Arguments):
    """What list_issues takes."""

    state: Literal["open", "closed", "all"] = Field(
        "open", description="Which issues.", examples=["all"]
    )
    labels: Annotated[tuple[Label, ...], Field(max_length=MAX_LABELS)] = Field(
        (), description="Only issues with all of these labels.", examples=[["bug"]]
    )
    query: Annotated[
        str | None,
        StringConstraints(strip_whitespace=True, max_length=MAX_ISSUE_QUERY_CHARACTERS),
    ] = Field(
        None,
        description='Words for GitHub\'s search; "exact text" in double quotes; author:, in:title, '
        "created: and the like narrow it. Issues of the last minutes may be missing.",
        examples=["login fails in:title"],
    )
    limit: int = row_limit(DEFAULT_ISSUES, MAX_ISSUES, noun="Issues", example=10)
    cursor: Cursor = None


class ListIssuesResult(Page):
    """One page of issues; see the record IssueListing."""

    project: str
    issues: tuple[IssueItem, ...]
    total_count: int | None
    looked_at_count: int
    is_complete: bool


def render(result: ListIssuesResult) -> Rendering:
    """Return one line per issue."""
    is_search = result.total_count is not None
    order = "found by GitHub's search, best first" if is_search else "newest first"
    answer = github_answer(
        [
            f"Issues of {span(result.project)} on GitHub, {order}, read just now.",
            filters_line(result.filters_applied),
        ]
    )
    shown = answer.add_rows(map(issue_row, result.issues))
    left_out = len(result.issues) - shown
    closing = [
        count_line(result.total_count, shown, noun="issues")
        if result.total_count is not None
        else f"issues shown: {shown}; issues and pull requests looked at: {result.looked_at_count}",
        more_line(NAME, cursor=result.next_cursor, shown=shown, left_out=left_out),
        "read_issue with number shows an issue whole, with its comments." if shown else "",
    ]
    if not result.is_complete:
        closing.append("GitHub's search did not show everything: narrow it with more words.")
    if not result.issues:
        closing.insert(0, "No issue so far." if result.next_cursor else "No issue matches.")
        closing.append('Try: state="all", fewer labels, other words.')
    return Rendering(answer.text(closing), shown, left_out)


CONTRACT = ToolContract(
    name=NAME,
    title="List issues",
    description=Description(
        purpose="List the issues of a repository on GitHub, newest first, or search them. Use it "
        "for what is open, reported or planned there, and before create_issue.",
        not_for="one issue with its comments (read_issue), what changed in code (list_commits), "
        "pull requests, which are left out.",
        returns='Markdown: rows such as "- #12 `Login fails` open, by `ada` 2026-11-02 10:31 UTC, '
        '3 comments, labels `bug`" with a link; the cursor of the next page.',
        errors=f"{FIX} {READ_ERRORS} {RETRY}",
    ),
    arguments=ListIssuesArguments,
    result=ListIssuesResult,
    renderer=render,
    hints=READ_ELSEWHERE,
    uses_repository=True,
    requires_repository=True,
    requires_github_token=True,
    cache_seconds=None,
)
