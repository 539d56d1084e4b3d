"""Serve the probes over standard input and output, with an application that prints at the start."""

from mcp_sidecar.wire import claim

claim()
print("printed before Django is set up")

from mcp_sidecar.bootstrap import boot_django  # noqa: E402

boot_django()
print("printed after Django is set up")

from django.core.management import call_command  # noqa: E402

from mcp_sidecar.management.commands import mcp_server  # noqa: E402
from tests.mcp_sidecar.probes import PROBES  # noqa: E402

mcp_server.SERVERS["probes"] = PROBES
call_command("mcp_server", "--server", "probes")
