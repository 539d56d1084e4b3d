"""Outgoing requests to addresses that somebody else chose: feeds, sites, metadata documents.

`fetch` is the only function of the product that does this. It connects to the very address that
was checked, looks again at every redirect, and bounds time and size. It sends no cookie, no
credential and no Referer, and knows no proxy of the environment.
"""

import ssl
import time
import zlib
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from email.message import Message
from fnmatch import fnmatchcase
from urllib.parse import urljoin

import httpcore2
from django.conf import settings

from web.core.addresses import (
    Resolver,
    WebAddress,
    allowed_addresses,
    system_resolver,
    web_address,
)
from web.core.errors import (
    LONGEST_WAIT_SECONDS,
    InvalidInput,
    NotAllowed,
    NotFound,
    PortolanError,
    TooLarge,
    TooManyRequests,
    Unavailable,
)
from web.core.limits import LIMITS
from web.core.pinned import OutOfTimeError, PinnedBackend, seconds_left
from web.core.text import whole_number

USER_AGENT = "Portolan/1 (feed and documentation reader)"
_REDIRECTS = {301, 302, 303, 307, 308}
_NOT_FOUND, _GONE = 404, 410
_FORBIDDEN = {401, 403}
_OK, _NOT_MODIFIED, _TOO_MANY_REQUESTS = 200, 304, 429
_RETRY_AFTER_SECONDS = 60
_READ_BYTES = 64 * 1024
_Header = tuple[bytes, bytes]


class Gone(NotFound):
    """What was at the address was removed for good, and should not be asked for again."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer: `url` is where it came from after redirects, `body` is decompressed.

    With `is_unchanged` the server said that the version the caller has is still the newest; the
    body is empty then. `content_type` is lowercase without parameters, `charset` the one declared
    or empty. `etag` and `last_modified` are to be sent with the next request, as they are.
    `cache_control` says how long the answer may be kept, as the server wrote it.
    """

    url: str
    is_unchanged: bool
    content_type: str
    charset: str
    body: bytes
    etag: str
    last_modified: str
    cache_control: str = ""


def fetch(
    url: str,
    *,
    content_types: Collection[str],
    etag: str = "",
    last_modified: str = "",
    max_bytes: int | None = None,
    max_redirects: int | None = None,
    timeout_seconds: float | None = None,
    resolver: Resolver = system_resolver,
) -> Fetched:
    """Get `url` from the public internet and return the answer.

    `content_types` are the media types that the caller can read; `*` in one stands for any text
    (`text/*`, `application/*+json`). `etag` and `last_modified` of an earlier answer make the
    request conditional. `max_redirects` redirects are followed (LIMITS.max_redirects), `max_bytes`
    bounds the decompressed body (LIMITS.max_fetched_bytes), and `timeout_seconds` the whole of it
    (LIMITS.fetch_timeout_seconds). Hosts of settings.FETCH_PRIVATE_HOSTS may be in a
    private network, when they are asked for directly or redirect to each other.

    Raises InvalidInput for an address that is refused and for an answer of another media type,
    NotFound for 404, Gone for 410, NotAllowed for 401 and 403, TooLarge, TooManyRequests with the
    wait that the server asks for, and Unavailable for whatever else goes wrong on the way.
    """
    seconds = LIMITS.fetch_timeout_seconds if timeout_seconds is None else timeout_seconds
    most_redirects = LIMITS.max_redirects if max_redirects is None else max_redirects
    deadline = time.monotonic() + seconds
    bound = LIMITS.max_fetched_bytes if max_bytes is None else max_bytes
    headers = _request_headers(content_types, etag=etag, last_modified=last_modified)
    address = web_address(url)
    private_hosts: Collection[str] = settings.FETCH_PRIVATE_HOSTS
    try:
        for _ in range(most_redirects + 1):
            # From a public host no redirect leads into the private network.
            private_hosts = private_hosts if address.host in private_hosts else ()
            addresses = allowed_addresses(
                address.host,
                resolver=resolver,
                private_hosts=private_hosts,
                timeout_seconds=seconds_left(deadline),
            )
            answer = _answer(address, addresses, headers, deadline=deadline, bound=bound)
            if answer.status not in _REDIRECTS:
                return _fetched(address, answer, content_types=content_types)
            address = web_address(urljoin(address.url, answer.header("location")))
    except (httpcore2.TimeoutException, OutOfTimeError):
        raise Unavailable(
            f"{address.host} took longer than {seconds:g} seconds.", hint="Try again later."
        ) from None
    raise Unavailable(
        f"{address.host} redirects more than {most_redirects} times.",
        hint="Use the address that it leads to.",
    )


def inflated(data: bytes, *, max_bytes: int) -> bytes:
    """Return what gzip or zlib packed into `data`.

    Raises TooLarge beyond `max_bytes`, Unavailable for data that is damaged.
    """
    return _inflated([data], max_bytes)


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: tuple[_Header, ...]
    body: bytes

    def header(self, name: str) -> str:
        """Return a header's first value, empty without one."""
        wanted = name.encode("ascii")
        return next((v.decode("latin-1") for k, v in self.headers if k.lower() == wanted), "")


