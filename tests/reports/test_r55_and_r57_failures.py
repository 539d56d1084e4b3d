"""R55 and R57: each failure at its level, with its code, and nothing of what is inside."""

import asyncio
import json
import logging

import pytest

from mcp_sidecar import signals
from mcp_sidecar.servers import catalogue, pipeline
from mcp_sidecar.signals import mcpserver_tool_called
from tests.mcp_sidecar.conftest import HANDSHAKE_VERSIONS, MODERN
from tests.mcp_sidecar.probes import SECRET
from tests.reports.inside import tells_nothing

UNFORESEEN = ["assertion", "memory", "disk", "timeout", "pydantic", "missing_table", "stop"]


class TestR55:
    @pytest.mark.usefixtures("repositories")
    @pytest.mark.parametrize("version", [None, *HANDSHAKE_VERSIONS, MODERN])
    async def test_a_tools_own_failure_is_a_result_with_code_and_hint(self, way, version):
        cases = {
            "not_found": ("probe_fail", {"word": "not_found"}),
            "conflict": ("probe_fail", {"word": "conflict"}),
            "not_allowed": ("probe_fail", {"word": "not_allowed"}),
            "too_large": ("probe_fail", {"word": "too_large"}),
            "invalid_input": ("probe_echo", {"repository": "nope"}),
            "unavailable": ("probe_fail", {"word": "unavailable"}),
        }
        for code, (tool, arguments) in cases.items():
            result = await way.call(tool, arguments, version=version)
            text = result["content"][0]["text"]
            assert result["isError"] is True
            assert f"(code: {code})" in text
            assert len(text.splitlines()) >= 3
            assert "structuredContent" not in result

    @pytest.mark.parametrize("version", [None, *HANDSHAKE_VERSIONS, MODERN])
    async def test_invalid_arguments_are_a_result_that_names_them(self, way, version):
        result = await way.call("probe_query", {"number": 5000}, version=version)
        assert result["isError"] is True
        assert result["content"][0]["text"].splitlines()[0] == (
            "invalid arguments for probe_query: number: Input should be less than or equal to 1000"
        )

    async def test_an_unknown_tool_is_a_protocol_error(self, way):
        for name in ("nope", "probe_github", "", "x" * 500):
            answer = await way.ask("tools/call", {"name": name})
            assert answer["error"]["code"] == -32601

    async def test_bad_json_is_a_parse_error_and_no_json_415(self, way):
        bad = await way.post("/mcp/probes", b"{")
        assert (bad.status_code, bad.json()["error"]["code"]) == (400, -32700)
        form = await way.post("/mcp/probes", "a=b", content_type="text/plain")
        assert form.status_code == 415


class TestR57:
    @pytest.mark.parametrize("tool", ["probe_fail", "probe_fail_here"])
    @pytest.mark.parametrize("kind", UNFORESEEN)
    async def test_what_nobody_foresaw_is_an_internal_error_logged_once(
        self, way, caplog, tool, kind
    ):
        params = {"name": tool, "arguments": {"word": kind}}
        answer = await way.ask("tools/call", params, x_request_id="req-57")
        assert answer["error"] == {
            "code": -32603,
            "message": "Internal error",
            "data": {"request_id": "req-57"},
        }
        tells_nothing(json.dumps(answer))
        (record,) = [record for record in caplog.records if record.levelno >= logging.ERROR]
        assert record.exc_info is not None
        assert "req-57" in record.getMessage()

    async def test_a_failure_of_the_platform_names_the_request(self, way):
        result = await way.call("probe_fail", {"word": "unavailable"}, x_request_id="req-57")
        assert "(code: unavailable)\n(request: req-57)" in result["content"][0]["text"]

    async def test_rendering_that_fails_is_an_internal_error(self, way, caplog):
        params = {"name": "probe_echo", "arguments": {"word": "render badly"}}
        answer = await way.ask("tools/call", params)
        assert answer["error"]["code"] == -32603
        tells_nothing(json.dumps(answer))
        assert len([one for one in caplog.records if one.exc_info]) == 1

    async def test_a_scope_that_fails_is_an_internal_error(self, way, caplog, monkeypatch):
        async def broken(*_args, **_more):
            raise RuntimeError(SECRET)

        monkeypatch.setattr(catalogue, "names_visible_to", broken)
        for method, params in (("tools/list", None), ("tools/call", {"name": "probe_echo"})):
            caplog.clear()
            answer = await way.ask(method, params)
            assert answer["error"]["code"] == -32603
            tells_nothing(json.dumps(answer))
            assert len([one for one in caplog.records if one.exc_info]) == 1
        caplog.clear()
        response = await way.post(
            "/mcp/probes/repositories/alpha", {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        )
        assert (response.status_code, response.json()["error"]["code"]) == (500, -32603)
        tells_nothing(response.text)
        assert len([one for one in caplog.records if one.exc_info]) == 1

    async def test_a_receiver_that_fails_changes_no_answer(self, way):
        def broken(sender, **values):
            raise RuntimeError(SECRET)

        mcpserver_tool_called.connect(broken)
        try:
            assert await way.text("probe_echo", {"word": "x"}) == "x"
            await asyncio.to_thread(signals.flush)
        finally:
            mcpserver_tool_called.disconnect(broken)

    async def test_noting_that_fails_changes_no_answer(self, way, monkeypatch):
        class Broken:
            def qsize(self):
                raise RuntimeError(SECRET)

        with monkeypatch.context() as patch:
            patch.setattr(signals, "_waiting", Broken())
            assert await way.text("probe_echo", {"word": "x"}) == "x"

    async def test_a_message_of_a_batch_that_fails_spoils_no_other(self, way):
        def message(identifier, word):
            params = {"name": "probe_fail_here", "arguments": {"word": word}}
            return {"jsonrpc": "2.0", "id": identifier, "method": "tools/call", "params": params}

        batch = [message(1, "assertion"), message(2, "not_found"), message(3, "disk")]
        answers = (await way.post("/mcp/probes", batch)).json()
        assert [answer["id"] for answer in answers] == [1, 2, 3]
        assert [answer.get("error", {}).get("code") for answer in answers] == [
            -32603,
            None,
            -32603,
        ]
        tells_nothing(json.dumps(answers))

    async def test_a_pipeline_that_fails_is_an_internal_error(self, way, monkeypatch):
        async def broken(*_args):
            raise RuntimeError(SECRET)

        monkeypatch.setattr(pipeline, "_outcome", broken)
        answer = await way.ask("tools/call", {"name": "probe_echo"})
        assert answer["error"]["code"] == -32603
        tells_nothing(json.dumps(answer))
