"""Which addresses of repositories are accepted."""

from typing import Any

import pytest

from web.core.errors import InvalidInput, Unavailable
from web.library.git import urls
from web.library.git.credentials import transport
from web.library.git.urls import parse_address, pinned_host


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("https://github.com/django/django", ("https", "github.com", 443, "django/django")),
        ("https://git.example.org:8443/a/b", ("https", "git.example.org", 8443, "a/b")),
        ("HTTPS://github.com/a/b", ("https", "github.com", 443, "a/b")),
        ("ssh://git@github.com/a/b.git", ("ssh", "github.com", 22, "a/b.git")),
        ("ssh://git@github.com:2222/a/b.git", ("ssh", "github.com", 2222, "a/b.git")),
        ("git@github.com:a/b.git", ("ssh", "github.com", 22, "a/b.git")),
        ("github.com:a/b.git", ("ssh", "github.com", 22, "a/b.git")),
        ("https://git.dylan.example/a/b", ("https", "git.dylan.example", 443, "a/b")),
        ("https://[2606:4700::1111]/a/b", ("https", "[2606:4700::1111]", 443, "a/b")),
    ],
)
def test_address_of_another_machine_is_taken_apart(
    text: str, parts: tuple[str, str, int, str], settings: Any
) -> None:
    settings.ALLOW_LOCAL_REPOSITORIES = False
    address = parse_address(text)
    assert (address.scheme, address.host, address.port, address.path) == parts
    assert address.text == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "nonsense",
        "ext::sh -c id",
        "ext::sh%20-c%20id",
        "fd::1",
        "fd::1,2/foo",
        "git://github.com/a/b",
        "ftp://github.com/a/b",
        "http://github.com/a/b",
        "http://169.254.169.254/",
        "javascript://github.com/a",
        "-oProxyCommand=x",
        "--upload-pack=touch /tmp/x",
        "ssh://-oProxyCommand=x/y",
        "ssh://-x/y",
        "ssh://git@-x/y",
        "ssh://-x@host.example/y",
        "-x:y",
        "git@-x:y",
        "git@host.example:-x",
        "git@host.example:",
        "host.example::x",
        "https://",
        "https:///a/b",
        "https://host.example",
        "https://host.example/",
        "https://host.example:99999/a",
        "https://host.example:x/a",
        "https://host.example/a?token=x",
        "https://host.example/a#b",
        "https://ho st.example/a",
        "https://host.example/a\nb",
        "https://host.example/a\tb",
        "https://host.example/a\x00b",
        "https://h\u200bost.example/a",
        "https://host..example\\@evil.example/a",
        "https://" + "a" * 1000 + ".example/a",
    ],
)
@pytest.mark.parametrize("local", [False, True])
def test_address_that_could_do_something_else_is_refused(
    text: str, local: bool, settings: Any
) -> None:
    settings.ALLOW_LOCAL_REPOSITORIES = local
    with pytest.raises(InvalidInput) as refused:
        parse_address(text)
    assert refused.value.fields.keys() == {"url"}
    assert refused.value.hint


@pytest.mark.parametrize(
    "text",
    [
        "https://user:secret@host.example/a",
        "https://ghp_0123456789@host.example/a",
        "ssh://git:secret@host.example/a",
    ],
)
def test_credentials_in_an_address_are_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(InvalidInput, match="credentials") as refused:
        parse_address(text)
    assert "secret" not in str(refused.value)
    assert "ghp_" not in str(refused.value)


_INTERNAL = [
    "127.0.0.1",
    "127.1.2.3",
    "10.0.0.1",
    "172.16.0.9",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",  # noqa: S104
    "224.0.0.1",
    "[::1]",
    "[fe80::1]",
    "[fd00::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:10.0.0.1]",
    "localhost",
    "localhost.",
    "LOCALHOST",
    "a.localhost",
    "git.corp",
    "git.internal",
    "wiki",
]


@pytest.mark.parametrize(
    "host", [*_INTERNAL, "2130706433", "0x7f000001", "127.1", "0177.0.0.1", "0"]
)
@pytest.mark.parametrize("form", ["https://{}/a/b", "ssh://git@{}/a/b", "git@{}:a/b"])
def test_address_of_this_machine_or_a_private_network_is_refused(
    host: str, form: str, settings: Any
) -> None:
    settings.ALLOW_LOCAL_REPOSITORIES = False
    with pytest.raises(InvalidInput):
        parse_address(form.format(host))


@pytest.mark.parametrize("host", _INTERNAL)
def test_private_network_is_accepted_where_local_repositories_are(host: str) -> None:
    assert parse_address(f"https://{host}/a/b").host == host


@pytest.mark.parametrize(
    "text", ["/srv/project", "file:///srv/project", "~/project", "./project", "../project"]
)
def test_local_path_is_refused_unless_allowed(text: str, settings: Any) -> None:
    settings.ALLOW_LOCAL_REPOSITORIES = False
    with pytest.raises(InvalidInput, match="Paths of this machine") as refused:
        parse_address(text)
    assert "PORTOLAN_ALLOW_LOCAL_REPOSITORIES" in refused.value.hint


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("/srv/project", "/srv/project"),
        ("/srv/my project", "/srv/my project"),
        ("file:///srv/project", "/srv/project"),
        ("file:///srv/my%20project", "/srv/my project"),
        ("file://localhost/srv/project", "/srv/project"),
    ],
)
def test_local_path_is_taken_from_both_spellings(text: str, path: str) -> None:
    address = parse_address(text)
    assert address.is_local
    assert (address.text, address.path) == (path, path)


@pytest.mark.parametrize("text", ["./project", "project/.git", "file://server/share", "file:rel"])
def test_local_path_that_depends_on_where_one_stands_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_address(text)


@pytest.fixture
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("_no_proxy")
@pytest.mark.parametrize(
    "numbers", [("10.0.0.1",), ("93.184.216.34", "127.0.0.1"), ("2606:4700::1", "fd00::1")]
)
def test_name_that_leads_into_a_private_network_is_refused(
    numbers: tuple[str, ...], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ALLOW_LOCAL_REPOSITORIES = False
    monkeypatch.setattr(urls, "system_resolver", lambda _host, _seconds: numbers)
    with pytest.raises(InvalidInput, match="private network"):
        pinned_host(parse_address("https://rebound.example/a/b"))


@pytest.mark.usefixtures("_no_proxy")
def test_git_is_told_to_connect_to_the_very_address_that_was_checked(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ALLOW_LOCAL_REPOSITORIES = False
    monkeypatch.setattr(urls, "system_resolver", lambda _host, _seconds: ("93.184.216.34",))
    with transport(parse_address("https://public.example:8443/a")) as way:
        assert way.configuration == ("http.curloptResolve=public.example:8443:93.184.216.34",)
    for url, alias in (
        ("git@public.example:a/b", "public.example"),
        ("ssh://git@public.example:2222/a/b", "'-oHostKeyAlias=[public.example]:2222'"),
    ):
        with transport(parse_address(url)) as way:
            command = way.environment["GIT_SSH_COMMAND"]
        assert "-oHostName=93.184.216.34" in command
        assert alias in command


@pytest.mark.usefixtures("_no_proxy")
def test_unknown_name_is_said_to_be_unknown() -> None:
    with pytest.raises(Unavailable, match="was not found"):
        pinned_host(parse_address("https://no-such-host.invalid/a/b"))


def test_local_path_has_no_host_to_pin(tmp_path: Any) -> None:
    assert pinned_host(parse_address(str(tmp_path))) == ""
