"""One sidecar over a small catalogue."""

import pytest
from django.core.cache import cache

from tests.fuzz import sidecar
from tests.mcp_sidecar.conftest import migrated

__all__ = ["migrated"]


@pytest.fixture
def target(data_folder, transactional_db, tmp_path):
    """A sidecar that answers cases."""
    cache.clear()
    with sidecar.running(sidecar.catalogue(tmp_path)) as running:
        yield running
    cache.clear()
