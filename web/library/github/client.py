"""The only way to GitHub's REST API: for one call, with its token, until its deadline.

The token goes to the host of PORTOLAN_GITHUB_API_URL and to no other: redirects are followed on
that host (renamed repositories, moved issues) and refused elsewhere. Reads share connections and
are tried once more where a kept one turns out to be closed. A change has a connection of its own
and is sent once: what nobody answered may have happened.
"""

import ssl
import time
from collections.abc import Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlencode, urljoin, urlsplit

import msgspec
from django.conf import settings
from pydantic import SecretStr

from web.core.errors import DeadlineExceeded, TooLarge, Unavailable
from web.core.limits import LIMITS
from web.library.github.connections import connections
from web.library.github.failures import (
    TELL_THE_OPERATOR,
    Aim,
    Answer,
    OutcomeUnknown,
    failure_of,
    undecodable,
)

if TYPE_CHECKING:  # imported when it is first needed: most sidecars never ask GitHub
    import httpcore2

API_VERSION: Final = "2022-11-28"
USER_AGENT: Final = "Portolan/1 (issues)"
MAX_REFUSAL_BYTES: Final = 64 * 1024
_REDIRECTS: Final = {301, 302, 307, 308}
_SERVER_ERRORS: Final = 500
_ADDRESS: Final = "%:/?#[]@!$&'()*+,;="  # what stands in an address as it is (RFC 3986, 2)


class GitHub:
    """GitHub for one caller and one call."""

    def __init__(self, token: SecretStr) -> None:
        self._token = token
        self._ends = time.monotonic() + LIMITS.github_timeout_seconds

    def get[Shape](
        self,
        path: str,
        shape: type[Shape],
        *,
        aim: Aim,
        query: Mapping[str, str | int] | None = None,
    ) -> Shape:
        """Return what is at `path` of the API, read as `shape`.

        Raises NotFound, NotAllowed, InvalidInput, TooManyRequests as GitHub refuses, TooLarge
        beyond LIMITS.max_github_bytes, DeadlineExceeded, and Unavailable for whatever else goes
        wrong on the way.
        """
        return self.page(path, shape, aim=aim, query=query or {})[0]

    def page[Shape](
        self, path: str, shape: type[Shape], *, aim: Aim, query: Mapping[str, str | int]
    ) -> tuple[Shape, bool]:
        """Return a page of a list, and whether there is another; raises as `get` does."""
        target = f"{path}?{urlencode(query)}" if query else path
        answer = self._answer("GET", target, None, aim)
        if answer.status != HTTPStatus.OK:
            raise failure_of(answer, aim)
        return _decoded(answer, shape, aim), 'rel="next"' in answer.header("link")

    def post[Shape](
        self, path: str, shape: type[Shape], *, aim: Aim, body: Mapping[str, Any]
    ) -> Shape:
        """Create what `body` says at `path`, and return it as `shape`.

        Raises as `get` does; and OutcomeUnknown where it was sent and the answer does not say
        whether it was done.
        """
        try:
            answer = self._answer("POST", path, msgspec.json.encode(body), aim)
            if answer.status >= _SERVER_ERRORS:
                raise _unknown_outcome(aim, f"GitHub failed (status {answer.status})")
            if answer.status not in {HTTPStatus.OK, HTTPStatus.CREATED}:
                raise failure_of(answer, aim)
            return _decoded(answer, shape, aim)
        except (DeadlineExceeded, TooLarge, _Unreadable) as error:
            raise _unknown_outcome(aim, error.message.rstrip(".")) from None

    def _answer(self, method: str, target: str, content: bytes | None, aim: Aim) -> Answer:
        url = _api() + target
        for _ in range(LIMITS.max_redirects + 1):
            answer = self._sent(method, url, content, aim)
            if answer.status not in _REDIRECTS:
                return answer
            url = _on_the_same_host(url, answer.header("location"), aim)
        raise Unavailable(
            f"GitHub redirects more than {LIMITS.max_redirects} times for {aim.what}.",
            hint="Tell the user: the repository's address may have to be corrected.",
        )

    def _sent(self, method: str, url: str, content: bytes | None, aim: Aim) -> Answer:
        """Return the answer to one request, whatever its status."""
        import httpcore2

        from web.core.pinned import OutOfTimeError

        headers = {
            "Accept": "application/vnd.github+json",
            "Accept-Encoding": "gzip",
            "Authorization": f"Bearer {self._token.get_secret_value()}",
            "User-Agent": USER_AGENT,
            "X-GitHub-Api-Version": API_VERSION,
        }
        if content is not None:
            headers["Content-Type"] = "application/json"
        try:
            with connections(until=self._ends, is_shared=content is None) as pool:
                try:
                    return _received(pool, method, url, headers, content)
                except (httpcore2.ReadError, httpcore2.WriteError, httpcore2.ProtocolError):
                    if content is not None:
                        raise
                    return _received(pool, method, url, headers, content)
        except TooLarge:
            raise TooLarge(
                f"GitHub's answer about {aim.what} is larger than "
                f"{LIMITS.max_github_bytes:,} bytes.",
                hint="Ask for less; if it stays so, tell the user to look on GitHub.",
            ) from None
        except (httpcore2.TimeoutException, OutOfTimeError):
            raise DeadlineExceeded(
                f"GitHub took longer than {LIMITS.github_timeout_seconds:g} s for {aim.what}.",
                hint="Ask for less, or try once more later, then tell the user.",
            ) from None
        except httpcore2.ConnectError as error:
            raise Unavailable(
                _no_connection(error), hint="Nothing was sent. Try again later."
            ) from None
        except (httpcore2.NetworkError, httpcore2.ProtocolError):
            if content is not None:
                raise _unknown_outcome(aim, "GitHub broke off its answer") from None
            raise Unavailable(
                f"GitHub broke off its answer about {aim.what}.", hint="Try again later."
            ) from None


