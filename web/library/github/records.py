"""Issues as selectors and services return them: frozen, complete, without ties to GitHub's JSON."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class IssueItem:
    """An issue in a list. `url` is its page; `state` is open or closed."""

    number: int
    title: str
    state: str
    author: str
    labels: tuple[str, ...]
    comment_count: int
    created_at: datetime
    updated_at: datetime
    url: str


@dataclass(frozen=True, slots=True)
class IssueListing:
    """One page of the issues of `project` ("owner/name"), newest first, or best first of a search.

    Of a search `total_count` is how many match; GitHub does not tell it of a list: None.
    `looked_at_count` issues and pull requests were looked at for this page. `is_complete` is False
    where GitHub's search ended early, or found more than the thousand that it shows.
    """

    project: str
    issues: tuple[IssueItem, ...]
    total_count: int | None
    looked_at_count: int
    is_complete: bool
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class IssueComment:
    """A comment; `position` counts from 1, oldest first."""

    position: int
    author: str
    created_at: datetime
    updated_at: datetime
    text: str
    url: str


@dataclass(frozen=True, slots=True)
class IssueText:
    """An issue and a run of its comments.

    `start_comment` is the position of the first text that was asked for, 0 for the issue's own
    (`text` is empty beyond 0), and `start_line` the line of it to begin with. `reason` says how the
    issue was closed. `moved_from` is "owner/name#number" as asked for, where GitHub has the
    issue elsewhere now; else empty.
    """

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


@dataclass(frozen=True, slots=True)
class WrittenIssue:
    """An issue that was created.

    `missing_labels` were asked for and not set. `is_repeat`: the same was created shortly before,
    and nothing new was.
    """

    project: str
    number: int
    title: str
    url: str
    labels: tuple[str, ...]
    missing_labels: tuple[str, ...]
    is_repeat: bool


@dataclass(frozen=True, slots=True)
class WrittenComment:
    """A comment that was made on issue `number`; `is_repeat` as of WrittenIssue."""

    project: str
    number: int
    url: str
    is_repeat: bool
