"""The same rows over sockets, with nginx and without; and what only a connection can show."""

import json
import socket
from urllib.parse import urlsplit

import httpx
import pytest

from tests.messages import PONG
from tests.protocol.rows import PING, TABLE
from tests.protocol.table import VERSIONS, seen

pytestmark = pytest.mark.services


@pytest.fixture(params=["sidecar", "nginx"])
def url(request, stack):
    """The address of the sidecar itself, or of nginx before it."""
    return stack.sidecar_url if request.param == "sidecar" else stack.url


@pytest.mark.parametrize("version", VERSIONS)
def test_every_case_is_answered_as_the_table_says(stack, url, version):
    wrong = {}
    through_nginx = url == stack.url
    with httpx.Client(base_url=url, trust_env=False, timeout=60) as http:
        http.headers.clear()
        for row in (row for rows in TABLE.values() for row in rows):
            content, headers = row.sent(version)
            response = http.request(row.method, row.path, content=content, headers=list(headers))
            answer = seen(response.status_code, response.headers, response.content)
            if answer != row.expected(version, through_nginx=through_nginx):
                wrong[row.case] = answer
    assert wrong == {}


def exchanged(url, *pieces):
    """Send bytes over one connection and return all that comes back."""
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname, parts.port), timeout=60) as connection:
        for piece in pieces:
            connection.sendall(piece)
        received = b""
        while data := connection.recv(65_536):
            received += data
    return received


def posted(message, *headers, version=b"1.1", close=False):
    """A whole request as bytes."""
    body = json.dumps(message).encode()
    lines = [
        b"POST /mcp/lesson HTTP/" + version,
        b"Host: 127.0.0.1",
        b"Content-Type: application/json",
        b"Content-Length: %d" % len(body),
        *headers,
        *([b"Connection: close"] if close else []),
    ]
    return b"\r\n".join([*lines, b"", body])


def bodies(received):
    """The JSON bodies of several answers, in their order."""
    found = []
    while received:
        head, _, rest = received.partition(b"\r\n\r\n")
        lengths = [
            int(line.partition(b":")[2])
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"content-length:")
        ]
        size = lengths[0] if lengths else len(rest)
        found.append(json.loads(rest[:size]))
        received = rest[size:]
    return found


def test_requests_sent_one_after_the_other_without_waiting_are_answered_in_their_order(url):
    requests = [posted({**PING, "id": number}, close=number == 9) for number in range(10)]
    answers = bodies(exchanged(url, b"".join(requests)))
    assert [answer["id"] for answer in answers] == list(range(10))


def test_a_body_in_chunks_is_read(url):
    body = json.dumps(PING).encode()
    head = b"\r\n".join(
        [
            b"POST /mcp/lesson HTTP/1.1",
            b"Host: 127.0.0.1",
            b"Content-Type: application/json",
            b"Transfer-Encoding: chunked",
            b"Connection: close",
            b"",
            b"",
        ]
    )
    chunks = [b"%x;note=x\r\n%s\r\n" % (1, body[at : at + 1]) for at in range(len(body))]
    received = exchanged(url, head, *chunks, b"0\r\n\r\n")
    assert received.startswith(b"HTTP/1.1 200")
    assert b'"result":{}' in received


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"POST /mcp/lesson HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: x\r\n\r\n",
        b"POST /mcp/lesson HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n"
        b"Content-Length: 6\r\n\r\nhello!",
        b"POST /mcp/lesson HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n"
        b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n",
        b"POST /mcp/lesson HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n"
        b"Connection: close\r\n\r\nzz\r\n\r\n",
        b"POST /mcp/lesson HTTP/1.1\r\nHost: 127.0.0.1\r\nBad Header: x\r\nConnection: close\r\n"
        b"Content-Length: 0\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"nonsense\r\n\r\n",
    ],
)
def test_a_request_that_no_two_servers_read_alike_is_refused(url, request_bytes):
    received = exchanged(url, request_bytes)
    assert received[:12] in {b"HTTP/1.1 400", b"HTTP/1.1 501", b""}
    assert b'"result"' not in received
    assert b"Traceback" not in received
    assert b'"result":{}' in exchanged(url, posted(PING, close=True))


def test_a_client_of_http_1_0_is_served(url):
    received = exchanged(url, posted(PING, version=b"1.0"))
    assert received.split(b"\r\n")[0].endswith(b"200 OK")
    assert json.loads(received.partition(b"\r\n\r\n")[2]) == PONG
