"""All contracts by server: what is described, linted and documented."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from mcp_sidecar.contract import lesson, operations, project
from mcp_sidecar.contract.base import AnyContract

CONTRACTS_BY_SERVER: Final[Mapping[str, tuple[AnyContract, ...]]] = MappingProxyType(
    {
        "portolan-project": project.CONTRACTS,
        "portolan-operations": operations.CONTRACTS,
        "portolan-lesson": lesson.CONTRACTS,
    }
)
