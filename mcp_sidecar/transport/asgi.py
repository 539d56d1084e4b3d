"""The ASGI entry point: `uvicorn mcp_sidecar.transport.asgi:application`."""

from mcp_sidecar.bootstrap import boot_django

boot_django()

from mcp_sidecar.transport.application import Application  # noqa: E402 - needs Django to be set up

application = Application()