class _Unreadable(Unavailable):
    """An answer that is no JSON of the shape that was asked for."""


def _received(
    pool: "httpcore2.ConnectionPool",
    method: str,
    url: str,
    headers: Mapping[str, str],
    content: bytes | None,
) -> Answer:
    from web.core.fetching import bounded_body

    wait = {"timeout": {"pool": LIMITS.github_timeout_seconds}}
    named = [(name.encode(), value.encode()) for name, value in headers.items()]
    with pool.stream(method, url, headers=named, content=content, extensions=wait) as response:
        answer = Answer(
            response.status,
            {name.decode("latin-1").lower(): v.decode("latin-1") for name, v in response.headers},
            b"",
        )
        if answer.status in _REDIRECTS:
            return answer
        is_refusal = answer.status >= HTTPStatus.BAD_REQUEST
        most = MAX_REFUSAL_BYTES if is_refusal else LIMITS.max_github_bytes
        try:
            body = bounded_body(answer.header, response.iter_stream(), max_bytes=most)
        except Unavailable as error:  # packed in a damaged way
            if not is_refusal:
                raise _Unreadable(error.message, hint="Try once more later.") from None
            body = b""  # its status says enough
        except TooLarge:
            if not is_refusal:
                raise
            body = b""
        return Answer(answer.status, answer.headers, body)


def _decoded[Shape](answer: Answer, shape: type[Shape], aim: Aim) -> Shape:
    try:
        return msgspec.json.decode(answer.body, type=shape)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        unread = undecodable(aim, answer.header("content-type"))
        raise _Unreadable(unread.message, hint=unread.hint, remedy=unread.remedy) from None


def _unknown_outcome(aim: Aim, why: str) -> OutcomeUnknown:
    return OutcomeUnknown(
        f"{why}: whether {aim.what} was written is not known.",
        hint="Look with list_issues or read_issue before you try again. The very same call looks "
        "itself first, so that nothing is written twice.",
    )


def _api() -> str:
    api: str = settings.GITHUB_API_URL
    return api.rstrip("/")


def _on_the_same_host(url: str, location: str, aim: Aim) -> str:
    """Return where a redirect leads, in ASCII. Raises Unavailable where that is another host."""
    try:
        target = urljoin(url, quote(location.encode("latin-1"), safe=_ADDRESS))
    except ValueError:
        target = ""
    if not location or _origin(target) != _origin(_api()):
        raise Unavailable(
            f"GitHub redirects to another host for {aim.what}, where the token is not sent.",
            hint=f"Do not repeat the call: {TELL_THE_OPERATOR}.",
            remedy="PORTOLAN_GITHUB_API_URL or the repository's address may have to be corrected.",
        )
    return target


def _origin(url: str) -> tuple[str, str | None, int | None]:
    try:
        parts = urlsplit(url)
        port = parts.port or {"https": 443, "http": 80}.get(parts.scheme)
    except ValueError:
        return "", None, None
    return parts.scheme, parts.hostname, port


def _no_connection(error: Exception) -> str:
    if any(isinstance(reason, ssl.SSLError) for reason in error.args):
        return "GitHub's API shows a certificate that is not trusted, or speaks no TLS."
    return "GitHub's API cannot be reached."
