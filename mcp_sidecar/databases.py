"""The database connections of a thread that runs calls: old ones closed, a database away named."""

import os
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from django.db import DatabaseError, InterfaceError, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from web.core.databases import is_away
from web.core.errors import DeadlineExceeded, Unavailable
from web.core.limits import LIMITS
from web.core.migrations import unapplied_migrations

_POSTGRES_TIMEOUT = "57014"
_POSTGRES_LACKS = frozenset({"42P01", "42703"})  # a table, a column
# The device and number of the file that a connection to SQLite has open.
_FILES: WeakKeyDictionary[BaseDatabaseWrapper, tuple[int, int]] = WeakKeyDictionary()


def answered[R](function: Callable[..., R], kwargs: dict[str, Any]) -> R:
    """Return `function(**kwargs)`; no connection outlives what it was opened for.

    A selector whose connection turns out to be dead is run once more. Raises Unavailable when the
    database is away, and whatever `function` raises.
    """
    _discard_old_connections()
    _look_at_files()
    try:
        return function(**kwargs)
    except (DatabaseError, InterfaceError) as error:
        if _lost_a_connection() and ".selectors" in function.__module__:
            return _once_more(function, kwargs)
        if (named := _named(error)) is error:
            raise
        raise named from error
    finally:
        _discard_old_connections()


def _once_more[R](function: Callable[..., R], kwargs: dict[str, Any]) -> R:
    try:
        return function(**kwargs)
    except (DatabaseError, InterfaceError) as error:
        if (named := _named(error)) is error:
            raise
        raise named from error


def _discard_old_connections() -> None:
    """Close what Django would close at the ends of a request.

    SQLite's connection stays while its file does (`_look_at_files`): opening it again with its
    pragmas costs more than most queries.
    """
    for connection in connections.all(initialized_only=True):
        if connection.connection is None:
            continue
        if (
            connection.vendor == "sqlite"
            and not connection.errors_occurred
            and connection.autocommit == connection.settings_dict["AUTOCOMMIT"]
        ):
            continue
        connection.close_if_unusable_or_obsolete()


def _look_at_files() -> None:
    """Close connections to a file of SQLite that another took the place of, such as a backup.

    An open file outlives its name: without this, calls would go on reading and writing the old one
    until the process ends. Raises Unavailable while there is no file, which SQLite would make anew,
    empty.
    """
    for connection in connections.all():
        name = str(connection.settings_dict["NAME"])
        if connection.vendor != "sqlite" or name.startswith("file:") or name == ":memory:":
            continue
        try:
            status = os.stat(name)  # noqa: PTH116 - making a Path costs more than the call
        except OSError as error:
            connection.close()
            raise _away() from error
        file = status.st_dev, status.st_ino
        if connection.connection is not None and _FILES.get(connection) != file:
            connection.close()
        _FILES[connection] = file


def _lost_a_connection() -> bool:
    """Return whether a connection of this thread was found dead; it is closed then."""
    lost = False
    for connection in connections.all(initialized_only=True):
        opened = connection.connection is not None
        if opened and connection.errors_occurred and not connection.is_usable():
            connection.close()
            lost = True
    return lost


def _named(error: DatabaseError | InterfaceError) -> Exception:
    """Return what a database error means for the caller; the error itself where it is a mistake."""
    if _lacks_migrations(error.__cause__):
        return Unavailable(
            "The database of this server lacks migrations.",
            hint="Tell whoever runs the server, and repeat the call once they have seen to it.",
            remedy="Run: python manage.py migrate",
        )
    if not is_away(error):
        return error
    if getattr(error.__cause__, "sqlstate", None) == _POSTGRES_TIMEOUT:
        return deadline_exceeded(LIMITS.call_deadline_seconds)
    return _away()


def _lacks_migrations(cause: BaseException | None) -> bool:
    """Say whether a table or a column was missed because the database is older than the program."""
    is_lacking = getattr(cause, "sqlstate", None) in _POSTGRES_LACKS
    if not is_lacking and not str(cause).startswith(("no such table", "no such column")):
        return False
    try:
        return bool(unapplied_migrations())
    except (DatabaseError, InterfaceError):
        return False


def _away() -> Unavailable:
    return Unavailable(
        "The database does not answer now.", hint="Nothing is wrong with the call: repeat it later."
    )


def deadline_exceeded(seconds: float) -> DeadlineExceeded:
    """Return the error of a call that took longer than `seconds`."""
    return DeadlineExceeded(
        f"The deadline of {seconds:g} s was exceeded (deadline exceeded).",
        hint="Ask for less: a narrower filter, one repository, or a smaller limit. "
        "A change may still complete: read the state before repeating it.",
    )
