"""The ports that tests give to their servers."""

import errno
import socket
import sys

import pytest

from tests.services import free_port

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a port be held")


def opened(port, *, host="127.0.0.1", reuse=True):
    """Return a socket that listens on the port, as a server does."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, reuse)
    try:
        listener.bind((host, port))
        listener.listen()
    except OSError:
        listener.close()
        raise
    return listener


def test_a_port_is_given_once_and_nobody_answers_on_it():
    ports = [free_port() for _ in range(100)]

    assert len({*ports}) == 100
    with socket.socket() as client:
        assert client.connect_ex(("127.0.0.1", ports[0])) == errno.ECONNREFUSED


def test_a_server_listens_on_its_port_ends_and_starts_again():
    port = free_port()
    for _start in range(2):
        with opened(port) as server, socket.create_connection(("127.0.0.1", port)):
            server.accept()[0].close()
            with pytest.raises(OSError, match="in use"):
                opened(port)


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])  # noqa: S104
def test_who_takes_a_port_that_is_free_does_not_get_one_that_was_given(host):
    port = free_port()

    with pytest.raises(OSError, match="in use"):
        opened(port, host=host, reuse=False)
