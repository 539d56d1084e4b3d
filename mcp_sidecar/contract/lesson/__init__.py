"""The contracts of portolan-lesson: the smallest server, for trying a connection."""

from mcp_sidecar.contract.base import AnyContract
from mcp_sidecar.contract.lesson import add, shout

CONTRACTS: tuple[AnyContract, ...] = (add.CONTRACT, shout.CONTRACT)
