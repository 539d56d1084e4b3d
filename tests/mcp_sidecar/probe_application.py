"""The sidecar with the probes beside the product's servers, for uvicorn.

SIGUSR1 lets the probes that wait go on.
"""

import signal

from mcp_sidecar.bootstrap import boot_django

boot_django()

from mcp_sidecar.transport.application import SERVERS, Application  # noqa: E402
from tests.mcp_sidecar.probes import PROBES, STATE  # noqa: E402

signal.signal(signal.SIGUSR1, lambda *_: STATE.release.set())
application = Application((*SERVERS, PROBES))
