"""A line of a log file, as web.core.logs writes it, read back."""

import json
import logging
from datetime import datetime
from typing import Any

import msgspec

from web.core.redaction import redacted, redacted_value
from web.operations.logs.filters import LogFilter, is_within
from web.operations.records import LogEntry

_START = b'{"time":"'
_LEVELS = logging.getLevelNamesMapping()
_TEXTS = ("logger", "message", "request_id", "process", "caller", "tool", "exception")
_OWN_FIELDS = frozenset({*_TEXTS, "time", "level"})

_decode = msgspec.json.Decoder(dict[str, Any]).decode


def time_of(line: bytes) -> datetime | None:
    """Return the instant of a line, without reading the rest of it; None for what is no line."""
    end = line.find(b'"', len(_START), len(_START) + 40)
    if not line.startswith(_START) or end < 0:
        return None
    try:
        moment = datetime.fromisoformat(line[len(_START) : end].decode())
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def entry_of(line: bytes) -> LogEntry | None:
    """Return what a line says; None for what is no line of a log."""
    moment = time_of(line)
    if moment is None:
        return None
    try:
        fields = _fields_of(line)
    except ValueError:
        return None
    texts = {name: str(fields.get(name, "")) for name in _TEXTS}
    more = {name: value for name, value in fields.items() if name not in _OWN_FIELDS}
    return LogEntry(at=moment, level=str(fields.get("level", "INFO")), fields=more, **texts)


def _fields_of(line: bytes) -> dict[str, Any]:
    try:
        return _decode(line)
    except msgspec.DecodeError:  # such as half a character, which JSON can hold
        fields: dict[str, Any] = json.loads(line)
        return fields


def level_number(name: str) -> int:
    """Return the number of a level's name; that of INFO for an unknown one."""
    return _LEVELS.get(name, logging.INFO)


def matches(entry: LogEntry, wanted: LogFilter) -> bool:
    """Return whether a line is one of those that are searched for."""
    if not (
        level_number(entry.level) >= wanted.level
        and is_within(entry.logger, wanted.logger, ".")
        and is_within(entry.process, wanted.process, ":")
        and (wanted.since is None or entry.at >= wanted.since)
        and (wanted.until is None or entry.at <= wanted.until)
    ):
        return False
    text = searched_text(entry).lower() if wanted.words else ""
    return all(word in text for word in wanted.words)


def searched_text(entry: LogEntry) -> str:
    """Return all texts of a line, in which words are looked for."""
    more = json.dumps(entry.fields, ensure_ascii=False) if entry.fields else ""
    return "\n".join((*(getattr(entry, name) for name in _TEXTS), more))


def shown(entry: LogEntry) -> LogEntry:
    """Return a line as it may be shown: a secret that became known only later is taken out."""
    return LogEntry(
        at=entry.at,
        level=entry.level,
        fields=redacted_value(entry.fields),
        **{name: redacted(getattr(entry, name)) for name in _TEXTS},
    )
