"""Which function serves which contract, per server and in the order of tools/list."""

from typing import Final

from mcp_sidecar.contract import lesson as lesson_contracts
from mcp_sidecar.contract import operations as operations_contracts
from mcp_sidecar.contract import project as project_contracts
from mcp_sidecar.tools.base import BoundTool
from mcp_sidecar.tools.lesson.add import add
from mcp_sidecar.tools.lesson.shout import shout
from mcp_sidecar.tools.operations.get_health import get_health
from mcp_sidecar.tools.operations.get_usage import get_usage
from mcp_sidecar.tools.operations.get_user import get_user
from mcp_sidecar.tools.operations.list_audit_entries import list_audit_entries
from mcp_sidecar.tools.operations.list_sources import list_sources
from mcp_sidecar.tools.operations.list_tool_calls import list_tool_calls
from mcp_sidecar.tools.operations.list_users import list_users
from mcp_sidecar.tools.operations.revoke_tokens import revoke_tokens
from mcp_sidecar.tools.operations.search_logs import search_logs
from mcp_sidecar.tools.operations.set_users_active import set_users_active
from mcp_sidecar.tools.operations.sync_repository import sync_repository
from mcp_sidecar.tools.project.comment_on_issue import comment_on_issue
from mcp_sidecar.tools.project.create_issue import create_issue
from mcp_sidecar.tools.project.find_symbol import find_symbol
from mcp_sidecar.tools.project.get_repository import get_repository
from mcp_sidecar.tools.project.grep_code import grep_code
from mcp_sidecar.tools.project.list_commits import list_commits
from mcp_sidecar.tools.project.list_docs import list_docs
from mcp_sidecar.tools.project.list_files import list_files
from mcp_sidecar.tools.project.list_issues import list_issues
from mcp_sidecar.tools.project.list_repositories import list_repositories
from mcp_sidecar.tools.project.read_commit import read_commit
from mcp_sidecar.tools.project.read_doc import read_doc
from mcp_sidecar.tools.project.read_file import read_file
from mcp_sidecar.tools.project.read_issue import read_issue
from mcp_sidecar.tools.project.read_post import read_post
from mcp_sidecar.tools.project.search_code import search_code
from mcp_sidecar.tools.project.search_docs import search_docs
from mcp_sidecar.tools.project.search_posts import search_posts

PROJECT_TOOLS: Final = (
    BoundTool(project_contracts.list_repositories.CONTRACT, list_repositories),
    BoundTool(project_contracts.get_repository.CONTRACT, get_repository),
    BoundTool(project_contracts.search_code.CONTRACT, search_code),
    BoundTool(project_contracts.find_symbol.CONTRACT, find_symbol),
    BoundTool(project_contracts.grep_code.CONTRACT, grep_code),
    BoundTool(project_contracts.list_files.CONTRACT, list_files),
    BoundTool(project_contracts.read_file.CONTRACT, read_file),
    BoundTool(project_contracts.list_commits.CONTRACT, list_commits),
    BoundTool(project_contracts.read_commit.CONTRACT, read_commit),
    BoundTool(project_contracts.search_docs.CONTRACT, search_docs),
    BoundTool(project_contracts.list_docs.CONTRACT, list_docs),
    BoundTool(project_contracts.read_doc.CONTRACT, read_doc),
    BoundTool(project_contracts.search_posts.CONTRACT, search_posts),
    BoundTool(project_contracts.read_post.CONTRACT, read_post),
    BoundTool(project_contracts.list_issues.CONTRACT, list_issues),
    BoundTool(project_contracts.read_issue.CONTRACT, read_issue),
    BoundTool(project_contracts.create_issue.CONTRACT, create_issue),
    BoundTool(project_contracts.comment_on_issue.CONTRACT, comment_on_issue),
)
OPERATIONS_TOOLS: Final = (
    BoundTool(operations_contracts.get_health.CONTRACT, get_health),
    BoundTool(operations_contracts.search_logs.CONTRACT, search_logs),
    BoundTool(operations_contracts.list_tool_calls.CONTRACT, list_tool_calls),
    BoundTool(operations_contracts.get_usage.CONTRACT, get_usage),
    BoundTool(operations_contracts.list_users.CONTRACT, list_users),
    BoundTool(operations_contracts.get_user.CONTRACT, get_user),
    BoundTool(operations_contracts.set_users_active.CONTRACT, set_users_active),
    BoundTool(operations_contracts.revoke_tokens.CONTRACT, revoke_tokens),
    BoundTool(operations_contracts.list_audit_entries.CONTRACT, list_audit_entries),
    BoundTool(operations_contracts.list_sources.CONTRACT, list_sources),
    BoundTool(operations_contracts.sync_repository.CONTRACT, sync_repository),
)
LESSON_TOOLS: Final = (
    BoundTool(lesson_contracts.add.CONTRACT, add),
    BoundTool(lesson_contracts.shout.CONTRACT, shout),
)
