"""comment_on_issue over GitHub."""

from mcp_sidecar import bridge
from mcp_sidecar.contract.project.comment_on_issue import (
    CommentOnIssueArguments,
    CommentOnIssueResult,
)
from mcp_sidecar.tools.base import Call
from web.library.services.issues import issue_comment


async def comment_on_issue(call: Call, arguments: CommentOnIssueArguments) -> CommentOnIssueResult:
    """Comment on an issue and return where the comment is."""
    written = await bridge.call_outside(
        issue_comment,
        principal=call.principal,
        repository=call.repository,
        token=call.github_token,
        **arguments.model_dump(),
    )
    return CommentOnIssueResult.of(written)
