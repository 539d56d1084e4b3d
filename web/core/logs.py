"""Logs: JSON lines, one physical line each, without secrets, one file per process.

A process writes `<process>.<host>.<pid>.jsonl` in the log folder and rotates it alone, so no two
processes ever rename the same file. Fields: time, level, logger, message, request_id, process,
caller, tool, then whatever was given as `extra=`, and `exception` with the traceback.
"""

import json
import logging
import os
import re
import socket
import sys
import threading
import time
import traceback
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

import msgspec

from web.core.redaction import holds_a_token, redacted, redacted_value

REQUEST_ID: ContextVar[str] = ContextVar("request_id", default="")
CALLER: ContextVar[str] = ContextVar("caller", default="")
TOOL: ContextVar[str] = ContextVar("tool", default="")

_SAFE_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_STANDARD_FIELDS = frozenset(
    vars(logging.makeLogRecord({})).keys() | {"message", "asctime", "taskName"}
)
# Django gives its request along, whose text has the query: a client may have put a secret there.
_LEFT_OUT = _STANDARD_FIELDS | {"request"}
READY_FIELDS = "_ready_fields"
"""The extra field of a record that holds no secrets, with its further fields, a dict."""
ANSWER = {"_answer": True}
"""The `extra=` of a record that repeats what is raised: commands write their error instead."""
_SERVERS = frozenset({"web", "sidecar", "worker"})
BUFFER_BYTES = 128 * 1024

_encode = json.JSONEncoder(default=str, separators=(",", ":")).encode
# Controls, and what turns the text behind it around or is not seen (UAX 9, section 2).
_ACTING = {char: f"\\x{ord(char):02x}" for char in map(chr, [*range(32), *range(127, 160)])} | {
    char: f"\\u{ord(char):04x}"
    for char in "\u061c\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e"
    "\u2060\u2066\u2067\u2068\u2069\ufeff"
}
_LINE = str.maketrans(_ACTING | {"\n": "\\n", "\r": "\\r", "\t": "\\t"})
_LINES = str.maketrans(_ACTING | {"\n": "\n", "\t": "\t"})


def request_id_from(header: str) -> str:
    """Return the request id that a proxy sent, or a new one for an absent or unfit one."""
    is_fit = _SAFE_REQUEST_ID.fullmatch(header) and not holds_a_token(header)
    return header if is_fit else uuid.uuid4().hex


@contextmanager
def log_context(*, request_id: str = "", caller: str = "", tool: str = "") -> Iterator[None]:
    """Give every record of this block these fields; an empty one keeps what was set outside."""
    variables = ((REQUEST_ID, request_id), (CALLER, caller), (TOOL, tool))
    tokens = [(variable, variable.set(value)) for variable, value in variables if value]
    try:
        yield
    finally:
        for variable, token in reversed(tokens):
            variable.reset(token)


def process_name(arguments: Sequence[str]) -> str:
    """Return what this process is called in logs, from its command line.

    web, sidecar, worker, or the name of the management command or program.
    """
    program = Path(arguments[0]) if arguments else Path("python")
    if program.name == "manage.py" and len(arguments) > 1:
        return "worker" if arguments[1] == "db_worker" else arguments[1]
    name = program.parent.name if program.name == "__main__.py" else program.stem
    return {"mcp_sidecar": "sidecar", "uvicorn": "web"}.get(name, name) or "python"


