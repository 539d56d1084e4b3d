"""The contracts of portolan-operations, one file each; `CONTRACTS` in the order of tools/list."""

from mcp_sidecar.contract.base import AnyContract
from mcp_sidecar.contract.operations import get_user, list_users

CONTRACTS: tuple[AnyContract, ...] = (list_users.CONTRACT, get_user.CONTRACT)
