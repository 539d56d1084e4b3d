"""The programs from npm, the server of the suite's fixtures, and a running product."""

import sys

import pytest

from tests.conformance import npm
from tests.deploy.stack import NO_LIMITS, Process, Stack, answers
from tests.services import free_port


@pytest.fixture(scope="session", autouse=True)
def programs():
    """Everything that package-lock.json names."""
    npm.install()


@pytest.fixture(scope="session")
def fixture_url(tmp_path_factory):
    """The endpoint of the suite's fixtures, behind the product's gate."""
    folder = tmp_path_factory.mktemp("fixtures")
    port = free_port()
    server = Process(
        (sys.executable, "-m", "tests.conformance.fixture_server", str(port)),
        log=folder / "server.output",
        answers=lambda: answers(f"http://127.0.0.1:{port}/health"),
        DJANGO_SETTINGS_MODULE="web.config.settings.test",
        PORTOLAN_DATA_DIR=str(folder),
    )
    server.start()
    yield f"http://127.0.0.1:{port}/mcp"
    server.stop()


@pytest.fixture(scope="session")
def product(tmp_path_factory):
    """The product's processes behind nginx."""
    folder = tmp_path_factory.mktemp("product")
    with Stack(folder, public_url="https://hub.example.org", **NO_LIMITS).running() as running:
        yield running
