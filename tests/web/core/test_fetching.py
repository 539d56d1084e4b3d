import gzip
import ssl
import zlib
from datetime import UTC, datetime, timedelta
from itertools import repeat

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.web.local_server import Reply, serving
from web.core.errors import (
    InvalidInput,
    NotAllowed,
    NotFound,
    TooLarge,
    TooManyRequests,
    Unavailable,
)
from web.core.fetching import Gone, fetch, inflated
from web.core.limits import LIMITS

HTML = {"Content-Type": "text/html; charset=UTF-8"}
NAME = "docs.example.org"


def to_loopback(host, timeout_seconds):
    return ("127.0.0.1",)


@pytest.fixture
def server(settings):
    """A server on loopback that is reached as an allowed private host under two names."""
    settings.FETCH_PRIVATE_HOSTS = frozenset({"127.0.0.1", NAME})
    with serving() as local:
        yield local


def got(url, **options):
    return fetch(url, content_types=["text/html"], **options)


def test_fetch_returns_the_body_with_its_type_and_validators(server):
    server.routes["/a"] = Reply(
        b"<p>hi", headers={**HTML, "ETag": '"1"', "Last-Modified": "Mon, 02 Nov 2026 10:00:00 GMT"}
    )

    answer = got(server.url("/a?b=c"))

    assert answer.body == b"<p>hi"
    assert (answer.content_type, answer.charset) == ("text/html", "utf-8")
    assert (answer.etag, answer.last_modified) == ('"1"', "Mon, 02 Nov 2026 10:00:00 GMT")
    assert answer.url == server.url("/a?b=c")
    assert not answer.is_unchanged
    assert server.asked[0].path == "/a?b=c"


def test_fetch_sends_the_validators_and_tells_an_unchanged_page(server):
    server.routes["/a"] = lambda asked: Reply(
        status=304 if asked.headers.get("If-None-Match") == '"1"' else 200, headers=HTML
    )

    answer = got(server.url("/a"), etag='"1"', last_modified="Mon, 02 Nov 2026 10:00:00 GMT")

    assert answer.is_unchanged
    assert answer.body == b""
    assert server.asked[0].headers["If-Modified-Since"] == "Mon, 02 Nov 2026 10:00:00 GMT"


def test_fetch_sends_no_cookie_and_no_credential_and_heeds_no_proxy(server, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    server.routes["/a"] = Reply(
        status=302, headers={"Location": "/b", "Set-Cookie": "session=1; Path=/"}
    )
    server.routes["/b"] = Reply(b"b", headers=HTML)

    assert got(server.url("/a")).body == b"b"

    sent = {name.lower() for asked in server.asked for name in asked.headers}
    assert sent == {"host", "accept", "accept-encoding", "user-agent"}


def test_fetch_keeps_the_name_in_the_host_header_while_it_connects_to_the_checked_address(server):
    server.routes["/"] = Reply(b"x", headers=HTML)

    answer = got(server.url("/", host=NAME), resolver=to_loopback)

    assert answer.url == server.url("/", host=NAME)
    assert server.asked[0].headers["Host"] == f"{NAME}:{server.port}"


def test_fetch_looks_a_host_up_once_per_hop(server):
    looked_up = []

    def resolver(host, timeout_seconds):
        looked_up.append(host)
        return ("127.0.0.1",)

    server.routes["/a"] = Reply(status=301, headers={"Location": server.url("/b")})
    server.routes["/b"] = Reply(b"x", headers=HTML)

    got(server.url("/a", host=NAME), resolver=resolver)

    assert looked_up == [NAME, "127.0.0.1"]


def test_fetch_tries_the_next_address_when_one_does_not_answer(server):
    server.routes["/"] = Reply(b"x", headers=HTML)

    def resolver(host, timeout_seconds):
        return ("127.255.0.9", "127.0.0.1")

    answer = got(server.url("/", host=NAME), resolver=resolver)

    assert answer.body == b"x"


def test_fetch_stops_following_redirects_at_the_bound(server):
    server.routes["/a"] = Reply(status=302, headers={"Location": "/a"})

    with pytest.raises(Unavailable, match="redirects more than 5 times"):
        got(server.url("/a"))

    assert len(server.asked) == 6


@pytest.mark.parametrize(
    ("status", "error"), [(404, NotFound), (410, Gone), (403, NotAllowed), (500, Unavailable)]
)
def test_fetch_tells_what_the_server_answered(server, status, error):
    server.routes["/a"] = Reply(status=status)

    with pytest.raises(error, match=f"127.0.0.1 answers with status {status}"):
        got(server.url("/a"))


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [("120", 120), ("0120", 120), ("9" * 5000, 604_800), ("-1", 60), ("\xb2", 60), ("", 60)],
)
def test_fetch_tells_how_long_the_server_wants_it_to_wait(server, asked, seconds):
    server.routes["/a"] = Reply(status=429, headers={"Retry-After": asked})

    with pytest.raises(TooManyRequests) as caught:
        got(server.url("/a"))

    assert caught.value.retry_after_seconds == seconds


