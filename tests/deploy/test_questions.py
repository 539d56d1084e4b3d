"""What an assistant asks about real repositories, through nginx: this one, one added meanwhile."""

import re

import httpx
import pytest
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport

from tests.deploy.stack import NO_LIMITS, Stack
from tests.gitrepos import GitRepository
from tests.messages import call
from tests.newcomer import PROJECT

pytestmark = pytest.mark.services
QUESTIONS = [
    ("where is a cursor bound to the filters it was made for", "web/core/paging.py"),
    ("decode bytes of any encoding and remove NUL", "web/library/indexing/decode.py"),
    ("close old database connections before and after each call", "mcp_sidecar/databases.py"),
    ("take a JSON-RPC batch apart and answer each message", "mcp_sidecar/transport/batches.py"),
    ("which addresses of repositories are refused", "web/library/git/urls.py"),
    ("misspelled argument is told the nearest name", "mcp_sidecar/contract/reading.py"),
    ("escape invisible characters such as bidi controls", "mcp_sidecar/contract/text.py"),
    ("RepositoryScope", "mcp_sidecar/scope.py"),
    ("regular expression with a linear time engine over blobs", "web/library/selectors/grep.py"),
    ("render the nginx configuration from its template", "deploy/proxy.py"),
]


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """A running stack that has this checkout indexed."""
    stack = Stack(
        tmp_path_factory.mktemp("asked"), public_url="https://hub.example.org", **NO_LIMITS
    )
    stack.variables["PORTOLAN_ALLOW_LOCAL_REPOSITORIES"] = "1"
    with stack.running():
        stack.manage("add_repository", "portolan", str(PROJECT))
        yield stack


def files_in(text):
    """Return the files of an answer of search_code, best first."""
    return re.findall(r"^## \d+\. `([^`]+)`", text, re.MULTILINE)


async def asked_with_fastmcp(url, tool, arguments):
    async with Client(StreamableHttpTransport(url)) as client:
        return (await client.call_tool(tool, arguments)).content[0].text


def asked_plainly(url, tool, arguments):
    """Call a tool as curl does: one POST, no handshake."""
    body = call(tool, **arguments)
    answer = httpx.post(url, json=body, timeout=60, trust_env=False).json()
    return answer["result"]["content"][0]["text"]


@pytest.mark.parametrize(("question", "right"), QUESTIONS)
async def test_a_question_about_this_repository_gets_the_right_file(asked, question, right):
    arguments = {"query": question}
    found = files_in(await asked_with_fastmcp(f"{asked.url}/mcp/", "search_code", arguments))
    assert right in found, found
    plain = files_in(asked_plainly(f"{asked.url}/mcp", "search_code", arguments))
    assert plain == found


def test_a_repository_added_while_it_runs_is_searchable_at_once_on_both_endpoints(asked, tmp_path):
    origin = GitRepository(tmp_path / "chart")
    origin.write({"README.md": "# Chart\n", "harbour.py": "def moor_at_quay():\n    pass\n"})
    origin.commit("Draw the harbour")
    own = f"{asked.url}/mcp/repositories/chart/"
    assert httpx.post(own, json={}, timeout=30, trust_env=False).status_code == 404
    asked.manage("add_repository", "chart", origin.url)
    arguments = {"query": "moor_at_quay"}
    assert files_in(asked_plainly(f"{asked.url}/mcp/", "search_code", arguments))[0] == "harbour.py"
    assert files_in(asked_plainly(own, "search_code", arguments)) == ["harbour.py"]
    assert "harbour.py" in asked_plainly(own, "find_symbol", {"name": "moor_at_quay"})
