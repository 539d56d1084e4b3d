"""The sidecar as a Django app: only for its command and its signals."""

from django.apps import AppConfig


class SidecarConfig(AppConfig):
    """Django's entry for the sidecar."""

    name = "mcp_sidecar"
    label = "mcp_sidecar"
