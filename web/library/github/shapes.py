"""GitHub's JSON, as much of it as is read here, and the records that it gives.

Fields that are not named are passed over, so newer versions of the API do no harm.
"""

from datetime import datetime
from typing import Any, Final

import msgspec

from web.library.github.records import IssueComment, IssueItem

GHOST: Final = "ghost"
"""The name that GitHub itself shows for an account that is gone."""


class User(msgspec.Struct):
    """An account."""

    login: str


class Label(msgspec.Struct):
    """A label; old ones may come as their name alone."""

    name: str | None = None


class Milestone(msgspec.Struct):
    """A milestone."""

    title: str


class Issue(msgspec.Struct):
    """An issue, or a pull request, which has `pull_request` besides."""

    number: int
    title: str
    state: str
    html_url: str
    created_at: datetime
    updated_at: datetime
    body: str | None = None
    user: User | None = None
    labels: list[Label | str] = []
    comments: int = 0
    state_reason: str | None = None
    assignees: list[User] | None = None
    milestone: Milestone | None = None
    locked: bool = False
    repository_url: str = ""
    pull_request: Any = None

    @property
    def label_names(self) -> tuple[str, ...]:
        """The names of its labels."""
        names = (one if isinstance(one, str) else one.name for one in self.labels)
        return tuple(name for name in names if name)

    @property
    def author(self) -> str:
        """The login of whoever opened it."""
        return self.user.login if self.user else GHOST

    def item(self) -> IssueItem:
        """Return the record of a list."""
        return IssueItem(
            number=self.number,
            title=self.title,
            state=self.state,
            author=self.author,
            labels=self.label_names,
            comment_count=self.comments,
            created_at=self.created_at,
            updated_at=self.updated_at,
            url=self.html_url,
        )


class Named(msgspec.Struct):
    """A repository, of which only the name is asked."""

    full_name: str


class Found(msgspec.Struct):
    """One page of a search."""

    total_count: int
    items: list[Issue]
    incomplete_results: bool = False


class Comment(msgspec.Struct):
    """A comment on an issue."""

    html_url: str
    created_at: datetime
    updated_at: datetime
    id: int = 0
    body: str | None = None
    user: User | None = None

    def record(self, position: int) -> IssueComment:
        """Return the record of the comment that stands at `position`."""
        return IssueComment(
            position=position,
            author=self.user.login if self.user else GHOST,
            created_at=self.created_at,
            updated_at=self.updated_at,
            text=text_of(self.body),
            url=self.html_url,
        )


def text_of(body: str | None) -> str:
    """Return a text as it was written, its lines ended as everywhere here."""
    return (body or "").replace("\r\n", "\n")