class JsonLines(logging.Formatter):
    """One JSON object per record, on one line, whatever the message holds."""

    def __init__(self, *, process: str) -> None:
        super().__init__()
        self.process = process

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as JSON in ASCII; secrets are replaced in every field."""
        fields: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": _message_of(record),
            "request_id": REQUEST_ID.get(),
            "process": f"{self.process}:{record.process}",
            "caller": CALLER.get(),
            "tool": TOOL.get(),
        }
        ready = vars(record).get(READY_FIELDS)
        if ready is not None:
            return _encoded(fields | ready)
        fields["message"] = redacted(fields["message"])
        for name, value in vars(record).items():
            if name not in _LEFT_OUT and not name.startswith("_"):
                fields[name] = redacted_value(value, name=name)
        if record.exc_info:
            fields["exception"] = redacted(_traceback_of(record))
        return _encoded(fields)


class PlainLines(logging.Formatter):
    """For terminals: time, level, logger, message; a traceback below it where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as a line of text; what acts on a terminal is shown escaped."""
        stamp = time.strftime("%H:%M:%S", time.localtime(record.created))
        message = redacted(_message_of(record)).translate(_LINE)
        line = f"{stamp} {record.levelname} {record.name} {message}"
        if record.exc_info:
            line = f"{line}\n{redacted(_traceback_of(record)).translate(_LINES)}"
        return line


def _encoded(fields: dict[str, Any]) -> str:
    """Return the fields as JSON in ASCII."""
    try:
        line = msgspec.json.encode(fields, enc_hook=str)
    except (TypeError, ValueError, OverflowError):  # such as numbers beyond 64 bits
        return _encode(fields)
    return line.decode() if line.isascii() else _encode(fields)


def _message_of(record: logging.LogRecord) -> str:
    """Return the message, also where its arguments do not fit it."""
    try:
        return record.getMessage()
    except (TypeError, ValueError, KeyError):
        return f"{record.msg} {record.args!r}"


def _traceback_of(record: logging.LogRecord) -> str:
    return "".join(traceback.format_exception(*record.exc_info)) if record.exc_info else ""


class ProcessFile(RotatingFileHandler):
    """The file of this process, opened at its first record; a forked child gets its own."""

    def __init__(
        self, *, folder: str, process: str, max_bytes: int, max_files: int, keep_days: int
    ) -> None:
        self.folder = Path(folder)
        self.process = process
        self.keep_days = keep_days
        self.size = 0  # of the open file; a line is ASCII, so characters are bytes
        self.collecting = threading.local()
        super().__init__(
            self._path(),
            maxBytes=max_bytes,
            backupCount=max_files - 1,
            encoding="utf-8",
            delay=True,
        )
        os.register_at_fork(after_in_child=self._start_own_file)

    def _path(self) -> Path:
        host = re.sub(r"[^A-Za-z0-9-]", "-", socket.gethostname())
        return self.folder / f"{self.process}.{host}.{os.getpid()}.jsonl"

    def _start_own_file(self) -> None:
        self.baseFilename = str(self._path().absolute())
        if self.stream is not None:
            with suppress(OSError):
                self.stream.close()
            self.stream = None

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record; the standard handler would format it twice to know its size."""
        try:
            line = f"{self.format(record)}\n"
            if self.stream is not None and self.size + len(line) > self.maxBytes:
                self.doRollover()
            if self.stream is None:
                self.stream = self._open()
            self.stream.write(line)
            self.size += len(line)
            if record.levelno >= logging.WARNING or not vars(self.collecting):
                self.stream.flush()
        except Exception:
            self.handleError(record)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Let the lines that this thread writes in the block reach the file at its end.

        On a full disk they wait in the buffer for the next line; the block never fails for them.
        """
        self.collecting.lines = True
        try:
            yield
        finally:
            del self.collecting.lines
            with suppress(OSError):
                self.flush()

    def _open(self) -> Any:
        self.folder.mkdir(parents=True, exist_ok=True)
        log_files_forget_old(self.folder, keep_days=self.keep_days)
        stream = Path(self.baseFilename).open(  # noqa: SIM115 - the handler closes it
            self.mode, BUFFER_BYTES, encoding=self.encoding, errors=self.errors
        )
        self.size = stream.tell()
        return stream


def log_files_forget_old(folder: Path, *, keep_days: int) -> None:
    """Remove the files of all processes, nginx among them, that were not written for so long."""
    oldest = time.time() - keep_days * 86400
    for path in folder.glob("*.jsonl*"):
        with suppress(OSError):
            if path.stat().st_mtime < oldest:
                path.unlink()


@contextmanager
def lines_together() -> Iterator[None]:
    """Write the many lines of the block to the log's file at once; warnings go at once anyway."""
    with ExitStack() as files:
        for handler in logging.getLogger().handlers:
            if isinstance(handler, ProcessFile):
                files.enter_context(handler.together())
        yield


def is_no_call(record: logging.LogRecord) -> bool:
    """Return whether a record is for people who watch: calls are many, and only for the file."""
    return record.name != "portolan.calls"


def is_no_answer(record: logging.LogRecord) -> bool:
    """Say whether a record is one that a command does not tell in words of its own."""
    return not hasattr(record, "_answer")


def logging_settings(
    *,
    folder: Path,
    level: str,
    max_bytes: int,
    max_files: int,
    keep_days: int,
    table_handler: str = "",
) -> dict[str, Any]:
    """Return Django's LOGGING: JSON lines to `folder`, plain lines to standard error.

    `table_handler` names the class of a handler that gets the JSON lines besides.
    """
    process = process_name(sys.argv)
    handlers = ["file", "stderr"]
    table = {}
    if table_handler:
        handlers.append("table")
        table = {"table": {"class": table_handler, "formatter": "json"}}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "json": {"()": "web.core.logs.JsonLines", "process": process},
            "plain": {"()": "web.core.logs.PlainLines"},
        },
        "filters": {"no_calls": {"()": lambda: is_no_call}, "once": {"()": lambda: is_no_answer}},
        "handlers": {
            "file": {
                "()": "web.core.logs.ProcessFile",
                "formatter": "json",
                "folder": str(folder),
                "process": process,
                "max_bytes": max_bytes,
                "max_files": max_files,
                "keep_days": keep_days,
            },
            "stderr": {
                "class": "logging.StreamHandler",
                "formatter": "plain",
                "filters": ["no_calls"] if process in _SERVERS else ["no_calls", "once"],
            },
            **table,
        },
        "root": {"handlers": handlers, "level": level},
        "loggers": {
            # Django's own handlers would write the same record a second time, unredacted.
            "django": {"handlers": [], "propagate": True, "level": level},
            "django.server": {"handlers": [], "propagate": True},
            # A foreign Host is answered with 400; a traceback for each probe would drown the rest.
            "django.security.DisallowedHost": {"level": "CRITICAL"},
            "mcp.server.streamable_http": {"level": "WARNING"},
            "httpx": {"level": "WARNING"},  # writes whole addresses, with their queries
            "httpx2": {"level": "WARNING"},
            "axes": {"level": "WARNING"},  # each sign-in; the audit has them
            # Their lines for debugging hold authorization codes and tokens.
            "oauthlib": {"level": "INFO"},
            "oauth2_provider": {"level": "INFO"},
        },
    }
