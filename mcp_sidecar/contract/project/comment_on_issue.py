"""comment_on_issue: a comment on an issue of a repository on GitHub."""

from pydantic import Field

from mcp_sidecar.contract.base import (
    FIX,
    WRITE_ELSEWHERE,
    Arguments,
    Description,
    Rendering,
    Result,
    ToolContract,
)
from mcp_sidecar.contract.rendering.issues import (
    MAX_ISSUE_CHARACTERS,
    WRITE_ERRORS,
    WRITE_RETRY,
    IssueNumber,
    github_answer,
)
from mcp_sidecar.contract.text import link, span

NAME = "comment_on_issue"


class CommentOnIssueArguments(Arguments):
    """What comment_on_issue takes."""

    number: IssueNumber = Field(description="Number of the issue or pull request.")
    body: str = Field(
        min_length=1,
        max_length=MAX_ISSUE_CHARACTERS,
        description="The text, in GitHub's Markdown; @name notifies people.",
        examples=["Fixed by 1a2b3c4d."],
    )


class CommentOnIssueResult(Result):
    """A comment that was made; see the record WrittenComment."""

    project: str
    number: int
    url: str
    is_repeat: bool


def render(result: CommentOnIssueResult) -> Rendering:
    """Return where the comment is."""
    done = (
        f"Nothing was written: the same comment was made minutes ago on issue #{result.number} of "
        if result.is_repeat
        else f"Commented on issue #{result.number} of "
    )
    answer = github_answer([f"{done}{span(result.project)} on GitHub."])
    answer.add(link(result.url))
    return Rendering(answer.text())


CONTRACT = ToolContract(
    name=NAME,
    title="Comment on issue",
    description=Description(
        purpose="Comment on an issue or pull request of a repository on GitHub, in the name of "
        "the user whose token it is. Use it when the user asks for it, after read_issue.",
        not_for="a new issue (create_issue), reading comments (read_issue).",
        returns='Markdown: "Commented on issue #12 of `ada/engine` on GitHub.", link. The same '
        "call again within minutes writes nothing and names the first comment.",
        errors=f"{FIX} {WRITE_ERRORS} {WRITE_RETRY}",
    ),
    arguments=CommentOnIssueArguments,
    result=CommentOnIssueResult,
    renderer=render,
    hints=WRITE_ELSEWHERE,
    uses_repository=True,
    requires_repository=True,
    requires_github_token=True,
    cache_seconds=None,
)
