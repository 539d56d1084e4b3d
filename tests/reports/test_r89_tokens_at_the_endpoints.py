"""R89: callers' tokens, sent in every way there is, through nginx and to each process itself.

A token is taken from its header alone, spelled once; and wherever else one was put, by mistake or
on purpose, it is in no log, database, cache, answer or process list afterwards.
"""

import base64
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.deploy.stack import Stack
from tests.github_api import TOKEN, github, refusal
from tests.messages import LIST_TOOLS, PING, call
from tests.newcomer import PROJECT, newcomers_environment

pytestmark = pytest.mark.services
SECRET = TOKEN.removeprefix("ghp_")
GOOD = f"Bearer {TOKEN}"
JSON = {"Content-Type": "application/json", "Accept": "application/json"}
# Each request on a connection of its own.
HTTP = httpx.Client(trust_env=False, timeout=60, limits=httpx.Limits(max_keepalive_connections=0))
FORMS = [
    TOKEN,
    f"github_pat_{SECRET}",
    f"ptl_{SECRET}",
    f"pto_{SECRET}",
    f"ghs_1_{SECRET}.{SECRET}",
]


@pytest.fixture(scope="module")
def project():
    with github() as served:
        served.add("Login fails")
        yield served


@pytest.fixture(scope="module")
def hub(tmp_path_factory, project):
    """The whole stack at the lowest level of logs, with ada/engine on the GitHub of the test."""
    settings = {
        "PORTOLAN_GITHUB_API_URL": project.server.url("/api/v3"),
        "PORTOLAN_LOG_LEVEL": "DEBUG",
        "PORTOLAN_MAX_WRONG_TOKENS_PER_MINUTE": "10000",
    }
    stack = Stack(tmp_path_factory.mktemp("hub"), public_url="https://hub.example.org", **settings)
    with stack.running():
        code = "from web.library.models import Repository\n"
        code += f"Repository.objects.create(name='engine', url={project.url!r})"
        manage(stack, "shell", "--verbosity", "0", "-c", code)
        yield stack


def manage(hub, *arguments, **more):
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=PROJECT,
        env=newcomers_environment() | hub.variables,
        capture_output=True,
        text=True,
        check=False,
        **more,
    )


def post(url, message, headers=(), path="/mcp/"):
    """Send a message with headers in their order, also one name twice."""
    always = [("Host", "hub.example.org"), *JSON.items()]
    content = message if isinstance(message, bytes | str) else json.dumps(message)
    return HTTP.post(url + path, content=content, headers=[*always, *headers])


def ways(hub):
    """The way through nginx, and the sidecar's own door."""
    return {"nginx": hub.url, "sidecar": hub.sidecar_url}


def has_issues(answer):
    return "list_issues" in [tool["name"] for tool in answer.json()["result"]["tools"]]


@pytest.mark.parametrize("way", ["nginx", "sidecar"])
@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "Bearer "])
def test_the_scheme_may_be_spelled_as_http_says(hub, way, scheme):
    answer = post(ways(hub)[way], LIST_TOOLS, [("authorization", f"{scheme} {TOKEN}")])
    assert has_issues(answer)


@pytest.mark.parametrize("way", ["nginx", "sidecar"])
@pytest.mark.parametrize(
    "value",
    [
        TOKEN,
        f"Token {TOKEN}",
        f"token={TOKEN}",
        f"Basic {base64.b64encode(f'x:{TOKEN}'.encode()).decode()}",
        f"Bearer{TOKEN}",
        f"Bearer\t{TOKEN}",
        f"Bearer {TOKEN}, Bearer {TOKEN}",
        f"Bearer {TOKEN} {TOKEN}",
        f'Bearer "{TOKEN}"',
        f"Bearer {TOKEN}\xe9",
        f"Bearer ptl_{SECRET}",
        f"Bearer ghr_{SECRET}",
        f"Bearer {'x' * 5000}",
        "Bearer",
        "",
    ],
)
def test_any_other_spelling_is_refused(hub, way, value):
    answer = post(ways(hub)[way], LIST_TOOLS, [("Authorization", value.encode("latin-1"))])
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer ")
    assert SECRET not in answer.text + str(answer.headers)


@pytest.mark.parametrize("way", ["nginx", "sidecar"])
@pytest.mark.parametrize("name", ["Authorization", "X-GitHub-Token"])
def test_a_header_with_a_token_that_comes_twice_is_refused(hub, way, name):
    value = GOOD if name == "Authorization" else TOKEN
    for first, second in ((value, value), (value, "Bearer x"), ("x", value)):
        answer = post(ways(hub)[way], LIST_TOOLS, [(name, first), (name.lower(), second)])
        assert answer.status_code == 400, answer.text
        assert answer.headers["content-type"] == "application/json"
        assert SECRET not in answer.text


