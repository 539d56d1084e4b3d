"""SQLite that makes a file once, and never again in the same process.

SQLite makes a file that is not there, empty. While a running process's file is away (moved, another
disk not mounted, a backup that is being put in its place), that would turn "the database is away"
into "there is no such table", and the empty file would be what the next process finds.
"""

import os
from pathlib import Path
from typing import Any

from django.db.backends.sqlite3 import base

_SEEN: set[str] = set()


class DatabaseWrapper(base.DatabaseWrapper):
    """Opens a file that this process has opened before only if it exists."""

    def get_connection_params(self) -> dict[str, Any]:
        """Return what Django gives; the file as an address that makes none, once it was seen."""
        params: dict[str, Any] = super().get_connection_params()
        name = os.fspath(params["database"])
        if name in _SEEN:
            params["database"] = f"{Path(name).absolute().as_uri()}?mode=rw"
        return params

    def get_new_connection(self, conn_params: Any) -> Any:
        """Open a connection. Raises Django's OperationalError where a seen file is gone."""
        opened = super().get_new_connection(conn_params)
        name = os.fspath(conn_params["database"])
        if name != ":memory:" and not name.startswith("file:"):
            _SEEN.add(name)
        return opened
