"""R04 to R12: the event loop, the threads beside it, and whose call runs on them."""

import ast
import asyncio
import inspect
import json
import logging
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth import get_user_model
from django.db import IntegrityError, transaction

from mcp_sidecar import bridge
from mcp_sidecar.tools.registry import LESSON_TOOLS, OPERATIONS_TOOLS, PROJECT_TOOLS
from tests.mcp_sidecar import probes
from tests.mcp_sidecar.processes import variables
from tests.newcomer import PROJECT
from tests.services import free_port
from web.core.limits import LIMITS


def test_r04_importing_inside_a_loop_without_a_database_touches_neither(tmp_path):
    script = """
import asyncio
async def main():
    import mcp_sidecar.transport.asgi, mcp_sidecar.servers.binding
asyncio.run(main())
"""
    url = f"postgresql://x:x@127.0.0.1:{free_port()}/x"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        env=variables(tmp_path, PORTOLAN_DATABASE_URL=url),
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


async def test_r04_no_tool_touches_the_database_on_the_event_loop(mcp, caplog):
    tools = (await mcp.ask("tools/list", path="/mcp/"))["result"]["tools"]
    assert tools
    for tool in tools:
        arguments = {
            name: 1 if schema["type"] == "integer" else "x"
            for name, schema in tool["inputSchema"]["properties"].items()
            if name in tool["inputSchema"].get("required", ())
        }
        answer = await mcp.ask(
            "tools/call", {"name": tool["name"], "arguments": arguments}, path="/mcp/"
        )
        assert "result" in answer, (tool["name"], answer)
    assert "SynchronousOnlyOperation" not in caplog.text


async def test_r06_calls_run_at_the_same_time_and_others_beside_them(mcp, state):
    state.barrier = threading.Barrier(5)
    together = [asyncio.create_task(mcp.text("probe_meet")) for _ in range(5)]
    threads = await asyncio.gather(*together)
    assert len(set(threads)) == 5
    waiting = [asyncio.create_task(mcp.text("probe_wait")) for _ in range(5)]
    assert await mcp.text("probe_query", {"number": 1}) == "2"
    assert not any(task.done() for task in waiting)
    state.release.set()
    assert set(await asyncio.gather(*waiting)) == {"released"}


def test_r07_nothing_in_a_service_goes_back_into_the_event_loop():
    found = []
    for folder in ("web", "mcp_sidecar"):
        for path in Path(folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                name = getattr(node, "id", None) or getattr(node, "attr", None)
                aliases = getattr(node, "names", [])
                if "async_to_sync" in [name, *(getattr(alias, "name", "") for alias in aliases)]:
                    found.append(f"{path}:{node.lineno}")
    assert found == []


async def test_r07_many_calls_at_once_never_lock_each_other_out(mcp):
    calls = [mcp.text("probe_query", {"number": n % 9 + 1}) for n in range(50)]
    async with asyncio.timeout(60):
        assert len(await asyncio.gather(*calls)) == 50


def add_users(*, names: list[str]) -> None:
    """Add users in one transaction, as a service does."""
    with transaction.atomic():
        for name in names:
            get_user_model().objects.create(username=name)


async def test_r08_one_bridged_call_is_one_transaction(mcp):
    with pytest.raises(IntegrityError):
        await bridge.call(add_users, names=["ann", "ben", "ann"])
    assert await get_user_model().objects.acount() == 0
    await bridge.call(add_users, names=["ann", "ben"])
    assert await get_user_model().objects.acount() == 2


async def test_r09_a_call_that_is_given_up_ends_on_its_thread_and_no_thread_is_added(mcp, state):
    for _ in range(100):
        task = asyncio.create_task(bridge.call(probes.waited, seconds=60))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    tool_threads = [one for one in threading.enumerate() if one.name.startswith("tool")]
    assert len(tool_threads) <= LIMITS.max_concurrent_calls
    state.release.set()
    assert await mcp.text("probe_query", {"number": 1}) == "2"


async def test_r09_a_write_that_is_given_up_is_complete_or_not_there(mcp, state):
    task = asyncio.create_task(bridge.call(probes.written, word="ann"))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await asyncio.to_thread(bridge.TOOLS.close)
    assert await get_user_model().objects.acount() in {0, 1}


async def test_r10_health_and_ping_answer_while_tools_wait(mcp, state):
    waiting = [asyncio.create_task(mcp.text("probe_wait")) for _ in range(8)]
    await sync_to_async(state.started.wait, thread_sensitive=False)(timeout=60)
    assert (await mcp.http.get("/health")).text == "ok"
    assert (await mcp.ask("ping"))["result"] == {}
    assert "tools" in (await mcp.ask("tools/list"))["result"]
    assert not any(task.done() for task in waiting)
    state.release.set()
    await asyncio.gather(*waiting)


@pytest.mark.parametrize(
    "tool", [*PROJECT_TOOLS, *OPERATIONS_TOOLS, *LESSON_TOOLS], ids=lambda t: t.contract.name
)
def test_r10_every_tool_is_a_coroutine(tool):
    assert inspect.iscoroutinefunction(tool.function)


async def test_r12_two_callers_that_share_a_session_id_are_never_mixed(mcp, caplog):
    with caplog.at_level(logging.WARNING):
        tokens = {None: "anonymous", "ghp_0123456789abcdefghij": "with a token"}

        async def ask(token):
            headers = {"mcp_session_id": "one and the same"}
            if token:
                headers["authorization"] = f"Bearer {token}"
            params = {"name": "probe_github", "arguments": {}}
            answer = await mcp.ask("tools/call", params, **headers)
            return token, json.dumps(answer)

        answers = await asyncio.gather(*(ask(token) for token in list(tokens) * 100))
    for token, answer in answers:
        assert ("with a token" in answer) == (token is not None)
