"""The database that a run measures: an empty one, and what it holds and costs."""

import os
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

from tests.services import PostgresServer, program

SQLITE, POSTGRES = "sqlite", "postgres"
_TICKS = os.sysconf("SC_CLK_TCK")


@contextmanager
def database_url(name: str) -> Iterator[str]:
    """Yield the address of an empty database: SQLite's in the data folder, or a new server's.

    The server has PostgreSQL's own settings, and none of its promises for the case of a crash.
    """
    if name == SQLITE:
        yield ""
        return
    folder = Path(tempfile.mkdtemp(prefix="portolan-bench-"))
    folder.chmod(0o755)  # the server runs under an account of its own
    server = PostgresServer(folder / "server")
    try:
        server.create()
        yield server.url
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def postgres_is_installed() -> bool:
    """Return whether a server can be started."""
    return bool(program("initdb") and program("postgres"))


def index_bytes() -> int:
    """Return the bytes that the database takes, without what SQLite would use again."""
    size = "SELECT pg_database_size(current_database())"
    if connection.vendor == SQLITE:
        size = (
            "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count(), "
            "pragma_freelist_count(), pragma_page_size()"
        )
    with connection.cursor() as cursor:
        cursor.execute(size)
        return int(cursor.fetchone()[0])


def settle() -> None:
    """Do now what PostgreSQL does by itself some minutes after very many rows were written."""
    if connection.vendor != SQLITE:
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")


def cpu_seconds() -> float:
    """Return the CPU time of this process and its children, and of the database's server."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    ours = sum(usage.ru_utime + usage.ru_stime for usage in usages)
    return ours + (0.0 if connection.vendor == SQLITE else _server_seconds())


def query_clock() -> Callable[[], float]:
    """Return a clock of the CPU seconds of this process and of the one that answers its queries."""
    if connection.vendor == SQLITE:
        return time.process_time
    answering = Path(f"/proc/{_answering_process()}/schedstat")
    return lambda: time.process_time() + int(answering.read_text().split()[0]) / 1e9


def _answering_process() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def _server_seconds() -> float:
    """Return the CPU time of the server that answers, of all its processes now and before."""
    server = int(_fields(_answering_process())[1])
    seconds = 0
    for number in (int(path.name) for path in Path("/proc").glob("[0-9]*")):
        try:
            found = _fields(number)
        except (FileNotFoundError, ProcessLookupError):
            continue
        if number == server:
            seconds += sum(map(int, found[11:15]))  # with the children that have ended
        elif int(found[1]) == server:
            seconds += sum(map(int, found[11:13]))
    return seconds / _TICKS


def _fields(process: int) -> list[str]:
    """Return the fields of a process from its state on (proc_pid_stat(5))."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
