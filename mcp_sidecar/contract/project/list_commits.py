"""list_commits: the history of a repository, or of a path in it."""

from datetime import datetime

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
from mcp_sidecar.contract.fields import Cursor, OptionalPath, OptionalWord, Ref, row_limit
from mcp_sidecar.contract.instants import OptionalInstant
from mcp_sidecar.contract.limits import MAX_LIST_LIMIT
from mcp_sidecar.contract.rendering.answer import Answer
from mcp_sidecar.contract.rendering.freshness import (
    SHORT_COMMIT,
    Freshness,
    instant,
    state,
    what_to_try,
)
from mcp_sidecar.contract.rendering.lists import advice_on, filters_line, more_line
from mcp_sidecar.contract.text import span, word

NAME = "list_commits"
DEFAULT_COMMITS = 20


class ListCommitsArguments(Arguments):
    """What list_commits takes."""

    path: OptionalPath = Field(
        None,
        description="Only commits that changed this file or folder.",
        examples=["django/shortcuts.py"],
    )
    since: OptionalInstant = Field(
        None,
        description="Only commits of this date or later, ISO 8601; a time without offset is UTC.",
        examples=["2026-11-02"],
    )
    author: OptionalWord = Field(
        None, description="Only commits whose author's name or address holds this text.",
        examples=["Ada"],
    )  # fmt: skip
    ref: Ref = None
    limit: int = row_limit(DEFAULT_COMMITS, MAX_LIST_LIMIT, noun="Commits", example=5)
    cursor: Cursor = None


class CommitSummary(Result):
    """One commit; see the record of the same name."""

    commit: str
    author: str
    committed_at: datetime
    subject: str


class ListCommitsResult(Page):
    """One page of history, newest first."""

    commits: tuple[CommitSummary, ...]
    walked_count: int
    is_complete: bool
    freshness: Freshness
    lacks_history: bool = False


def render(result: ListCommitsResult) -> Rendering:
    """Return one line per commit."""
    answer = Answer([f"History of {state(result.freshness)}", filters_line(result.filters_applied)])
    shown = answer.add_rows(_row(commit) for commit in result.commits)
    left_out = len(result.commits) - shown
    closing = [
        f"commits shown: {shown}; commits looked at: {result.walked_count}",
        more_line(NAME, cursor=result.next_cursor, shown=shown, left_out=left_out),
    ]
    if not result.is_complete:
        closing.append("The search ended at its time limit: go on with the cursor.")
    if result.lacks_history:
        closing.append("Older commits are not in this copy: its remote does not have or send them.")
    if not result.commits:
        closing.insert(0, "No commit matches so far." if result.next_cursor else "No commit.")
        advice = "Try: fewer filters; a path as list_files shows it; another ref."
        advice = advice_on(result.filters_applied, advice)
        closing.append(what_to_try([result.freshness], advice))
    return Rendering(answer.text(closing), shown, left_out)


def _row(commit: CommitSummary) -> str:
    return (
        f"- {word(commit.commit[:SHORT_COMMIT])} {instant(commit.committed_at)} "
        f"{span(commit.author, 100)} {span(commit.subject, 200)}"
    )


CONTRACT = ToolContract(
    name=NAME,
    title="List commits",
    description=Description(
        purpose="List the commits of a repository, newest first: id, date, author and subject. "
        "Use it for when something changed, by whom, or what happened lately.",
        not_for="what one commit changed (read_commit), the state of the index "
        "(get_repository), announcements (search_posts).",
        returns='Markdown: one line per commit, such as "- 1a2b3c4d 2026-11-02 10:31 UTC `Ada` '
        '`Fix the login`"; the cursor of the next page.',
        errors=f"{FIX_REF} {RETRY}",
    ),
    arguments=ListCommitsArguments,
    result=ListCommitsResult,
    renderer=render,
    uses_repository=True,
    requires_repository=True,
)