def test_fetch_refuses_a_type_that_the_caller_cannot_read(server):
    server.routes["/a"] = Reply(b"x", headers={"Content-Type": "image/png"})

    with pytest.raises(InvalidInput, match="image/png"):
        got(server.url("/a"))
    assert fetch(server.url("/a"), content_types=["image/*"]).body == b"x"


def test_fetch_refuses_a_body_that_announces_more_than_the_bound(server):
    server.routes["/a"] = Reply(b"x", headers={**HTML, "Content-Length": "101"})

    with pytest.raises(TooLarge):
        got(server.url("/a"), max_bytes=100)


def test_fetch_stops_reading_a_body_without_a_length_at_the_bound(server):
    server.routes["/a"] = Reply([b"x" * 50] * 3, headers=HTML)

    with pytest.raises(TooLarge):
        got(server.url("/a"), max_bytes=149)
    assert len(got(server.url("/a"), max_bytes=150).body) == 150


def test_fetch_unpacks_gzip_within_the_bound(server):
    packed = gzip.compress(b"x" * 1_000_000)
    server.routes["/a"] = Reply(packed, headers={**HTML, "Content-Encoding": "gzip"})

    assert len(got(server.url("/a"), max_bytes=1_000_000).body) == 1_000_000
    with pytest.raises(TooLarge):
        got(server.url("/a"), max_bytes=999_999)


@pytest.mark.parametrize(
    "packed",
    [
        b"no gzip",
        gzip.compress(b"x" * 9999, mtime=0)[:-12],
        gzip.compress(b"a", mtime=0) + gzip.compress(b"b", mtime=0),
    ],
    ids=["damaged", "cut", "two parts"],
)
def test_fetch_refuses_a_packed_body_that_cannot_be_read_whole(server, packed):
    server.routes["/a"] = Reply(packed, headers={**HTML, "Content-Encoding": "gzip"})

    with pytest.raises(Unavailable, match="packed"):
        got(server.url("/a"))


def test_fetch_refuses_a_packing_that_it_did_not_ask_for(server):
    server.routes["/a"] = Reply(b"x", headers={**HTML, "Content-Encoding": "br"})

    with pytest.raises(Unavailable, match="'br'"):
        got(server.url("/a"))


def test_a_packed_bomb_is_left_at_the_bound():
    bomb = zlib.compress(b"\0" * 50_000_000, 9)

    with pytest.raises(TooLarge):
        inflated(bomb, max_bytes=100_000)


def test_fetch_ends_at_its_deadline_also_while_an_answer_keeps_coming(server, monkeypatch):
    hasty = LIMITS.model_copy(update={"fetch_timeout_seconds": 0.3})
    monkeypatch.setattr("web.core.fetching.LIMITS", hasty)
    server.routes["/a"] = Reply(repeat(b"x"), headers=HTML)

    with pytest.raises(Unavailable, match=r"longer than 0\.3 seconds"):
        got(server.url("/a"))


def test_fetch_tells_a_port_where_nobody_listens(server):
    with pytest.raises(Unavailable, match=r"127\.0\.0\.1 does not answer"):
        got("http://127.0.0.1:1025/")


def test_fetch_tells_a_host_that_does_not_exist(server):
    with pytest.raises(Unavailable, match="was not found"):
        got("http://no-such-host.invalid/")


def certificate(tmp_path, name):
    """Write a self-signed certificate of `name` with its key, and return the file."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path / f"{name}.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return path


@pytest.fixture
def tls_server(settings, tmp_path, monkeypatch):
    settings.FETCH_PRIVATE_HOSTS = frozenset({NAME, "other.example.org"})
    path = certificate(tmp_path, NAME)
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    asked_names = []

    def remember(socket, name, context):
        asked_names.append(name)

    context.sni_callback = remember
    with serving(tls=context) as local:
        local.routes["/"] = Reply(b"x", headers=HTML)
        yield local, asked_names


def test_fetch_checks_the_certificate_against_the_name_not_the_address(tls_server):
    server, asked_names = tls_server

    assert got(server.url("/", host=NAME), resolver=to_loopback).body == b"x"
    assert asked_names == [NAME]


def test_fetch_refuses_a_certificate_of_another_name(tls_server):
    server, _ = tls_server

    with pytest.raises(Unavailable, match="certificate"):
        got(server.url("/", host="other.example.org"), resolver=to_loopback)
