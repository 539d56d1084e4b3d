"""What tests of the library share: a data folder of their own and a real repository."""

from pathlib import Path

import pytest

from tests.gitrepos import GitRepository


@pytest.fixture(autouse=True)
def _data_folder(data_folder: Path) -> None:
    """Keep mirrors below the test's own folder."""


@pytest.fixture
def origin(tmp_path: Path) -> GitRepository:
    """Return an empty repository to write to."""
    return GitRepository(tmp_path / "origin")
