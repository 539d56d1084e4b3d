"""The sidecar with the probes beside the product's servers, for uvicorn."""

from mcp_sidecar.bootstrap import boot_django

boot_django()

from mcp_sidecar.transport.application import SERVERS, Application  # noqa: E402
from tests.mcp_sidecar.probes import PROBES  # noqa: E402

application = Application((*SERVERS, PROBES))
