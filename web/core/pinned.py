"""Connections for `web.core.fetching`: to addresses that were checked, and over by a deadline."""

import ssl
import time
from collections.abc import Iterable

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
                return _DeadlineStream(stream, self._deadline)
        raise httpcore2.ConnectError("no address")


class _DeadlineStream(httpcore2.NetworkStream):
    """A stream whose every step ends at one deadline, so that a slow sender cannot stretch it."""

    def __init__(self, stream: httpcore2.NetworkStream, deadline: float) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002
        return self._stream.read(max_bytes, seconds_left(self._deadline))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002
        self._stream.write(buffer, seconds_left(self._deadline))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002
    ) -> httpcore2.NetworkStream:
        stream = self._stream.start_tls(ssl_context, server_hostname, seconds_left(self._deadline))
        return _DeadlineStream(stream, self._deadline)

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)
