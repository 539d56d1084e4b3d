from pathlib import Path

from mcp_sidecar.contract.catalogue import CONTRACTS_BY_SERVER
from mcp_sidecar.contract.documentation import tools_page
from mcp_sidecar.generated_docs import pages

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_page_of_tools_is_current():
    for name, text in pages().items():
        assert (DOCS / name).read_text(encoding="utf-8") == text, "run make docs"


def test_page_holds_every_tool_and_argument():
    page = tools_page()
    for contracts in CONTRACTS_BY_SERVER.values():
        for contract in contracts:
            _, _, section = page.partition(f"### {contract.name}\n")
            section = section.partition("\n### ")[0]
            for name in contract.arguments.model_fields:
                assert f"| `{name}` |" in section
