"""The pages of docs/ that are made from the sidecar's own declarations."""

from mcp_sidecar.contract.documentation import tools_page
from mcp_sidecar.metrics.documentation import metrics_page


def pages() -> dict[str, str]:
    """Return the generated pages by their file name in docs/."""
    return {"metrics.md": metrics_page(), "tools.md": tools_page()}
