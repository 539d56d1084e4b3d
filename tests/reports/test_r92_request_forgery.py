"""R92: an address that somebody names never leads into the network that Portolan stands in."""

import pytest

from tests.web.local_server import Reply, serving
from web.core.errors import InvalidInput
from web.core.fetching import fetch

HTML = {"Content-Type": "text/html"}
PUBLIC = "example.org"
REFUSED = [
    "http://127.0.0.1/",
    "http://127.1/",
    "http://0177.0.0.1/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://0/",
    "http://0.0.0.0/",
    "http://2130706433/",
    "http://169.254.169.254/latest/meta-data/",
    "http://10.0.0.1/",
    "http://192.168.0.1/",
    "http://kb.internal/",
    "http://localhost/",
    "http://metadata.google.internal/",
    "file:///etc/passwd",
    "gopher://127.0.0.1/",
]


@pytest.mark.parametrize("url", REFUSED)
def test_an_address_of_a_private_network_is_refused(url):
    with pytest.raises(InvalidInput):
        fetch(url, content_types=["text/html"])


@pytest.mark.parametrize("url", [*REFUSED, "//169.254.169.254/"])
def test_a_redirect_into_a_private_network_is_refused(url, settings):
    settings.FETCH_PRIVATE_HOSTS = frozenset({PUBLIC})
    with serving() as server:
        server.routes["/"] = Reply(status=302, headers={"Location": url})

        def resolver(host, timeout_seconds):
            return ("127.0.0.1",)

        with pytest.raises(InvalidInput):
            fetch(server.url("/", host=PUBLIC), content_types=["text/html"], resolver=resolver)
        assert len(server.asked) == 1


def test_a_name_that_changes_its_address_between_look_ups_reaches_only_the_checked_one(settings):
    """The first look-up is the one that counts; a second one, which nobody makes, would differ."""
    settings.FETCH_PRIVATE_HOSTS = frozenset({PUBLIC})
    answers = iter([("127.0.0.1",)])
    with serving() as server:
        server.routes["/"] = Reply(b"x", headers=HTML)

        def resolver(host, timeout_seconds):
            return next(answers)

        got = fetch(server.url("/", host=PUBLIC), content_types=["text/html"], resolver=resolver)

    assert got.body == b"x"


def test_a_name_that_turns_private_by_the_time_of_a_redirect_is_refused(settings):
    first = "first.example.org"
    settings.FETCH_PRIVATE_HOSTS = frozenset({first})
    addresses = {first: ("127.0.0.1",), PUBLIC: ("127.0.0.1",)}

    def resolver(host, timeout_seconds):
        return addresses[host]

    with serving() as server:
        server.routes["/"] = Reply(status=302, headers={"Location": server.url("/", host=PUBLIC)})

        with pytest.raises(InvalidInput, match="not public"):
            fetch(server.url("/", host=first), content_types=["text/html"], resolver=resolver)

        assert [asked.headers["Host"] for asked in server.asked] == [f"{first}:{server.port}"]


def test_a_public_host_cannot_redirect_to_an_internal_host_that_is_allowed(settings, monkeypatch):
    settings.FETCH_PRIVATE_HOSTS = frozenset({"kb.internal"})
    # The loopback address stands for a public one here, so that a real server can redirect.
    monkeypatch.setattr("web.core.addresses.is_public", lambda address: address == "127.0.0.1")

    def resolver(host, timeout_seconds):
        return ("127.0.0.1",)

    with serving() as server:
        server.routes["/secret"] = Reply(b"secret", headers=HTML)
        server.routes["/"] = Reply(
            status=302, headers={"Location": server.url("/secret", host="kb.internal")}
        )
        direct = server.url("/secret", host="kb.internal")
        assert fetch(direct, content_types=["text/html"], resolver=resolver).body == b"secret"

        with pytest.raises(InvalidInput, match="private network"):
            fetch(server.url("/", host=PUBLIC), content_types=["text/html"], resolver=resolver)
