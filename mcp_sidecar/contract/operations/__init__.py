"""The contracts of portolan-operations, one file each; `CONTRACTS` in the order of tools/list."""

from mcp_sidecar.contract.base import AnyContract
from mcp_sidecar.contract.operations import (
    get_user,
    list_audit_entries,
    list_sources,
    list_users,
    revoke_tokens,
    set_users_active,
    sync_repository,
)

CONTRACTS: tuple[AnyContract, ...] = (
    list_users.CONTRACT,
    get_user.CONTRACT,
    set_users_active.CONTRACT,
    revoke_tokens.CONTRACT,
    list_audit_entries.CONTRACT,
    list_sources.CONTRACT,
    sync_repository.CONTRACT,
)
