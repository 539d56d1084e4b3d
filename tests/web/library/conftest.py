"""What tests of the library share: a data folder of their own and a real repository."""

from pathlib import Path
from typing import Any

import pytest

from tests.gitrepos import GitRepository


@pytest.fixture(autouse=True)
def _data_folder(settings: Any, tmp_path: Path) -> None:
    """Keep mirrors below the test's own folder."""
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    settings.ALLOW_LOCAL_REPOSITORIES = True


@pytest.fixture
def origin(tmp_path: Path) -> GitRepository:
    """Return an empty repository to write to."""
    return GitRepository(tmp_path / "origin")
