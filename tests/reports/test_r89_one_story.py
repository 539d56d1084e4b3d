"""R89: secrets planted in every process of a whole installation, and what staff find of it all.

nginx, web, sidecar and worker on PostgreSQL. Secrets stand in headers, queries, arguments,
addresses of sources and the texts of exceptions; then a staff member's agent follows each failure
from the log to its request and its user. What it was told, what the pages show, what stands in
files, tables, metrics and command lines: no secret is in it.
"""

import json
import os
import re
import subprocess
from contextlib import suppress
from pathlib import Path

import httpx
import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from tests.deploy.stack import Stack
from tests.gitrepos import GitRepository
from tests.mcp_sidecar.test_operations_story import PEOPLE, Agent
from tests.reports.postgres import migrated_database
from tests.web.certificates import write_certificate
from tests.web.git_server import serving_git
from tests.web.local_server import Reply, serving

pytestmark = pytest.mark.services
PASSWORD = "staple-horse-battery-4711"
SECRET = "cGxhbnRlZC1pbi1ldmVyeS1wbGFjZQAAAAAAAAAAAAA"  # 43 characters, as ours have
FEED_KEY = "a-key-that-a-feed-is-read-with"
GIT_TOKEN = "a-token-of-a-private-remote"
PASSWORDS = f"""
for name in ("mira", "stan"):
    user = users.get(username=name)
    user.set_password({PASSWORD!r})
    user.is_superuser = user.is_staff
    user.save()
"""
SOURCES = """
from web.library.services.feeds import feed_add, feed_import_enqueue
from web.library.services.repositories import repository_add
repository_add(name="private", url={0})
feed_import_enqueue(feed_id=feed_add(url={1}))
"""
PAGES = (
    "/",
    "/accounts/",
    "/operations/health/",
    "/operations/usage/",
    "/admin/operations/toolcall/",
    "/admin/accounts/auditevent/",
    "/admin/library/repository/",
)


class Told:
    """Everything that anybody was told, to be searched for secrets."""

    def __init__(self):
        self.texts = []

    def __call__(self, answer):
        text = answer if isinstance(answer, str) else f"{answer.headers}\n{answer.text}"
        self.texts.append(text)
        return answer


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hub")
    write_certificate(folder / "git.pem")
    settings = {
        "PORTOLAN_LOG_LEVEL": "DEBUG",
        "PORTOLAN_ALLOW_LOCAL_REPOSITORIES": "1",
        "PORTOLAN_FETCH_PRIVATE_HOSTS": "127.0.0.1",
        "GIT_SSL_CAINFO": str(folder / "git.pem"),
    }
    with migrated_database() as database:
        stack = Stack(
            folder / "data",
            sidecar="tests.mcp_sidecar.probe_server",
            has_worker=True,
            PORTOLAN_DATABASE_URL=database.url,
            **settings,
        )
        stack.folder.mkdir()
        with stack.running():
            stack.manage("shell", "--verbosity", "0", "--command", PEOPLE + PASSWORDS)
            yield stack


def test_secrets_planted_everywhere_are_found_nowhere(hub, tmp_path):
    told = Told()
    member = hub.manage("create_token", "mira", "--name", "a", "--scopes", "project").strip()
    staff = hub.manage("create_token", "stan", "--name", "a", "--scopes", "operations").strip()
    mira, stan = Agent(hub.url, member), Agent(hub.url, staff)
    commands = set()
    plant_in_requests(hub, mira, told)
    with httpx.Client(base_url=hub.url, trust_env=False, follow_redirects=True) as browser:
        sign_in(browser, "stan", told)
        break_a_page(hub, browser, told)
        let_sources_fail(hub, tmp_path, stan, commands, told)
        hub.sidecar.stop()
        assert browser.post("/mcp/", json={}).status_code == 502
        hub.sidecar.start()
        tell_stories(stan, told)
        for page in PAGES:
            answer = told(browser.get(page, timeout=60))
            assert answer.status_code == 200, page
    told(httpx.get(f"{hub.sidecar_url}/metrics", trust_env=False))
    commands |= running_commands()
    for part in hub.parts:
        part.stop()
    everything = {
        "answers": "\n".join(told.texts),
        "command lines": "\n".join(commands),
        **files_of(hub.folder),
        **tables_of(hub.variables["PORTOLAN_DATABASE_URL"]),
    }
    secrets = (SECRET, FEED_KEY, GIT_TOKEN, PASSWORD, member, staff)
    found = {
        (secret, place): text[max(0, text.find(secret) - 200) :][:300]
        for secret in secrets
        for place, text in everything.items()
        if secret in text
    }
    # The address of a feed is stored as it is needed, key and all.
    assert found.keys() == {(FEED_KEY, "posts_feed")}, found
    assert "git-remote-https" in everything["command lines"]
    assert len(everything["operations_logline"].splitlines()) > 100


def plant_in_requests(hub, mira, told):
    """Secrets in headers, queries and arguments; some calls fail, one with a secret in its text."""
    token, secret = {"x-github-token": f"ghp_{SECRET}"}, f"ptl_{SECRET}"
    failed = mira.ask("/mcp/probes/", "probe_fail", {"word": f"leak {secret}"}, **token)
    assert failed["error"]["message"] == "Internal error"
    answers = [
        failed,
        mira.ask("/mcp/probes/", "probe_fail", {"word": "x", "password": PASSWORD}, **token),
        mira.ask("/mcp/", "search_docs", {"query": f"sextant {secret}"}),
        mira.ask(f"/mcp/?token={secret}", "list_repositories", {}),
        mira.ask(f"/mcp/{secret}", "list_repositories", {}),
        Agent(hub.url, secret).ask("/mcp/", "list_repositories", {}),
    ]
    told("\n".join(map(json.dumps, answers)))
    for path in (f"/?password={PASSWORD}", f"/blog/{secret}/", f"/o/authorize/?code={SECRET}"):
        told(httpx.get(hub.url + path, headers={"cookie": f"x={SECRET}"}, trust_env=False))


