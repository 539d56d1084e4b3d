"""The contracts of portolan-operations, one file each; `CONTRACTS` in the order of tools/list."""

from mcp_sidecar.contract.base import AnyContract
from mcp_sidecar.contract.operations import (
    get_health,
    get_usage,
    get_user,
    list_audit_entries,
    list_sources,
    list_tool_calls,
    list_users,
    revoke_tokens,
    search_logs,
    set_users_active,
    sync_repository,
)

CONTRACTS: tuple[AnyContract, ...] = (
    get_health.CONTRACT,
    search_logs.CONTRACT,
    list_tool_calls.CONTRACT,
    get_usage.CONTRACT,
    list_users.CONTRACT,
    get_user.CONTRACT,
    set_users_active.CONTRACT,
    revoke_tokens.CONTRACT,
    list_audit_entries.CONTRACT,
    list_sources.CONTRACT,
    sync_repository.CONTRACT,
)
