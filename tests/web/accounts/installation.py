"""Portolan's web application in a process of its own, with `live_app` as its MCP server."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

from tests.databases import FILE_NAME, copy_database
from tests.deploy.stack import Process, answers, manage
from tests.services import free_port

_INVITE = """
from django.core.management import call_command
for number in range(8):
    call_command("invite", f"person{number}@example.org")
"""


class Installation:
    """Portolan's web application with `live_app` as its MCP server, on a fresh database."""

    def __init__(self, folder):
        self.folder = folder
        self._links = []
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.variables = {
            "PORTOLAN_DATA_DIR": str(folder),
            "PORTOLAN_DEBUG": "1",
            "PORTOLAN_PUBLIC_URL": self.url,
        }
        command = (sys.executable, "-m", "uvicorn", "--no-access-log", "--port", str(self.port))
        self.process = Process(
            (*command, "tests.web.accounts.live_app:application"),
            log=folder / "output",
            answers=lambda: answers(f"{self.url}/o/"),
            **self.variables,
        )

    def manage(self, *arguments):
        """Run a management command and return what it printed."""
        return manage(self.variables, *arguments)

    def invitation(self) -> str:
        """Return the link of an invitation that nobody has used; one process makes several."""
        if not self._links:
            self._links = self.manage("shell", "--verbosity", "0", "-c", _INVITE).split()
        return self._links.pop()

    @contextmanager
    def running(self) -> Iterator[Self]:
        """Make the database, start the process; end it afterwards."""
        copy_database(self.folder / FILE_NAME)
        try:
            self.process.start()
            yield self
        finally:
            self.process.stop()