def sign_in(browser, name, told):
    """Sign in, after a wrong try."""
    for password in (f"{PASSWORD}-not", PASSWORD):
        page = browser.get("/accounts/sign-in/")
        given = {"username": name, "password": password}
        told(post_form(browser, "/accounts/sign-in/", page, given))
    assert "Sign out" in browser.get("/accounts/").text


def post_form(browser, path, page, fields):
    csrf = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)[1]
    return browser.post(path, data={"csrfmiddlewaretoken": csrf, **fields})


def break_a_page(hub, browser, told):
    """A page that fails, because a table is gone, with a secret in the request."""
    with psycopg.connect(hub.variables["PORTOLAN_DATABASE_URL"], autocommit=True) as link:
        link.execute("ALTER TABLE posts_post RENAME TO mislaid")
        try:
            answer = told(browser.get(f"/blog/?tag=ptl_{SECRET}", headers={"x-x": SECRET}))
        finally:
            link.execute("ALTER TABLE mislaid RENAME TO posts_post")
    assert answer.status_code == 500


def let_sources_fail(hub, folder, stan, commands, told):
    """The worker reads a private remote; then that and a feed fail, and say what they were sent."""
    GitRepository(folder / "origin").write({"a.py": "A = 1\n"}).commit()
    tls = write_certificate(Path(hub.variables["GIT_SSL_CAINFO"]))
    sign_in = {"username": "reader", "password": GIT_TOKEN}
    with serving_git(folder, tls=tls, **sign_in) as git, serving() as feeds:
        git.before = lambda _path: commands.update(running_commands())
        feeds.routes["/feed"] = Reply(f"no {FEED_KEY}".encode(), status=500)
        addresses = git.url("origin"), feeds.url(f"/feed?key={FEED_KEY}")
        hub.manage("shell", "--verbosity", "0", given=SOURCES.format(*map(repr, addresses)))
        hub.manage("set_credential", "private", "--username", "reader", given=GIT_TOKEN)
        sync = {"repository": "private", "reason": "to see"}
        told(stan.text("sync_repository", **sync))
        told(stan.text_once("`private`", "list_sources", state="fresh"))
        git.password, git.refusal = "another", f"fatal: https://reader:{GIT_TOKEN}@127.0.0.1/"
        told(stan.text("sync_repository", **sync))
        told(stan.text_once("`private`", "list_sources", state="stale"))
        told(stan.text_once("answers with status 500", "list_sources", state="stale"))
    for address in (f"https://x:{SECRET}@127.0.0.1/a", f"https://127.0.0.1/a?token={SECRET}"):
        with pytest.raises(subprocess.CalledProcessError) as refused:
            hub.manage("add_repository", "planted", address)
        told(refused.value.stdout + refused.value.stderr)


def tell_stories(stan, told):
    """Each failure found by its level alone, and followed to its request and its user."""
    errors = told(stan.text_once("nginx.access", "search_logs", level="ERROR", limit=200))
    for sign in ("cannot use ptl_[redacted]", 'relation "posts_post" does not exist', " 502"):
        assert sign in errors
    assert "private" in told(stan.text("search_logs", level="WARNING", process="worker"))
    for logger, request, process in (
        ("mcp_sidecar.errors", "probe_fail: internal_error", "probe_server"),
        ("django.request", "GET /blog/ 500", "web"),
    ):
        entry = told(stan.text("search_logs", level="ERROR", logger=logger))
        request_id = re.search(r"request_id `([0-9a-f]{32})`", entry)[1]
        stan.text_once("nginx.access", "search_logs", query=request_id)
        lines = told(stan.text_once(request, "search_logs", query=request_id))
        assert {"nginx", process} <= set(re.findall(r"process `(\w+):\d+`", lines))
        user_id = re.search(r"caller `user:(\d+)`", lines)[1]
        told(stan.text("get_user", user_id=int(user_id)))
    calls = told(stan.text("list_tool_calls", outcome="internal_error"))
    assert "by `mira`" in calls
    assert re.search(r"errors: (warning|failing)", told(stan.text("get_health")))
    assert "sextant" in told(stan.text_once("sextant", "get_usage", days=2))
    told(stan.text("list_audit_entries"))
    told(stan.text("list_users"))


def running_commands():
    """The command lines of all processes but this test's own."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if int(path.parent.name) != os.getpid():
                found.add(path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
    return found


def files_of(folder):
    """Every file below the data folder, as text; each line of the logs is JSON."""
    for path in folder.glob("log/*.jsonl*"):
        for line in path.read_text().splitlines():
            json.loads(line)
    return {
        str(path.relative_to(folder)): path.read_bytes().decode("utf-8", "replace")
        for path in folder.rglob("*")
        if path.is_file()
    }


def tables_of(url):
    """Every table, a row a line."""
    with psycopg.connect(url) as link:
        names = link.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        rows = SQL("SELECT t::text FROM {} t")
        return {
            name: "\n".join(row for (row,) in link.execute(rows.format(Identifier(name))))
            for (name,) in names.fetchall()
        }
