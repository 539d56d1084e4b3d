"""Members, staff, and a client of the authorization server for the tests of accounts."""

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client

from tests.web.accounts.walker import Walker
from web.accounts.records import Actor

PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def _fresh_cache():
    cache.clear()


@pytest.fixture
def member(db):
    return User.objects.create_user("mira", "mira@example.org", PASSWORD)


@pytest.fixture
def staff(db):
    return User.objects.create_user("stan", "stan@example.org", PASSWORD, is_staff=True)


@pytest.fixture
def staff_actor(staff):
    return Actor.of(staff, address="192.0.2.7")


@pytest.fixture
def member_client(member):
    client = Client()
    client.force_login(member)
    return client


@pytest.fixture
def walker(member_client):
    """An OAuth client whose member is signed in."""
    return Walker(member_client)
