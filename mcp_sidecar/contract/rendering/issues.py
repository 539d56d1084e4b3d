"""Issues as they are shown, and what the GitHub tools say alike in their descriptions."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Final

from pydantic import Field

from mcp_sidecar.contract.base import Result
from mcp_sidecar.contract.rendering.answer import UNTRUSTED, Answer
from mcp_sidecar.contract.rendering.code import MAX_LINE_CHARACTERS
from mcp_sidecar.contract.rendering.freshness import instant
from mcp_sidecar.contract.rendering.lists import counted
from mcp_sidecar.contract.text import link, span, word

UNTRUSTED_ISSUES: Final = UNTRUSTED.replace("the indexed sources", "GitHub")
MAX_LABELS: Final = 10
MAX_NUMBER: Final = 2_147_483_647
IssueNumber = Annotated[int, Field(ge=1, le=MAX_NUMBER, examples=[12])]
MAX_ISSUE_CHARACTERS: Final = 65_536
"""GitHub's own bound on the text of an issue or a comment."""

READ_ERRORS: Final = (
    "not_found: no such issue, or the token may not see it. not_allowed: the token is refused or "
    "lacks a permission; tell the user which."
)
WRITE_ERRORS: Final = (
    "not_found, not_allowed: nothing there for this token, or no permission; tell the user."
)
WRITE_RETRY: Final = (
    "unavailable, deadline_exceeded, conflict, too_many_requests: wait, then repeat the very same "
    "call once: it writes nothing twice."
)


class IssueItem(Result):
    """An issue in a list; see the record of the same name."""

    number: int
    title: str
    state: str
    author: str
    labels: tuple[str, ...]
    comment_count: int
    created_at: datetime
    updated_at: datetime
    url: str


def github_answer(head: Iterable[str]) -> Answer:
    """Return an answer whose content comes from GitHub."""
    return Answer(head, notice=UNTRUSTED_ISSUES)


def issue_row(issue: IssueItem) -> str:
    """Return an issue on one line."""
    parts = [
        f"#{issue.number} {span(issue.title, 200)} {word(issue.state)}",
        f"by {span(issue.author, 60)} {instant(issue.created_at)}",
        f"updated {instant(issue.updated_at)}",
    ]
    if issue.comment_count:
        parts.append(counted(issue.comment_count, "comment"))
    if issue.labels:
        parts.append(f"labels {spans(issue.labels)}")
    return ", ".join(["- " + parts[0], *parts[1:], link(issue.url)])


def spans(names: tuple[str, ...]) -> str:
    """Return names as code spans, MAX_LABELS at most, and how many more there are."""
    shown = " ".join(span(name, 60) for name in names[:MAX_LABELS])
    more = len(names) - MAX_LABELS
    return f"{shown} and {more} more" if more > 0 else shown


def rows_of(text: str) -> list[str]:
    """Return the lines of a text; longer ones than an answer shows go on on the next."""
    rows: list[str] = []
    for line in text.rstrip("\n").split("\n"):
        starts = range(0, max(len(line), 1), MAX_LINE_CHARACTERS)
        rows += [line[start : start + MAX_LINE_CHARACTERS] for start in starts]
    return rows
