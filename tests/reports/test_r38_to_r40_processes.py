"""R38 to R40: how a sidecar ends, and what a stdio client sees."""

import asyncio
import json

import httpx

from tests.deploy.stack import answers
from tests.mcp_sidecar.processes import running, stdio
from tests.messages import call, hello
from tests.services import free_port


async def test_r38_sigterm_in_the_middle_of_a_call_answers_it(migrated):
    with running(migrated) as sidecar:
        url = f"{sidecar.url}/mcp/probes"
        async with httpx.AsyncClient(timeout=60, trust_env=False) as http:
            slow = asyncio.create_task(http.post(url, json=call("probe_wait", number=600)))
            await http.post(url, json=call("probe_started"))
            sidecar.terminate()
            while await asyncio.to_thread(answers, f"{sidecar.url}/health"):
                pass
            sidecar.release()
            answer = (await slow).json()
        assert answer["result"]["content"][0]["text"] == "released"
        assert await asyncio.to_thread(sidecar.exit_code) == 0
        log = sidecar.log.read_text()
    assert "Traceback" not in log
    assert " ERROR " not in log


def test_r39_every_line_of_standard_output_is_protocol(migrated):
    with stdio(migrated, module="tests.mcp_sidecar.probe_stdio") as server:
        for message in (
            hello(),
            call("probe_noise", number=1),
        ):
            server.send(message)
            answer = server.receive()
            assert json.dumps(answer)
            assert "result" in answer
        assert server.close() == (b"", 0)


def test_r40_initialize_asks_no_database_and_a_dead_one_is_told(migrated):
    url = f"postgresql://portolan:secret-word@127.0.0.1:{free_port()}/portolan"
    with stdio(migrated, PORTOLAN_DATABASE_URL=url) as server:
        assert (
            server.ask("initialize", hello()["params"])["result"]["serverInfo"]["name"]
            == "portolan-project"
        )
        assert server.ask("ping")["result"] == {}
        listed = server.ask("tools/list")
        assert listed["error"]["code"] == -32010
        called = server.ask("tools/call", {"name": "list_repositories"})
        text = called["result"]["content"][0]["text"]
        assert called["result"]["isError"]
        assert "(code: unavailable)" in text
        for secret in ("secret-word", "127.0.0.1", "psycopg", "Traceback", "SELECT"):
            assert secret not in json.dumps([listed, called])
        assert server.close() == (b"", 0)
