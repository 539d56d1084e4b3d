"""Which failures of a database say that it is away, and not that a statement is wrong."""

from django.db import DatabaseError, InterfaceError, OperationalError

# SQLite says with one exception that it is busy and that a statement is wrong; only these mean
# that the same call may work later.
_SQLITE_AWAY = frozenset(
    {
        "BUSY", "LOCKED", "IOERR", "FULL", "CANTOPEN", "READONLY", "NOTADB", "CORRUPT", "PROTOCOL",
        "NOMEM",
    }
)  # fmt: skip


def is_away(error: BaseException | None) -> bool:
    """Return whether an error says that the database does not answer, or takes no writes, now."""
    if not isinstance(error, DatabaseError | InterfaceError):
        return False
    name = getattr(error.__cause__, "sqlite_errorname", None)
    if name is None:
        return isinstance(error, OperationalError | InterfaceError)
    return name.removeprefix("SQLITE_").split("_")[0] in _SQLITE_AWAY
