import pytest

from web.core.addresses import allowed_addresses, is_public, web_address
from web.core.errors import InvalidInput


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",  # noqa: S104 - refused, not bound
        "0.1.2.3",
        "10.0.0.1",
        "100.64.0.1",
        "100.100.100.200",
        "127.0.0.1",
        "127.8.9.10",
        "168.63.129.16",
        "169.254.169.254",
        "172.16.0.1",
        "192.0.0.192",
        "192.88.99.1",
        "192.168.1.1",
        "198.18.0.1",
        "203.0.113.9",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:8.8.8.8",
        "64:ff9b::7f00:1",
        "64:ff9b:1::a00:1",
        "2001:0:7f00:1::",
        "2001:db8::1",
        "2002:7f00:1::",
        "fd00:ec2::254",
        "fe80::1",
        "fe80::1%eth0",
        "fec0::1",
        "ff02::1",
        "not an address",
    ],
)
def test_addresses_of_private_networks_and_translations_are_not_public(address):
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "93.184.216.34", "2606:4700:4700::1111"])
def test_ordinary_addresses_are_public(address):
    assert is_public(address)


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://example.org/",
        "gopher://example.org/",
        "//example.org/",
        "example.org",
        "",
        "http://",
        "http:///path",
        "http://user@example.org/",
        "http://user:secret@example.org/",
        "http://example.org\\@127.0.0.1/",
        "http://exa mple.org/",
        "http://example.org/\r\nHost: x",
        "http://example.org/\x00",
        "http://example.org:22/",
        "http://example.org:0/",
        "http://example.org:99999/",
        "http://[::1/",
        "http://[fe80::1%25eth0]/",
        "http://%31%32%37.0.0.1/",
        "http://exa$mple.org/",
        "http://example.org/" + "x" * 2000,
    ],
)
def test_addresses_that_programs_could_read_differently_are_refused(url):
    with pytest.raises(InvalidInput):
        web_address(url)


@pytest.mark.parametrize(
    ("url", "read"),
    [
        ("https://Example.org", "https://example.org/"),
        ("https://example.org:443/a b"[:-2], "https://example.org/a"),
        ("http://example.org:8080/a?b=c#d", "http://example.org:8080/a?b=c"),
        ("https://bücher.example/über", "https://xn--bcher-kva.example/%C3%BCber"),
        ("https://example.org./%41", "https://example.org/%41"),
        ("https://[2606:4700::1]:8443/", "https://[2606:4700::1]:8443/"),
    ],
)
def test_an_address_is_read_in_one_way(url, read):
    assert web_address(url).url == read


@pytest.mark.parametrize(
    "host",
    ["localhost", "kb", "0", "2130706433", "0x7f000001", "kb.internal", "printer.local", "a.corp"],
)
def test_private_names_are_refused_before_they_are_looked_up(host):
    def resolver(host, timeout_seconds):
        raise AssertionError("looked up")

    with pytest.raises(InvalidInput):
        allowed_addresses(host, resolver=resolver, private_hosts=(), timeout_seconds=1)


def test_one_private_address_among_public_ones_refuses_the_host():
    def resolver(host, timeout_seconds):
        return ("93.184.216.34", "10.0.0.1")

    with pytest.raises(InvalidInput, match="not public"):
        allowed_addresses("example.org", resolver=resolver, private_hosts=(), timeout_seconds=1)


def test_an_allowed_private_host_may_have_a_private_address():
    def resolver(host, timeout_seconds):
        return ("10.0.0.1",)

    found = allowed_addresses(
        "blog.internal", resolver=resolver, private_hosts={"blog.internal"}, timeout_seconds=1
    )

    assert found == ("10.0.0.1",)
