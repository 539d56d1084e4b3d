"""create_issue: a new issue of a repository on GitHub."""

from typing import Annotated

from pydantic import Field, StringConstraints

from mcp_sidecar.contract.base import (
    FIX,
    WRITE_ELSEWHERE,
    Arguments,
    Description,
    Rendering,
    Result,
    ToolContract,
)
from mcp_sidecar.contract.project.list_issues import MAX_LABELS, Label
from mcp_sidecar.contract.rendering.issues import (
    MAX_ISSUE_CHARACTERS,
    WRITE_ERRORS,
    WRITE_RETRY,
    github_answer,
    spans,
)
from mcp_sidecar.contract.text import link, span

NAME = "create_issue"
MAX_TITLE_CHARACTERS = 256
"""GitHub's own bound."""


class CreateIssueArguments(Arguments):
    """What create_issue takes."""

    title: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_TITLE_CHARACTERS),
    ] = Field(description="What it is about, in one line.", examples=["Login fails after a reset"])
    body: str | None = Field(
        None,
        max_length=MAX_ISSUE_CHARACTERS,
        description="The text, in GitHub's Markdown; @name notifies people.",
        examples=["Steps:\n1. Reset the password.\n2. Sign in."],
    )
    labels: Annotated[tuple[Label, ...], Field(max_length=MAX_LABELS)] = Field(
        (), description="Labels that the repository has.", examples=[["bug"]]
    )


class CreateIssueResult(Result):
    """An issue that was created; see the record WrittenIssue."""

    project: str
    number: int
    title: str
    url: str
    labels: tuple[str, ...]
    missing_labels: tuple[str, ...]
    is_repeat: bool


def render(result: CreateIssueResult) -> Rendering:
    """Return where the issue is."""
    done = (
        f"Nothing was created: the same issue was created minutes ago, #{result.number} of "
        if result.is_repeat
        else f"Created issue #{result.number} of "
    )
    answer = github_answer([f"{done}{span(result.project)} on GitHub."])
    labels = f", labels {spans(result.labels)}" if result.labels else ""
    answer.add(f"- #{result.number} {span(result.title, 300)}{labels}, {link(result.url)}")
    closing = []
    if result.missing_labels:
        closing.append(
            f"Not set: {spans(result.missing_labels)}. GitHub leaves out labels that the token may "
            "not set: tell the user."
        )
    return Rendering(answer.text(closing))


CONTRACT = ToolContract(
    name=NAME,
    title="Create issue",
    description=Description(
        purpose="Create an issue of a repository on GitHub, in the name of the user whose token "
        "it is. Use it when the user asks for one, after list_issues showed none like it.",
        not_for="more on an existing issue (comment_on_issue), looking for one (list_issues).",
        returns='Markdown: "Created issue #12 of `ada/engine` on GitHub.", labels, link. The same '
        "call again within minutes creates nothing and names the first one.",
        errors=f"{FIX} {WRITE_ERRORS} {WRITE_RETRY}",
    ),
    arguments=CreateIssueArguments,
    result=CreateIssueResult,
    renderer=render,
    hints=WRITE_ELSEWHERE,
    uses_repository=True,
    requires_repository=True,
    requires_github_token=True,
    cache_seconds=None,
)
