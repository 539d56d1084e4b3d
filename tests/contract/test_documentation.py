from pathlib import Path

from mcp_sidecar.contract.catalogue import CONTRACTS_BY_SERVER
from mcp_sidecar.contract.documentation import PAGE, main, tools_page

ROOT = Path(__file__).resolve().parents[2]


def test_page_of_tools_is_current():
    assert main(["--check", str(ROOT / PAGE)]) == 0


def test_page_that_is_not_current_fails_the_check(tmp_path, capsys):
    path = tmp_path / "tools.md"
    assert main(["--check", str(path)]) == 1
    assert main([str(path)]) == 0
    assert main(["--check", str(path)]) == 0
    path.write_text("old", encoding="utf-8")
    assert main(["--check", str(path)]) == 1
    assert "not current" in capsys.readouterr().err


def test_page_holds_every_tool_and_argument():
    page = tools_page()
    for contracts in CONTRACTS_BY_SERVER.values():
        for contract in contracts:
            _, _, section = page.partition(f"### {contract.name}\n")
            section = section.partition("\n### ")[0]
            for name in contract.arguments.model_fields:
                assert f"| `{name}` |" in section