@pytest.mark.parametrize("way", ["nginx", "sidecar"])
@pytest.mark.parametrize(
    "query",
    [
        "token=",
        "access_token=",
        "Access-Token=",
        "%74oken=",
        "github_token=",
        "x-github-token=",
        "a=b;token=",
        "a=b&apikey=",
        "authorization=Bearer%20",
        "profile=",
        "",
    ],
)
def test_a_token_in_the_address_is_never_taken(hub, way, query):
    for form, headers in itertools.product(FORMS, ([], [("Authorization", GOOD)])):
        for path in ("/mcp", "/mcp/", "/mcp/lesson/", "/mcp/repositories/engine/"):
            answer = post(ways(hub)[way], LIST_TOOLS, headers, f"{path}?{query}{form}")
            assert answer.status_code == 401, (path, form)
            assert SECRET not in answer.text + str(answer.headers)


def test_a_query_without_a_token_does_no_harm(hub):
    for query in ("", "x=1", "tokens=5", "profile=ghost", "session=github_pat", "code=1"):
        assert post(hub.sidecar_url, PING, path=f"/mcp/?{query}").status_code == 200


def test_a_token_that_was_put_anywhere_is_nowhere_afterwards(hub, project):
    spread(hub, project)
    for source in (f"https://{TOKEN}@github.com/ada/engine", f"https://x:{TOKEN}@git.example/a"):
        told = manage(hub, "add_repository", "planted", source)
        assert told.returncode != 0
        assert SECRET not in told.stdout + told.stderr
    hub.sidecar.stop()  # what waits to be recorded is written
    hub.web.stop()
    found = [
        path.name
        for path in Path(hub.folder).rglob("*")
        if path.is_file() and SECRET.encode() in path.read_bytes()
    ]
    assert found == []
    written = "".join(path.read_text() for path in Path(hub.folder).glob("log/*.jsonl*"))
    assert "[redacted]" in written
    assert "unforeseen" not in written
    for line in written.splitlines():
        json.loads(line)


def spread(hub, project):
    """Send the token in every place of a request, and look at each answer."""
    for url in ways(hub).values():
        for form in FORMS:
            answers = [post(url, message, headers) for message, headers in planted(form)]
            answers += [
                post(url, PING, [("X-GitHub-Token", TOKEN)], f"/mcp/{form}"),
                post(url, PING, [], f"/mcp/repositories/{form}/"),
                post(url, PING, [], f"/mcp/repositories/engine/{form}/"),
                post(hub.url, PING, [], f"/accounts/{form}/"),
                HTTP.get(f"{url}/.well-known/oauth-protected-resource/mcp/{form}"),
            ]
            for answer in answers:
                assert SECRET not in answer.text, answer.text
        for status, headers in ((500, {}), (403, {"x_ratelimit_remaining": "0"}), (200, {})):
            project.route("/repos/ada/engine/issues", refusal(status, "No", **headers))
            for tool, more in (("list_issues", {}), ("create_issue", {"title": f"x{status}"})):
                asked = call(tool, repository="engine", **more)
                for way in (("Authorization", GOOD), ("X-GitHub-Token", TOKEN)):
                    answer = post(url, asked, [way])
                    assert SECRET not in answer.text
        project.server.routes.clear()
        assert "Login fails" in post(url, call("list_issues", repository="engine"), [
            ("Authorization", GOOD)
        ]).text  # fmt: skip
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            command = (directory / "cmdline").read_bytes()
        except OSError:
            continue
        assert SECRET.encode() not in command or int(directory.name) == os.getpid()


def planted(form):
    """Yield messages and headers with the token in one place each."""
    for name in ("X-Request-Id", "User-Agent", "Referer", "Cookie", "Mcp-Name", "Mcp-Session-Id",
                 "MCP-Protocol-Version", "Accept", "Content-Type", "X-Forwarded-For", "Origin",
                 "Proxy-Authorization"):  # fmt: skip
        yield PING, [(name, form)]
    yield PING, [("Origin", f"https://{form}.example")]
    yield PING, [("X-GitHub-Token", f"{form}!")]
    yield f'{{"jsonrpc": "2.0", "id": 1, "method": "{form}', []
    yield {"jsonrpc": "2.0", "id": 1, "method": form}, []
    yield {"jsonrpc": form, "id": 1, "method": "ping"}, []
    yield {"jsonrpc": "2.0", "method": f"notifications/{form}"}, []
    yield [{"jsonrpc": "2.0", "id": 1, "method": form}, 5], []
    yield call(form), []
    yield call("list_issues", repository="engine", query=form), []
    yield call("search_code", **{form: 1, "query": "x"}), []
    yield call("search_code", query=form), []
    yield call("search_docs", query=f"sextant {form}"), []
    yield call("search_posts", query=form, tag=form), []
    yield call("search_code", query="x", limit=form), []
    yield call("search_code", query="x", repository=form), []
    yield call("search_code", query="x", repository="engine", ref=form), []
    yield call("read_file", repository="engine", path=form), []
    yield call("find_symbol", name="x", cursor=form), []
    yield call("add", a=form, b=1), []
    yield call("read_issue", repository=form, number=1), [("X-GitHub-Token", TOKEN)]
    yield call("list_issues", repository="engine", cursor=form), [("X-GitHub-Token", TOKEN)]
    yield (
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": form,
                "capabilities": {},
                "clientInfo": {"name": form, "version": form},
            },
        },
        [],
    )
