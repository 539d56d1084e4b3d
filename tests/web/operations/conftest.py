"""The time stands still at noon."""

import pytest

from tests.web.operations.calls import NOON
from web.core import clock


@pytest.fixture
def at_noon(monkeypatch):
    """Make now 2026-11-30 12:00 UTC."""
    monkeypatch.setattr(clock, "_now", lambda: NOON)
