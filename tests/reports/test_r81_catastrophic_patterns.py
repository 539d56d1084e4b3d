"""R81: a pattern that other engines never finish."""

import ast
from pathlib import Path

import pytest

from tests.gitrepos import GitRepository
from tests.library import add_and_sync
from web.accounts.principals import ANONYMOUS
from web.core.errors import InvalidInput
from web.library.selectors.grep import lines_matching

PROJECT = Path(__file__).resolve().parents[2]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|a)*b", "(a*)*c", "(", "[", "\\", "(?R)", "a" * 10_000]
)
def test_it_is_answered_or_refused(pattern, tmp_path, settings):
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    settings.ALLOW_LOCAL_REPOSITORIES = True
    origin = GitRepository(tmp_path / "origin")
    origin.write({"planted.py": f"x = '{'a' * 60}!'\n"}).commit()
    add_and_sync("planted", origin.url)
    try:
        found = lines_matching(principal=ANONYMOUS, repository="planted", pattern=pattern)
    except InvalidInput as refused:
        assert refused.hint  # noqa: PT017 - either way is right
    else:
        assert found.searched_count == 1


def test_no_caller_reaches_the_backtracking_engine():
    """Every use of `re` in selectors compiles a constant at import, or a pattern of our own."""
    offenders = []
    for file in (PROJECT / "web/library/selectors").glob("*.py"):
        for function in ast.walk(ast.parse(file.read_text())):
            if not isinstance(function, ast.FunctionDef):
                continue
            offenders += [
                f"{file.name}:{node.lineno}"
                for node in ast.walk(function)
                if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re.")
            ]
    assert offenders == []
