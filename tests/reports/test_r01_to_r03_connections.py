"""R01 to R03: connections go stale, leak, or are never given back."""

import asyncio
import subprocess
import sys
from types import SimpleNamespace

import httpx
import pytest
from django.core.checks import run_checks

from mcp_sidecar import checks
from mcp_sidecar.bridge import LOOK_UP_THREADS
from tests.mcp_sidecar.processes import Sidecar, running, variables
from tests.messages import call
from tests.newcomer import PROJECT
from tests.reports.postgres import Database, migrated_database
from web.config.settings import base
from web.core.limits import LIMITS

MOST_CONNECTIONS = LIMITS.max_concurrent_calls + LOOK_UP_THREADS


@pytest.fixture(scope="module")
def database():
    with migrated_database() as fresh:
        yield fresh


@pytest.fixture(scope="module")
def sidecar(database, tmp_path_factory):
    folder = tmp_path_factory.mktemp("sidecar")
    with running(folder, PORTOLAN_DATABASE_URL=database.url) as started:
        yield started


async def called(http: httpx.AsyncClient, sidecar: Sidecar, tool: str, **arguments) -> dict:
    message = call(tool, **arguments)
    return (await http.post(f"{sidecar.url}/mcp/probes", json=message)).json()["result"]


@pytest.mark.services
class TestPostgres:
    async def test_r01_after_the_database_dropped_every_connection_calls_answer(
        self, sidecar: Sidecar, database: Database
    ):
        async with httpx.AsyncClient(timeout=60, trust_env=False) as http:
            for _ in range(3):
                await asyncio.gather(
                    *(called(http, sidecar, "probe_query", number=n + 1) for n in range(20))
                )
                database.terminate_connections()
                for number in range(3):
                    result = await called(http, sidecar, "probe_query", number=number + 1)
                    assert result["isError"] is False
                    assert result["content"][0]["text"] == str(number + 2)
                listed = await http.post(
                    f"{sidecar.url}/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
                )
                assert "result" in listed.json()

    async def test_r02_parallel_calls_leave_no_more_connections_than_threads(
        self, sidecar: Sidecar, database: Database
    ):
        async with httpx.AsyncClient(
            timeout=60, trust_env=False, limits=httpx.Limits(max_connections=60)
        ) as http:
            results = await asyncio.gather(
                *(called(http, sidecar, "probe_query", number=n % 9 + 1) for n in range(60))
            )
            assert not any(result["isError"] for result in results)
            assert database.comes_to(MOST_CONNECTIONS)

    def test_r03_a_pool_gets_back_what_failing_calls_took(self, database: Database, tmp_path):
        script = """
import asyncio
from contextlib import ExitStack
import django
from django.conf import settings
options = settings.DATABASES["default"].setdefault("OPTIONS", {})
options["pool"] = {"min_size": 1, "max_size": 4, "timeout": 30}
settings.DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
django.setup()
from django.db import connection, transaction
from mcp_sidecar.bridge import Bridge

def work(*, number):
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT %s", [number])
        if number % 2:
            raise LookupError(number)
        return cursor.fetchone()[0]

async def main():
    bridge = Bridge("test", threads=8, waiting=40, deadline_seconds=60)
    calls = [bridge.run(work, {"number": number}) for number in range(40)]
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    for number, outcome in enumerate(outcomes):
        expected = LookupError if number % 2 else int
        assert isinstance(outcome, expected), repr(outcome)
    await asyncio.to_thread(bridge.close)

asyncio.run(main())
# A pool that lost one of its connections runs into its timeout before it gives out the last.
with ExitStack() as taken:
    for _ in range(4):
        link = taken.enter_context(connection.pool.connection())
        assert link.info.transaction_status.name == "IDLE", link.info.transaction_status
connection.close_pool()
print("done")
"""
        done = subprocess.run(
            [sys.executable, "-c", script],
            env=variables(
                tmp_path,
                PORTOLAN_DATABASE_URL=database.url,
                DJANGO_SETTINGS_MODULE="web.config.settings.sidecar",
            ),
            cwd=PROJECT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout == "done\n", done.stderr


def test_r02_the_settings_keep_no_connection():
    for url in ("", "postgresql://u:p@db/portolan"):
        assert base._database(url)["CONN_MAX_AGE"] == 0


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"CONN_MAX_AGE": 600}, "portolan.E001"),
        ({"CONN_MAX_AGE": None}, "portolan.E001"),
        ({"CONN_MAX_AGE": 0, "OPTIONS": {"pool": True}}, "portolan.E002"),
        ({"CONN_MAX_AGE": 0}, None),
        ({"CONN_MAX_AGE": 0, "OPTIONS": {"pool": True}, "CONN_HEALTH_CHECKS": True}, None),
    ],
)
def test_r02_a_check_refuses_settings_that_leak(monkeypatch, more, problem):
    databases = {"default": {"ENGINE": "django.db.backends.postgresql", **more}}
    monkeypatch.setattr(checks, "settings", SimpleNamespace(DATABASES=databases))
    found = [found.id for found in run_checks(tags=[checks.CONNECTIONS_TAG])]
    assert found == ([] if problem is None else [problem])
