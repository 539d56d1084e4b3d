"""GitHub on loopback, and a repository on it."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.github_api import Project, github_for


@pytest.fixture
def project(settings: Any, db: None) -> Iterator[Project]:
    """Serve ada/engine, known here as `engine`."""
    with github_for(settings) as served:
        yield served
