"""The sidecar of the reports: `mcp` is a client of one in this process, `migrated` a folder."""

from tests.mcp_sidecar.conftest import client as mcp  # noqa: F401 - fixtures by their names
from tests.mcp_sidecar.conftest import migrated, repositories, state, way  # noqa: F401
