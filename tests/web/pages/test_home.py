"""The home page: what this is, how to connect, what is indexed; and the page that says "alive"."""

import json
import logging
import tomllib
from html.parser import HTMLParser

import pytest

from tests.gitrepos import GitRepository
from web.core import clock
from web.library.git.locks import mirror_lock
from web.library.models import Repository
from web.library.services.repositories import RepositoryFields, repository_add
from web.library.services.sync import repository_sync
from web.pages.setup import client_setups, endpoints

URL = "https://hub.example.org/mcp/"
EVIL = "<script>alert(1)</script>"


class Elements(HTMLParser):
    """Every element of a page with its attributes."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


@pytest.fixture
def home(client, db, settings):
    settings.PUBLIC_URL = "https://hub.example.org"

    def get():
        response = client.get("/")
        assert response.status_code == 200
        return response

    return get


@pytest.mark.django_db(transaction=True)
def test_a_public_repository_is_shown_with_its_commit_and_one_of_members_is_not(home, tmp_path):
    public = GitRepository(tmp_path / "public").write({"a.py": "x = 1\n"}).commit()
    hidden = GitRepository(tmp_path / "hidden").write({"b.py": "y = 1\n"}).commit()
    repository_add(name="open-sea", url=public.url, fields=RepositoryFields(description=EVIL))
    repository_add(
        name="secret-cove", url=hidden.url, fields=RepositoryFields(visibility="members")
    )
    for name in ("open-sea", "secret-cove"):
        repository_sync(name=name)
    page = home().content.decode()
    assert public.head[:12] in page
    assert "https://hub.example.org/mcp/repositories/open-sea/" in page
    assert "secret-cove" not in page
    assert hidden.head[:12] not in page
    assert EVIL not in page
    assert "&lt;script&gt;" in page


def test_what_a_sync_does_is_shown_while_it_runs(home):
    repository_add(name="open-sea", url="https://git.example.org/open-sea")
    progress = {"phase": "indexing", "done": 1200, "total": 5300, "seconds_left": 61.0}
    rows = Repository.objects.filter(name="open-sea")
    rows.update(sync_started_at=clock.now(), sync_progress=progress)
    with mirror_lock(rows.get().pk, wait_seconds=0):
        page = home().content.decode()
    assert "<dt>Syncing</dt><dd>indexing: 1,200/5,300 files, 1:01 left</dd>" in page
    assert "<dt>Syncing</dt>" not in home().content.decode()


def test_a_repository_that_was_never_indexed_says_so(home, tmp_path):
    repository_add(name="new", url=str(GitRepository(tmp_path / "new").path))
    assert "not yet" in home().content.decode()


def test_the_page_without_a_repository_says_how_to_add_one(home):
    assert "add_repository" in home().content.decode()


def test_the_page_asks_nothing_of_other_sites_and_runs_no_script(home):
    response = home()
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for tag, attributes in Elements(response.content.decode()).found:
        assert tag != "script"
        assert "style" not in attributes
        for name in ("src", "href"):
            assert attributes.get(name, "/").startswith(("/", "#")), attributes


def test_the_page_has_landmarks_one_heading_and_labelled_regions(home):
    elements = Elements(home().content.decode()).found
    tags = [tag for tag, _ in elements]
    assert tags.count("h1") == tags.count("main") == tags.count("header") == 1
    assert elements[0] == ("html", {"lang": "en"})
    ids = {attributes["id"] for _, attributes in elements if "id" in attributes}
    for _, attributes in elements:
        if "aria-labelledby" in attributes:
            assert attributes["aria-labelledby"] in ids


def test_the_setups_to_paste_are_valid_in_their_formats():
    texts = {setup.client: setup.text for setup in client_setups(URL)}
    assert set(texts) == {"Claude Code", "VS Code", "Cursor", "Codex", "Gemini CLI", "Any other"}
    assert texts["Claude Code"].endswith(URL)
    assert json.loads(texts["VS Code"])["servers"]["portolan"] == {"type": "http", "url": URL}
    assert json.loads(texts["Cursor"])["mcpServers"]["portolan"]["url"] == URL
    assert tomllib.loads(texts["Codex"])["mcp_servers"]["portolan"]["url"] == URL
    assert json.loads(texts["Gemini CLI"])["mcpServers"]["portolan"]["httpUrl"] == URL
    assert json.loads(texts["Any other"])["mcpServers"]["portolan"]["url"] == URL


def test_every_endpoint_shown_is_one_that_the_sidecar_serves():
    from mcp_sidecar.transport.application import Application

    shown = {endpoint.url for endpoint in endpoints("")}
    served = {path.replace("<name>", "NAME") for path in Application().paths}
    assert shown <= served


def test_alive_is_answered_without_the_database(client):
    response = client.get("/healthz")
    assert response.json() == {"status": "ok"}
    assert client.post("/healthz").status_code == 405


def test_a_request_is_logged_with_its_id_and_without_its_query(client, caplog):
    caplog.set_level(logging.INFO)
    response = client.get("/healthz?token=planted", headers={"X-Request-ID": "req-1"})
    assert response.headers["X-Request-ID"] == "req-1"
    assert "GET /healthz 200" in caplog.messages
    assert "planted" not in caplog.text