def _answer(
    address: WebAddress,
    addresses: tuple[str, ...],
    headers: list[_Header],
    *,
    deadline: float,
    bound: int,
) -> _Answer:
    """Return the answer of one hop; the body only of a success, decompressed.

    Behind the deadline it raises OutOfTimeError or httpcore2.TimeoutException.
    """
    url = httpcore2.URL(
        scheme=address.scheme, host=address.host, port=address.port, target=address.target
    )
    host = (b"Host", address.authority.encode("ascii"))
    try:
        with (
            httpcore2.ConnectionPool(
                network_backend=PinnedBackend(addresses, deadline),
                ssl_context=ssl.create_default_context(),
            ) as pool,
            pool.stream("GET", url, headers=[host, *headers]) as response,
        ):
            answer = _Answer(response.status, tuple(response.headers), b"")
            if response.status != _OK:
                return answer
            body = bounded_body(answer.header, response.iter_stream(), max_bytes=bound)
            return _Answer(_OK, answer.headers, body)
    except (httpcore2.NetworkError, httpcore2.ProtocolError) as error:
        raise Unavailable(_failure(address, error), hint="Try again later.") from None


def bounded_body(header: Callable[[str], str], chunks: Iterable[bytes], *, max_bytes: int) -> bytes:
    """Return the body of an answer, unpacked.

    `header` gives a header's value by its name in lowercase, empty without one. Raises TooLarge
    beyond `max_bytes`, Unavailable for a body that is packed in a damaged or unknown way.
    """
    declared = header("content-length")
    if declared.isdecimal() and int(declared) > max_bytes:
        raise _too_large(max_bytes)
    encoding = header("content-encoding").strip().lower()
    if encoding in {"gzip", "x-gzip", "deflate"}:
        return _inflated(chunks, max_bytes)
    if encoding not in {"", "identity"}:
        raise Unavailable(f"The answer is packed as {encoding[:20]!r}, which was not asked for.")
    body = bytearray()
    for chunk in chunks:
        body += chunk
        if len(body) > max_bytes:
            raise _too_large(max_bytes)
    return bytes(body)


def _inflated(chunks: Iterable[bytes], bound: int) -> bytes:
    """Unpack gzip or zlib, never holding more than one block beyond `bound`."""
    unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
    body = bytearray()
    taken = 0
    try:
        for chunk in chunks:
            rest = chunk
            taken += len(chunk)
            while rest and not unpacker.eof:
                body += unpacker.decompress(rest, _READ_BYTES)
                rest = unpacker.unconsumed_tail
                if len(body) > bound:
                    raise _too_large(bound)
            if taken > bound:
                raise _too_large(bound)
        body += unpacker.flush()
    except zlib.error:
        raise Unavailable("The answer is packed in a damaged way.") from None
    if len(body) > bound:
        raise _too_large(bound)
    if taken and not unpacker.eof:
        raise Unavailable("The packed answer ends too early.", hint="Try again later.")
    if unpacker.unused_data:
        raise Unavailable("The answer is packed in several parts, which is not understood.")
    return bytes(body)


def _fetched(address: WebAddress, answer: _Answer, *, content_types: Collection[str]) -> Fetched:
    if answer.status not in {_OK, _NOT_MODIFIED}:
        raise _status_error(address, answer)
    message = Message()
    message["Content-Type"] = answer.header("content-type") or "application/octet-stream"
    content_type = message.get_content_type()
    is_readable = any(fnmatchcase(content_type, wanted) for wanted in content_types)
    if answer.status == _OK and not is_readable:
        raise InvalidInput(
            f"{address.host} answers with {content_type}, which cannot be read here.",
            hint="Check that this is the right address.",
            fields={"url": f"answers with {content_type}"},
        )
    return Fetched(
        url=address.url,
        is_unchanged=answer.status == _NOT_MODIFIED,
        content_type=content_type,
        charset=message.get_content_charset("").lower(),
        body=answer.body,
        etag=answer.header("etag"),
        last_modified=answer.header("last-modified"),
        cache_control=answer.header("cache-control"),
    )


def _status_error(address: WebAddress, answer: _Answer) -> PortolanError:
    said = f"{address.host} answers with status {answer.status}."
    if answer.status == _NOT_FOUND:
        return NotFound(said, hint="Check the address: nothing is there.")
    if answer.status == _GONE:
        return Gone(said, hint="What was there is gone for good.")
    if answer.status in _FORBIDDEN:
        return NotAllowed(said, hint="Only what everyone may read is fetched.")
    if answer.status == _TOO_MANY_REQUESTS:
        asked = whole_number(answer.header("retry-after"), most=LONGEST_WAIT_SECONDS)
        seconds = _RETRY_AFTER_SECONDS if asked is None else asked
        return TooManyRequests(said, retry_after_seconds=seconds, hint="Fetch less often.")
    return Unavailable(said, hint="Try again later, or open the address in a browser.")


def _request_headers(
    content_types: Collection[str], *, etag: str, last_modified: str
) -> list[_Header]:
    named = {
        "Accept": ", ".join([*content_types, "*/*;q=0.1"]),
        "Accept-Encoding": "gzip",
        "User-Agent": USER_AGENT,
        "If-None-Match": etag,
        "If-Modified-Since": last_modified,
    }
    return [(name.encode(), value.encode("latin-1")) for name, value in named.items() if value]


def _failure(address: WebAddress, error: Exception) -> str:
    if any(isinstance(reason, ssl.SSLError) for reason in error.args):
        return f"{address.host} shows a certificate that is not trusted, or speaks no TLS."
    if isinstance(error, httpcore2.ConnectError):
        return f"{address.host} does not answer."
    return f"{address.host} broke off its answer."


def _too_large(bound: int) -> TooLarge:
    return TooLarge(f"The answer is larger than {bound:,} bytes.")
