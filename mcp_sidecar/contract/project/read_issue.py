"""read_issue: one issue of a repository on GitHub, with its comments."""

from datetime import datetime

from pydantic import Field

from mcp_sidecar.contract.base import (
    FIX,
    READ_ELSEWHERE,
    RETRY,
    Arguments,
    Description,
    Rendering,
    Result,
    ToolContract,
)
from mcp_sidecar.contract.rendering.answer import Answer
from mcp_sidecar.contract.rendering.code import fenced
from mcp_sidecar.contract.rendering.freshness import instant
from mcp_sidecar.contract.rendering.issues import (
    MAX_NUMBER,
    READ_ERRORS,
    IssueItem,
    IssueNumber,
    github_answer,
    rows_of,
    spans,
)
from mcp_sidecar.contract.rendering.lists import counted
from mcp_sidecar.contract.text import link, span, word

NAME = "read_issue"
_FENCE_ROOM = 100


class ReadIssueArguments(Arguments):
    """What read_issue takes."""

    number: IssueNumber = Field(description="Number of the issue, from list_issues or a link.")
    start_comment: int = Field(
        0,
        ge=0,
        le=MAX_NUMBER,
        description="First comment to show; 0 is the issue's own text.",
        examples=[31],
    )
    start_line: int = Field(
        1,
        ge=1,
        le=MAX_NUMBER,
        description="First line of that text, to go on in a long one.",
        examples=[120],
    )


class IssueComment(Result):
    """A comment; see the record of the same name."""

    position: int
    author: str
    created_at: datetime
    updated_at: datetime
    text: str
    url: str


class ReadIssueResult(Result):
    """An issue and a run of its comments; see the record IssueText."""

    project: str
    issue: IssueItem
    is_pull_request: bool
    is_locked: bool
    reason: str
    assignees: tuple[str, ...]
    milestone: str
    text: str
    comments: tuple[IssueComment, ...]
    start_comment: int
    start_line: int
    moved_from: str


def render(result: ReadIssueResult) -> Rendering:
    """Return the text and the comments that fit, each in a fence, and where to go on."""
    answer = github_answer(_head(result))
    texts: list[tuple[int, str, str]] = []
    if result.start_comment == 0:
        texts.append((0, "## Text", result.text))
    texts += [(one.position, _title(one), one.text) for one in result.comments]
    shown, next_line = 0, 1
    for number, (_, title, text) in enumerate(texts):
        rows = rows_of(text)[result.start_line - 1 if number == 0 else 0 :]
        next_line = _add(answer, title, rows, is_first=number == 0)
        if next_line:
            break
        shown += 1
    first = result.start_line if shown == 0 else 1
    closing = _closing(result, texts, shown, first - 1 + next_line if next_line else 0)
    return Rendering(answer.text(closing), shown)


def _head(result: ReadIssueResult) -> list[str]:
    issue = result.issue
    kind = "Pull request" if result.is_pull_request else "Issue"
    state = word(issue.state) + (f" ({span(result.reason, 60)})" if result.reason else "")
    about = [
        f"{state}, opened by {span(issue.author, 60)} {instant(issue.created_at)}",
        f"updated {instant(issue.updated_at)}",
        counted(issue.comment_count, "comment"),
    ]
    if result.is_locked:
        about.append("locked")
    if issue.labels:
        about.append(f"labels {spans(issue.labels)}")
    if result.assignees:
        about.append(f"assigned to {spans(result.assignees)}")
    if result.milestone:
        about.append(f"milestone {span(result.milestone, 100)}")
    return [
        f"{kind} #{issue.number} of {span(result.project)} on GitHub, read just now: "
        f"{span(issue.title, 300)}",
        ", ".join(about),
        link(issue.url),
        f"Asked for {span(result.moved_from)}: it was moved or renamed." * bool(result.moved_from),
        "Its diff is not shown here." * result.is_pull_request,
    ]


def _title(comment: IssueComment) -> str:
    edited = comment.updated_at > comment.created_at
    return (
        f"## Comment {comment.position}, {span(comment.author, 60)} "
        f"{instant(comment.created_at)}"
        f"{f', edited {instant(comment.updated_at)}' if edited else ''}, {link(comment.url)}"
    )


def _add(answer: Answer, title: str, rows: list[str], *, is_first: bool) -> int:
    """Add a text; return 0, or where it does not fit the row to go on with, counted from 1.

    Only the first text of an answer is cut: a later one begins the next answer.
    """
    if not any(row.strip() for row in rows):
        return (
            0 if answer.add(f"{title}\n{'(empty)' if rows else '(ends before this line)'}") else 1
        )
    text, count = fenced(rows, most=answer.free - len(title) - _FENCE_ROOM, language="markdown")
    is_whole = count == len(rows)
    if (is_whole or is_first) and text and answer.add(f"{title}\n{text}"):
        return 0 if is_whole else count + 1
    return 1


def _closing(
    result: ReadIssueResult, texts: list[tuple[int, str, str]], shown: int, next_line: int
) -> list[str]:
    """Return what is shown of how many comments, and how to go on."""
    last = texts[shown - 1][0] if shown else 0
    total = result.issue.comment_count
    going_on = "Go on with read_issue of this number and start_comment="
    if next_line > 1:
        position = texts[shown][0]
        return [f"truncated: this text goes on. {going_on}{position} and start_line={next_line}"]
    if last < total and result.comments:
        return [f"truncated: comments {last + 1}-{total} remain. {going_on}{last + 1}"]
    return [f"Whole: {counted(total, 'comment')}."] if result.start_comment == 0 else ["The end."]


CONTRACT = ToolContract(
    name=NAME,
    title="Read issue",
    description=Description(
        purpose="Read one issue of a repository on GitHub: state, labels, text and comments, "
        "oldest first. Use it when you know its number, from list_issues, a commit or a link.",
        not_for="finding an issue (list_issues), the change itself (read_commit), writing "
        "(comment_on_issue).",
        returns='Markdown: a head, then "## Text" and "## Comment 1, `ada` 2026-11-02 10:31 UTC" '
        "with their texts; where to go on in a long one. A pull request is shown without its diff.",
        errors=f"{FIX} {READ_ERRORS} {RETRY}",
    ),
    arguments=ReadIssueArguments,
    result=ReadIssueResult,
    renderer=render,
    hints=READ_ELSEWHERE,
    uses_repository=True,
    requires_repository=True,
    requires_github_token=True,
    cache_seconds=None,
)
