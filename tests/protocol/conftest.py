"""The sidecar in this process, and a running stack for the same rows over sockets."""

import pytest

from tests.deploy.stack import NO_LIMITS, Stack
from tests.mcp_sidecar.conftest import client, state

__all__ = ["client", "state"]


@pytest.fixture(scope="session")
def stack(tmp_path_factory):
    """Web, sidecar and nginx, without a limit of messages."""
    folder = tmp_path_factory.mktemp("protocol")
    with Stack(folder, public_url="https://hub.example.org", **NO_LIMITS).running() as running:
        yield running
