"""read_issue over GitHub."""

from mcp_sidecar import bridge
from mcp_sidecar.contract.project.read_issue import ReadIssueArguments, ReadIssueResult
from mcp_sidecar.tools.base import Call
from web.library.selectors.issues import issue_text


async def read_issue(call: Call, arguments: ReadIssueArguments) -> ReadIssueResult:
    """Return one issue with its comments."""
    text = await bridge.call_outside(
        issue_text,
        principal=call.principal,
        repository=call.repository,
        token=call.github_token,
        **arguments.model_dump(),
    )
    return ReadIssueResult.of(text)
