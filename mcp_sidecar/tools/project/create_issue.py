"""create_issue over GitHub."""

from mcp_sidecar import bridge
from mcp_sidecar.contract.project.create_issue import CreateIssueArguments, CreateIssueResult
from mcp_sidecar.tools.base import Call
from web.library.services.issues import issue_create


async def create_issue(call: Call, arguments: CreateIssueArguments) -> CreateIssueResult:
    """Create an issue and return where it is."""
    created = await bridge.call_outside(
        issue_create,
        principal=call.principal,
        repository=call.repository,
        token=call.github_token,
        title=arguments.title,
        body=arguments.body or "",
        labels=arguments.labels,
    )
    return CreateIssueResult.of(created)
