"""The pages of docs/ that `manage.py generate_docs` makes from the contracts."""

from mcp_sidecar.contract.documentation import tools_page


def pages() -> dict[str, str]:
    """Return the text of each page by its file name."""
    return {"tools.md": tools_page()}
