"""The sidecar in this process, and a running stack for the same rows over sockets."""

import pytest

from tests.deploy.stack import Stack
from tests.mcp_sidecar.conftest import client, state

__all__ = ["client", "state"]


@pytest.fixture(scope="session")
def stack(tmp_path_factory):
    """Web, sidecar and nginx, without a limit of messages."""
    folder = tmp_path_factory.mktemp("protocol")
    limits = {
        "PORTOLAN_MAX_ANONYMOUS_MESSAGES_PER_MINUTE": "0",
        "PORTOLAN_MAX_WRONG_TOKENS_PER_MINUTE": "0",
    }
    with Stack(folder, public_url="https://hub.example.org", **limits).running() as running:
        yield running
