"""The sidecar as a Django app: only for its command, its checks and its signals."""

from django.apps import AppConfig


class SidecarConfig(AppConfig):
    """Django's entry for the sidecar."""

    name = "mcp_sidecar"
    label = "mcp_sidecar"

    def ready(self) -> None:
        """Register the system checks and the receivers of the product's own signals."""
        from mcp_sidecar import checks, receivers  # noqa: F401
