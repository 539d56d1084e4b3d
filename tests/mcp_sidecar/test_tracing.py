"""Traces: from the caller's own over the request to service and database, without secrets."""

import json
import subprocess
import sys

import pytest

from tests.mcp_sidecar.conftest import MODERN, Client, application, envelope, http_client
from tests.mcp_sidecar.processes import variables
from tests.mcp_sidecar.test_tokens import bearer, made
from tests.newcomer import PROJECT
from tests.otlp_receiver import receiving

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = "b7ad6b7169203331"
TRACEPARENT = f"00-{TRACE}-{PARENT}-01"


@pytest.fixture
async def spans_of(transactional_db, state, settings):
    """A way to get the spans of what is done with a client, by their names."""

    async def traced(act):
        with receiving() as receiver:
            settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(
                update={"otlp_endpoint": receiver.url}
            )
            app = application()
            async with app.running(), http_client(app) as http:
                await act(Client(http))
            return receiver.spans()

    return traced


def named(spans, name):
    (span,) = [span for span in spans if span.name == name]
    return span


async def test_a_call_is_one_trace_from_the_request_to_the_database(spans_of):
    async def act(client):
        await client.call("probe_query", {"number": 4}, traceparent=TRACEPARENT, x_request_id="r-1")

    spans = await spans_of(act)
    request = named(spans, "POST /mcp/probes/")
    message = named(spans, "tools/call probe_query")
    work = named(spans, "tests.mcp_sidecar.selectors.queried")
    (statement,) = [span for span in spans if span.parent_id == work.span_id]
    assert {request.trace_id, message.trace_id, work.trace_id, statement.trace_id} == {TRACE}
    assert request.parent_id == PARENT
    assert message.parent_id == request.span_id
    assert work.parent_id == message.span_id
    assert statement.name == "SELECT"
    assert request.service == "portolan-sidecar"
    assert request.attributes["http.response.status_code"] == 200
    assert request.attributes["portolan.request_id"] == "r-1"
    assert message.attributes["portolan.server"] == "portolan-probes"
    assert message.attributes["gen_ai.tool.name"] == "probe_query"
    assert message.attributes["portolan.outcome"] == "ok"
    assert work.attributes["portolan.pool"] == "tool"
    assert statement.attributes["db.operation.name"] == "SELECT"


async def test_a_trace_in_meta_is_taken_up_where_the_request_has_none(spans_of):
    async def act(client):
        meta = {**envelope(), "traceparent": TRACEPARENT}
        message = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "probe_echo", "arguments": {}, "_meta": meta},
        }
        headers = {
            "mcp_protocol_version": MODERN,
            "mcp_method": "tools/call",
            "mcp_name": "probe_echo",
        }
        assert (await client.post("/mcp/probes", message, **headers)).status_code == 200

    spans = await spans_of(act)
    request, message = named(spans, "POST /mcp/probes/"), named(spans, "tools/call probe_echo")
    assert (message.trace_id, message.parent_id) == (TRACE, PARENT)
    assert message.links == [request.span_id]
    assert request.trace_id != TRACE


async def test_failures_are_errors_of_the_trace_without_their_texts(spans_of):
    async def act(client):
        await client.call("probe_fail", {"word": "not_found"})
        await client.ask("tools/call", {"name": "probe_fail", "arguments": {"word": "assertion"}})
        await client.ask("made/up")

    spans = await spans_of(act)
    failed, broken = [span for span in spans if span.name == "tools/call probe_fail"]
    assert (failed.is_error, failed.attributes["error.type"]) == (True, "not_found")
    assert (broken.is_error, broken.attributes["rpc.response.status_code"]) == (True, "-32603")
    unknown = named(spans, "(unknown)")
    assert (unknown.is_error, unknown.attributes["error.type"]) == (True, "-32601")
    assert not any(span.events for span in spans)


async def test_neither_secrets_nor_arguments_nor_names_are_sent(spans_of, repositories):
    secrets = ["hunter2", "ghp_0123456789abcdefghij", "argument-text", "alpha", "no-such-tool"]

    async def act(client):
        _, token, _ = await made("ann")
        secrets.append(token)
        await client.call("probe_echo", {"word": "argument-text"}, **bearer(token))
        await client.call("probe_echo", {"password": "hunter2"})
        await client.call("probe_github", x_github_token="ghp_0123456789abcdefghij")
        await client.call("probe_query", path="/mcp/probes/repositories/alpha")
        await client.ask("tools/call", {"name": "no-such-tool"})
        await client.post("/mcp/probes?token=hunter2", b"{}")

    spans = await spans_of(act)
    text = json.dumps([vars(span) for span in spans])
    assert len(spans) > 10
    assert "/mcp/probes/repositories/{name}/" in text
    assert [secret for secret in secrets if secret in text] == []


async def test_fastmcp_adds_no_spans_of_its_own(spans_of):
    async def act(client):
        # What the lane does not know goes through FastMCP.
        meta = {"fastmcp": {"x": 1}}
        await client.ask("tools/call", {"name": "probe_echo", "arguments": {}, "_meta": meta})

    spans = await spans_of(act)
    assert [span.name for span in spans if "probe_echo" in span.name] == ["tools/call probe_echo"]


SCRIPT = """
import asyncio, sys
from mcp_sidecar.bootstrap import boot
boot()
from mcp_sidecar.transport.application import Application
from tests.mcp_sidecar.conftest import Client, http_client

async def main():
    app = Application()
    async with app.running(), http_client(app) as http:
        await Client(http).ask("tools/list", path="/mcp/lesson")
asyncio.run(main())
sent = ("opentelemetry.sdk.trace", "opentelemetry.exporter")
print([name for name in sys.modules if name.startswith(sent)])
"""


def test_without_an_endpoint_nothing_of_it_is_imported(migrated):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=variables(migrated, PYTHONPATH=str(PROJECT)),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", ["PORTOLAN_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"])
def test_a_missing_extra_is_named_at_the_start(migrated, tmp_path, name):
    package = tmp_path / "opentelemetry"
    package.mkdir()
    (package / "__init__.py").touch()  # found first: as where only the API is installed
    done = subprocess.run(
        [sys.executable, "-m", "mcp_sidecar"],
        env=variables(migrated, PYTHONPATH=str(tmp_path), **{name: "http://127.0.0.1:9"}),
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1
    assert "uv sync --extra otel" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_process_sends_its_traces_before_it_ends(migrated):
    with receiving() as receiver:
        endpoint = {"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url}
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env=variables(migrated, PYTHONPATH=str(PROJECT), **endpoint),
            capture_output=True,
            check=True,
        )
        assert "tools/list" in [span.name for span in receiver.spans()]


async def test_a_collector_that_is_away_harms_nothing(transactional_db, state, settings):
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(
        update={"otlp_endpoint": "http://127.0.0.1:9"}
    )
    app = application()
    async with app.running(), http_client(app) as http:
        assert await Client(http).text("probe_echo", {"word": "x"}) == "x"
