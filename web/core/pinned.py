"""Connections of outgoing requests: to addresses that were checked, and over by a deadline."""

import ssl
import time
from collections.abc import Callable, Iterable
from functools import partial

import httpcore2

_MOST_ADDRESSES_TRIED = 4


class OutOfTimeError(Exception):
    """The deadline of a fetch has passed."""


def seconds_left(deadline: float) -> float:
    """Return how long it is until the deadline (monotonic). Raises OutOfTimeError behind it."""
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise OutOfTimeError
    return seconds


class PinnedBackend(httpcore2.SyncBackend):
    """Connects to addresses checked beforehand, whatever the host name would resolve to now."""

    def __init__(self, addresses: tuple[str, ...], deadline: float) -> None:
        self._addresses = addresses[:_MOST_ADDRESSES_TRIED]
        self._deadline = deadline

    def connect_tcp(
        self,
        host: str,  # noqa: ARG002 - only the checked addresses count
        port: int,
        timeout: float | None = None,  # noqa: ARG002 - the deadline is the bound
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        """Return a stream to the first address that answers."""
        for tried, address in enumerate(self._addresses, start=1):
            share = seconds_left(self._deadline) / (len(self._addresses) - tried + 1)
            try:
                stream = super().connect_tcp(address, port, share, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                if tried == len(self._addresses):
                    raise
            else:
                return DeadlineStream(stream, partial(seconds_left, self._deadline))
        raise httpcore2.ConnectError("no address")


class DeadlineBackend(httpcore2.SyncBackend):
    """Connects as usual, to streams that are over when `remaining()` says so."""

    def __init__(self, remaining: Callable[[], float]) -> None:
        self._remaining = remaining

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 - the deadline is the bound
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        """Return a stream to the host."""
        stream = super().connect_tcp(host, port, self._remaining(), local_address, socket_options)
        return DeadlineStream(stream, self._remaining)


class DeadlineStream(httpcore2.NetworkStream):
    """A stream whose every step ends at one deadline, so that a slow sender cannot stretch it.

    `remaining()` says how many seconds are left, and raises OutOfTimeError when none are.
    """

    def __init__(self, stream: httpcore2.NetworkStream, remaining: Callable[[], float]) -> None:
        self._stream = stream
        self._remaining = remaining

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002
        """Return what arrives in the time that is left."""
        return self._stream.read(max_bytes, self._remaining())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002
        """Send all of it in the time that is left."""
        self._stream.write(buffer, self._remaining())

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002
    ) -> httpcore2.NetworkStream:
        """Return the stream under TLS, with the same end."""
        stream = self._stream.start_tls(ssl_context, server_hostname, self._remaining())
        return DeadlineStream(stream, self._remaining)

    def get_extra_info(self, info: str) -> object:
        """Return what the stream itself says."""
        return self._stream.get_extra_info(info)
