"""What is searched for in the log: the same in files and in the table."""

import logging
import re
from dataclasses import dataclass
from datetime import datetime

from web.core.errors import InvalidInput
from web.core.limits import LIMITS

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
_WORDS = re.compile(r'"([^"]*)"|(\S+)')


@dataclass(frozen=True, slots=True)
class LogFilter:
    """All of these must hold for a line.

    `words` are found in any of its texts, in any case. `level` is the least, as a number. `logger`
    and `process` are whole names, or the first part of one: "web.library", "sidecar".
    """

    words: tuple[str, ...] = ()
    level: int = 0
    logger: str = ""
    process: str = ""
    since: datetime | None = None
    until: datetime | None = None


def words_of(query: str | None) -> tuple[str, ...]:
    """Return the words and "quoted phrases" of a query, in lowercase.

    Raises InvalidInput for a query that is too long.
    """
    if query is not None and len(query) > LIMITS.max_query_characters:
        raise InvalidInput(
            f"The query is longer than {LIMITS.max_query_characters} characters.",
            hint="Search for fewer words.",
            fields={"query": f"at most {LIMITS.max_query_characters} characters"},
        )
    parts = (phrase or word for phrase, word in _WORDS.findall(query or ""))
    return tuple(part.lower() for part in parts if part.strip())


def level_of(name: str | None) -> int:
    """Return the number of a level; 0 for None. Raises InvalidInput for an unknown one."""
    if name is None:
        return 0
    if name.upper() not in LEVELS:
        raise InvalidInput(
            f"There is no level {name[:40]!r}.",
            hint=f"Levels, the least first: {', '.join(LEVELS)}.",
            fields={"level": f"one of {', '.join(LEVELS)}"},
        )
    return logging.getLevelNamesMapping()[name.upper()]


def is_within(name: str, wanted: str, separator: str) -> bool:
    """Return whether `name` is `wanted` or begins with it as a whole part; all are within ""."""
    return not wanted or name == wanted or name.startswith(wanted + separator)
