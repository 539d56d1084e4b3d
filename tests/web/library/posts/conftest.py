from datetime import UTC, datetime, timedelta

import pytest

from tests.web.local_server import LocalServer, serving
from web.library.services.posts import PostFields, post_save


class Clock:
    """The product's clock, moved by hand."""

    def __init__(self):
        self.time = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)

    def __call__(self):
        return self.time

    def forward(self, **parts):
        self.time += timedelta(**parts)


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr("web.core.clock._now", made)
    return made


@pytest.fixture
def site(settings) -> LocalServer:
    """A site on loopback that may be fetched."""
    settings.FETCH_PRIVATE_HOSTS = frozenset({"127.0.0.1"})
    with serving() as local:
        yield local


@pytest.fixture
def write(db, clock):
    """Write a published post; other fields as given."""

    def write_post(title="A post", body="Some text.\n", **fields):
        fields.setdefault("status", "published")
        return post_save(fields=PostFields(title=title, body=body, **fields))

    return write_post
