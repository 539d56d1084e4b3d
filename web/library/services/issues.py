"""Issues on GitHub, written with the caller's own token; nothing of them is kept."""

from datetime import timedelta
from typing import Final

from pydantic import SecretStr

from web.accounts.principals import Principal
from web.core.clock import now
from web.core.errors import InvalidInput
from web.core.limits import LIMITS
from web.library.github.client import GitHub
from web.library.github.failures import Aim
from web.library.github.projects import project_for
from web.library.github.records import WrittenComment, WrittenIssue
from web.library.github.repeats import Place, written_once
from web.library.github.shapes import Comment, Issue, text_of

WRITES: Final = "Issues: write"
MAX_ROWS: Final = 100
"""Rows of one page, among which one that may have been written is looked for."""


def issue_create(
    *,
    principal: Principal,
    repository: str,
    token: SecretStr,
    title: str,
    body: str = "",
    labels: tuple[str, ...] = (),
) -> WrittenIssue:
    """Create an issue and return where it is.

    GitHub drops labels that the token may not set: they are told. The same call within
    LIMITS.github_repeat_minutes creates nothing and returns the first one. Raises InvalidInput for
    a title without a visible character or a body over LIMITS.max_issue_characters, and what
    `project_for`, `GitHub.post` and `written_once` raise.
    """
    project = project_for(principal, repository)
    title, labels = title.strip(), tuple(dict.fromkeys(map(str.strip, labels)))
    if not title:
        raise InvalidInput("The title is empty.", hint="Say in one line what it is about.")
    _check_length(body)
    github = GitHub(token)
    aim = Aim(f"an issue of {project}", WRITES)
    created: list[Issue] = []

    def write() -> Place:
        sent = {"title": title, "body": body, "labels": labels}
        created.append(github.post(f"{project.path}/issues", Issue, aim=aim, body=sent))
        return created[0].number, created[0].html_url

    def look() -> Place | None:
        query = {"state": "all", "sort": "created", "direction": "desc"} | _lately()
        for issue in github.get(f"{project.path}/issues", list[Issue], aim=aim, query=query):
            if issue.title == title and text_of(issue.body) == text_of(body):
                return issue.number, issue.html_url
        return None

    place, is_repeat = written_once(
        token, ("issue", str(project), title, body, *labels), write=write, look=look
    )
    number, url = place
    set_labels = created[0].label_names if created else labels
    had = {label.lower() for label in set_labels}
    return WrittenIssue(
        project=str(project),
        number=number,
        title=title,
        url=url,
        labels=set_labels,
        missing_labels=tuple(label for label in labels if label.lower() not in had),
        is_repeat=is_repeat,
    )


def issue_comment(
    *, principal: Principal, repository: str, token: SecretStr, number: int, body: str
) -> WrittenComment:
    """Comment on an issue or pull request and return where the comment is.

    The same call within LIMITS.github_repeat_minutes writes nothing and returns the first one.
    Raises InvalidInput for a text without a visible character or over
    LIMITS.max_issue_characters, and what `project_for`, `GitHub.post` and `written_once` raise.
    """
    project = project_for(principal, repository)
    if not body.strip():
        raise InvalidInput("The comment is empty.", hint="Say what is to be told.")
    _check_length(body)
    github = GitHub(token)
    aim = Aim(f"a comment on issue #{number} of {project}", WRITES)
    path = f"{project.path}/issues/{number}/comments"

    def write() -> Place:
        comment = github.post(path, Comment, aim=aim, body={"body": body})
        return comment.id, comment.html_url

    def look() -> Place | None:
        for comment in github.get(path, list[Comment], aim=aim, query=_lately()):
            if text_of(comment.body) == text_of(body):
                return comment.id, comment.html_url
        return None

    (_, url), is_repeat = written_once(
        token, ("comment", str(project), str(number), body), write=write, look=look
    )
    return WrittenComment(project=str(project), number=number, url=url, is_repeat=is_repeat)


def _lately() -> dict[str, str | int]:
    """Return the query for what was written in the minutes in which a repeat is recognised."""
    since = now() - timedelta(minutes=LIMITS.github_repeat_minutes)
    return {"since": f"{since:%Y-%m-%dT%H:%M:%SZ}", "per_page": MAX_ROWS}


def _check_length(body: str) -> None:
    if len(body) > LIMITS.max_issue_characters:
        raise InvalidInput(
            f"The text has {len(body):,} characters; GitHub takes {LIMITS.max_issue_characters:,}.",
            hint="Shorten it, or write the rest in comments.",
            fields={"body": f"is longer than {LIMITS.max_issue_characters:,} characters"},
        )
