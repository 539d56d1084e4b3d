"""One running stack for all tests of this folder."""

import pytest

from tests.deploy.stack import NO_LIMITS, Stack


@pytest.fixture(scope="session")
def stack(tmp_path_factory):
    """Web, sidecar and nginx for the public address https://hub.example.org."""
    folder = tmp_path_factory.mktemp("stack")
    with Stack(folder, public_url="https://hub.example.org", **NO_LIMITS).running() as running:
        yield running
