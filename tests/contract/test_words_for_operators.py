"""What only who runs the server can do is told to nobody else: settings, management commands.

Every text of the product is walked. It may name them where only operators and staff read it: as
the `remedy` of an error, or in a module of the list.
"""

import ast
import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

from mcp_sidecar.contract.failures import failure_text
from mcp_sidecar.errors import unavailable
from web.core.errors import Unavailable

ROOT = Path(__file__).parents[2]
FOR_OPERATORS = re.compile(r"PORTOLAN_[A-Z]|manage\.py|known_hosts|DATA_DIR")
OPERATORS_READ = {
    "*/management/*": "commands",
    "web/config/*": "the start of a process, and the environment",
    "web/*/admin*.py": "the admin",
    "web/library/posts/admin.py": "the admin",
    "web/operations/health/*": "the health, which staff ask for",
    "mcp_sidecar/bootstrap.py": "the start of a process",
    "mcp_sidecar/tracing/*": "the start of a process",
    "mcp_sidecar/metrics/documentation.py": "generated documentation",
    "mcp_sidecar/contract/limits.py": "reads the environment",
    "mcp_sidecar/contract/operations/list_sources.py": "a tool for staff",
    "web/core/limits.py": "reads the environment",
    "web/core/logs.py": "knows the command line",
    "web/accounts/selectors/principals.py": "the account of stdio, which a command names",
    "web/library/git/credentials.py": "the environment of git",
    "web/library/git/failures.py": "why a sync failed: the hints of these are for staff",
    "web/library/git/remotes.py": "the same",
    "web/library/git/urls.py": "addresses of repositories, which staff write",
    "web/library/indexing/*": "syncs, and explain_index",
    "web/library/posts/entries.py": "why an import failed: the hints of these are for staff",
    "web/library/services/feeds.py": "feeds, which staff add",
    "web/core/encryption.py": "secrets that only syncs and staff use",
}


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the texts of a module with their lines, but for docstrings and remedies."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    passed = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) or (isinstance(node, ast.keyword) and node.arg == "remedy")
    }
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if id(node) in passed or _names_a_remedy(node):
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
        waiting += ast.iter_child_nodes(node)


def _names_a_remedy(node: ast.AST) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else []
    if isinstance(node, ast.AnnAssign):
        targets = [node.target]
    return any(isinstance(one, ast.Name) and one.id.endswith("_REMEDY") for one in targets)


def modules() -> list[str]:
    paths = [path for top in ("web", "mcp_sidecar") for path in (ROOT / top).rglob("*.py")]
    return sorted(str(path.relative_to(ROOT)) for path in paths)


def test_no_text_for_callers_names_what_only_operators_can_do():
    found = {
        f"{module}:{line}": text
        for module in modules()
        if not any(fnmatch(module, pattern) for pattern in OPERATORS_READ)
        for line, text in texts(ROOT / module)
        if FOR_OPERATORS.search(text)
    }
    assert found == {}


@pytest.mark.parametrize("pattern", OPERATORS_READ)
def test_the_list_names_modules_that_are_there(pattern):
    assert any(fnmatch(module, pattern) for module in modules())


def test_a_remedy_is_for_operators_alone():
    error = Unavailable("It failed.", hint="Wait.", remedy="Raise PORTOLAN_X.")

    assert str(error) == "It failed. Wait. Raise PORTOLAN_X."
    assert error.advice == "Wait. Raise PORTOLAN_X."
    told = [error.words, failure_text(error)]
    told.append(unavailable(error, request_id="r", where="here").message)
    assert not any("PORTOLAN" in text for text in told)
    assert all("Wait." in text for text in told)
