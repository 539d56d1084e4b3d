"""The log's way into the table, from a process that waits for nothing."""

import json
import logging
import os
import subprocess
import sys
import threading

import pytest
from django.db import OperationalError

from tests.mcp_sidecar.processes import variables
from tests.newcomer import PROJECT
from tests.reports.postgres import migrated_database
from web.core.logs import JsonLines
from web.operations.logs import handler as handlers
from web.operations.logs.handler import TableHandler
from web.operations.models import LogLine
from web.operations.services.retention import records_forget_old

LONG = 60
SECRET = "ptl_c2VjcmV0LXBsYW50ZWQtaW4tYS1sb2c"


@pytest.fixture
def handler():
    made = TableHandler()
    made.setFormatter(JsonLines(process="sidecar"))
    logger = logging.getLogger("portolan.table-test")
    logger.addHandler(made)
    yield made
    logger.removeHandler(made)
    assert made.lines.flush(timeout_seconds=LONG)


@pytest.mark.django_db(transaction=True)
def test_lines_get_into_the_table_with_their_fields_and_without_secrets(handler):
    try:
        raise ValueError(f"nul \0 and {SECRET}")
    except ValueError:
        logging.getLogger("portolan.table-test").exception("it broke", extra={"detail": "\ud800"})
    assert handler.lines.flush(timeout_seconds=LONG)
    row = LogLine.objects.get()
    assert (row.level, row.logger, row.message) == (40, "portolan.table-test", "it broke")
    assert row.process == f"sidecar:{os.getpid()}"
    assert "nul \\x00 and" in row.exception
    assert json.loads(row.fields) == {"detail": "\ud800"}
    assert SECRET not in str(vars(row))
    assert records_forget_old() == 0


def test_who_logs_never_waits_and_what_the_thread_logs_goes_elsewhere(monkeypatch, handler):
    release, entered = threading.Event(), threading.Event()
    written = []

    def slow(lines):
        logging.getLogger("portolan.table-test").warning("from the thread itself")
        entered.set()
        release.wait(LONG)
        written.extend(lines)

    monkeypatch.setattr(handler.lines, "_write", slow)
    handler.lines.most_waiting = 3
    for number in range(2):
        logging.getLogger("portolan.table-test").warning("line %d", number)
    assert entered.wait(LONG)
    for number in range(2, 7):
        logging.getLogger("portolan.table-test").warning("line %d", number)
    release.set()
    assert handler.lines.flush(timeout_seconds=LONG)
    messages = [json.loads(line)["message"] for _, line in written]
    assert messages == ["line 0", "line 1", "line 2"]
    assert handler.lines.dropped == 4


def test_lines_wait_for_a_database_that_is_away(monkeypatch, handler):
    failures = [OperationalError("away"), OperationalError("away")]
    written = []

    def write(lines):
        if failures:
            raise failures.pop()
        written.extend(lines)

    monkeypatch.setattr(handler.lines, "_write", write)
    logging.getLogger("portolan.table-test").warning("still there")
    assert handler.lines.flush(timeout_seconds=LONG)
    assert len(written) == 1
    assert handlers.LIMITS.max_records_waiting > 0


@pytest.mark.services
def test_a_process_writes_its_last_lines_into_the_table_before_it_ends(tmp_path):
    import psycopg

    script = "import logging; logging.getLogger('portolan.x').warning('last words %s', '" + SECRET
    with migrated_database() as database:
        subprocess.run(
            [sys.executable, "manage.py", "shell", "--command", f"{script}')"],
            env=variables(tmp_path, PORTOLAN_DATABASE_URL=database.url),
            cwd=PROJECT,
            check=True,
        )
        with psycopg.connect(database.url) as link:
            rows = link.execute("SELECT message, process FROM operations_logline").fetchall()
    words = [row for row in rows if row[0] == "last words ptl_[redacted]"]
    assert len(words) == 1
    assert words[0][1].startswith("shell:")
