"""The Inspector's page in Chromium calls the server itself, so the browser's rules apply (CORS)."""

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.browser.chromium import LONG_MILLISECONDS, running_chromium
from tests.conformance import npm
from tests.deploy.stack import Stack
from tests.services import free_port

pytestmark = [pytest.mark.services, pytest.mark.asyncio(loop_scope="module")]
ALLOWED, FOREIGN = "inspector.example", "foreign.example"
PASSWORD = "correct horse battery"
FETCH = """async ([url, token]) => {
    const headers = {"Content-Type": "application/json", "Mcp-Param-Word": "x"};
    if (token) headers.Authorization = `Bearer ${token}`;
    const body = JSON.stringify({jsonrpc: "2.0", id: 1, method: "ping"});
    const answer = await fetch(url, {method: "POST", headers, body});
    const names = ["www-authenticate", "retry-after", "x-request-id"];
    const seen = Object.fromEntries(names.map((name) => [name, answer.headers.get(name)]));
    return {status: answer.status, text: await answer.text(), ...seen};
}"""


class Page(SimpleHTTPRequestHandler):
    """Serves the files of a page with addresses of its own, without a line for each."""

    def translate_path(self, path):
        """Return the file of an address, or the page where there is none."""
        found = Path(super().translate_path(path))
        return str(found if found.is_file() else Path(self.directory) / "index.html")

    def log_message(self, *_arguments):
        """Say nothing."""


@pytest.fixture(scope="module")
def page_port():
    """A port of this machine where the Inspector's page is served."""
    handler = partial(Page, directory=str(npm.inspector_page()))
    with ThreadingHTTPServer(("127.0.0.1", free_port()), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def stack(tmp_path_factory, page_port):
    """The product behind nginx, where pages of one other host may call."""
    settings = {
        "PORTOLAN_ALLOWED_ORIGINS": f"http://{ALLOWED}:{page_port}",
        "PORTOLAN_MAX_ANONYMOUS_MESSAGES_PER_MINUTE": "40",
    }
    folder = tmp_path_factory.mktemp("inspected")
    with Stack(folder, **settings).running() as started:
        yield started


@pytest.fixture(params=["sidecar", "nginx"])
def lesson_url(request, stack):
    base = stack.sidecar_url if request.param == "sidecar" else stack.url
    return f"{base}/mcp/lesson/"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser():
    """A Chromium that takes the names of the tests for this machine."""
    names = f"MAP {ALLOWED} 127.0.0.1, MAP {FOREIGN} 127.0.0.1"
    async with running_chromium(f"--host-resolver-rules={names}") as started:
        yield started


@pytest_asyncio.fixture(loop_scope="module")
async def page(browser):
    """A page without any past."""
    async with await browser.new_context(viewport={"width": 1300, "height": 900}) as context:
        page = await context.new_page()
        page.set_default_timeout(LONG_MILLISECONDS)
        expect.set_options(timeout=LONG_MILLISECONDS)
        await page.add_init_script("localStorage.setItem('lastConnectionType', 'direct')")
        yield page


async def opened(page, host, page_port, url):
    await page.goto(f"http://{host}:{page_port}/?transport=streamable-http&serverUrl={url}")
    await page.get_by_role("button", name="Connect", exact=True).click()


@pytest.mark.parametrize("host", ["127.0.0.1", ALLOWED])
async def test_it_connects_lists_and_calls(page, page_port, lesson_url, host):
    await opened(page, host, page_port, lesson_url)
    await expect(page.get_by_text("portolan-lesson")).to_be_visible()
    await page.get_by_role("button", name="List Tools").click()
    await page.get_by_text("Shout", exact=True).first.click()
    await page.locator("textarea[name=text]").fill("land ahead, starboard")
    await page.get_by_role("button", name="Run Tool").click()
    await expect(page.locator("body")).to_contain_text("LAND AHEAD, STARBOARD")


async def test_it_signs_in_and_lists_the_tools_of_staff(page, page_port, stack, monkeypatch):
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", PASSWORD)
    stack.manage("createsuperuser", "--no-input", "--username", "ada", "--email", "a@example.org")
    await opened(page, "127.0.0.1", page_port, f"{stack.url}/mcp/operations/")
    await page.get_by_label("Username").fill("ada")
    await page.get_by_label("Password").fill(PASSWORD)
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Give access").click()
    await expect(page.get_by_text("portolan-operations")).to_be_visible()
    await page.get_by_role("button", name="List Tools").click()
    await expect(page.get_by_text("List users", exact=True).first).to_be_visible()


async def test_a_page_of_another_host_gets_nothing(page, page_port, lesson_url):
    answers = []
    page.on("response", lambda answer: answers.append((answer.url, answer.status)))
    await opened(page, FOREIGN, page_port, lesson_url)
    await expect(page.get_by_text("Connection Error").first).to_be_visible()
    assert (lesson_url, 200) not in answers
    with pytest.raises(Exception, match="Failed to fetch"):
        await page.evaluate(FETCH, [lesson_url, ""])


async def test_a_page_reads_what_a_refusal_tells(page, page_port, stack):
    url = f"{stack.url}/mcp/lesson/"
    await page.goto(f"http://{ALLOWED}:{page_port}/mcp.svg")
    wrong = await page.evaluate(FETCH, [url, "nonsense"])
    assert wrong["status"] == 401
    assert "resource_metadata=" in wrong["www-authenticate"]
    assert wrong["x-request-id"]
    for _ in range(60):
        answer = await page.evaluate(FETCH, [url, ""])
        if answer["status"] == 429:
            break
    assert (answer["status"], int(answer["retry-after"]) >= 1) == (429, True)
    stack.sidecar.stop()
    try:
        away = await page.evaluate(FETCH, [url, "nonsense"])
    finally:
        stack.sidecar.start()
    assert (away["status"], away["retry-after"]) == (502, "5")
    assert "Try again in a few seconds" in away["text"]
