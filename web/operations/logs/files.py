"""The log files of this machine as one log, newest line first.

Each process has a file of its own, which is renamed when it is full (`x.jsonl`, `x.jsonl.1`, …).
A file is opened only when the merge of all processes gets to the time of its last change, and known
by its inode, so that one that is renamed meanwhile is read once.
"""

import heapq
import os
import re
from collections import defaultdict
from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, NamedTuple

from web.operations.logs.backwards import BLOCK_BYTES, lines_backwards
from web.operations.logs.filters import LogFilter
from web.operations.logs.lines import entry_of, matches, time_of
from web.operations.records import LogEntry

_NAME = re.compile(r"(?P<stream>.+\.jsonl)(?:\.(?P<number>\d+))?")
# Lines of one process stand in the order of their times but for this: calls are logged together.
_DISORDER_MS = 60_000


class Position(NamedTuple):
    """A place between two lines: behind the `nth` line of the millisecond `ms`."""

    ms: int
    nth: int


@dataclass(frozen=True, slots=True)
class Found:
    """Matching lines, newest first, and where the search ended.

    `position` is None where all was searched; `is_full` says that there are more lines than the
    limit.
    """

    entries: tuple[LogEntry, ...]
    position: Position | None
    is_full: bool


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    inode: int
    size: int
    changed_ms: int


class _Stream:
    """The files of one process, read backwards, one line ahead.

    `ms` is the time of the line ahead, or of a line behind it that is older: it never rises. Before
    the first line is read it is the time of the last change.
    """

    def __init__(self, files: list[_File], *, newest_ms: int | None) -> None:
        self.ms = files[0].changed_ms
        self.line = b""
        self.is_open = False
        self._lines = _lines_of(files, newest_ms)

    def advance(self) -> bool:
        """Read the next line; return whether there is one. What is no line is passed over."""
        for line in self._lines:
            moment = time_of(line)
            if moment is not None:
                self.line = line
                self.ms = min(self.ms, _ms_of(moment)) if self.is_open else _ms_of(moment)
                self.is_open = True
                return True
        return False

    def close(self) -> None:
        """Close the file that is open."""
        self._lines.close()


def log_files_searched(
    folder: Path, wanted: LogFilter, *, limit: int, behind: Position | None, max_bytes: int
) -> Found:
    """Return at most `limit` matching lines that stand behind a position, newest first.

    Reads at most `max_bytes` of lines (and one line more); where it ends there, `position` is how
    far it got. A page goes on exactly where the last one ended, whatever is written or renamed
    meanwhile; only where a process's clock was set back by more than a minute, lines may be missed.
    """
    newest_ms = behind.ms if behind else None
    if wanted.until is not None:
        newest_ms = min(_ms_of(wanted.until), newest_ms or _ms_of(wanted.until))
    streams = _streams(folder, wanted, newest_ms)
    entries: list[LogEntry] = []
    page_end: Position | None = None
    read = 0
    try:
        for place, line in _merged(streams, wanted):
            if (behind is not None and not _is_behind(place, behind)) or (
                newest_ms is not None and place.ms > newest_ms
            ):
                continue
            read += len(line)
            entry = entry_of(line)
            if entry is not None and matches(entry, wanted):
                if len(entries) == limit:
                    return Found(tuple(entries), page_end, is_full=True)
                entries.append(entry)
                page_end = place
            if read > max_bytes:
                return Found(tuple(entries), place, is_full=False)
    finally:
        for stream in streams.values():
            stream.close()
    return Found(tuple(entries), None, is_full=False)


def _is_behind(place: Position, behind: Position) -> bool:
    return place.ms < behind.ms or (place.ms == behind.ms and place.nth > behind.nth)


def _merged(streams: dict[str, _Stream], wanted: LogFilter) -> Iterator[tuple[Position, bytes]]:
    """Yield the lines of all streams, newest first, each with the position behind it."""
    oldest_ms = None if wanted.since is None else _ms_of(wanted.since) - _DISORDER_MS
    ahead = [(-stream.ms, name) for name, stream in streams.items()]
    heapq.heapify(ahead)
    place = Position(0, 0)
    while ahead:
        _, name = heapq.heappop(ahead)
        stream = streams[name]
        if stream.is_open:
            place = Position(stream.ms, place.nth + 1 if place.ms == stream.ms else 1)
            yield place, stream.line
        if stream.advance() and (oldest_ms is None or stream.ms >= oldest_ms):
            heapq.heappush(ahead, (-stream.ms, name))
        else:
            stream.close()


def processes_logged(folder: Path) -> tuple[str, ...]:
    """Return the kinds of processes that have a file here, in order."""
    with suppress(FileNotFoundError):
        names = [name for path in folder.iterdir() if (name := _NAME.fullmatch(path.name))]
        return tuple(sorted({name["stream"].partition(".")[0] for name in names}))
    return ()


def loggers_logged(folder: Path, *, max_bytes: int) -> tuple[str, ...]:
    """Return the loggers of the newest lines, at most `max_bytes` of them, in order."""
    wanted = LogFilter()
    streams = _streams(folder, wanted, None)
    found: set[str] = set()
    read = 0
    try:
        for _, line in _merged(streams, wanted):
            read += len(line)
            if read > max_bytes:
                break
            entry = entry_of(line)
            if entry is not None:
                found.add(entry.logger)
    finally:
        for stream in streams.values():
            stream.close()
    return tuple(sorted(found))


def _streams(folder: Path, wanted: LogFilter, newest_ms: int | None) -> dict[str, _Stream]:
    """Return the files by process; none for processes that are not asked for or ended before."""
    found: defaultdict[str, list[tuple[int, _File]]] = defaultdict(list)
    process = wanted.process.partition(":")[0]
    with suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            name = _NAME.fullmatch(entry.name)
            if name is None or not entry.name.startswith(f"{process}." if process else ""):
                continue
            with suppress(FileNotFoundError):
                status = entry.stat()
                changed_ms = int(status.st_mtime * 1000) + 1
                file = _File(Path(entry.path), status.st_ino, status.st_size, changed_ms)
                found[name["stream"]].append((int(name["number"] or 0), file))
    oldest_ms = 0 if wanted.since is None else _ms_of(wanted.since)
    streams = {}
    for stream, numbered in found.items():
        files = [file for _, file in sorted(numbered, key=lambda pair: pair[0])]
        if files[0].changed_ms >= oldest_ms:
            streams[stream] = _Stream(files, newest_ms=newest_ms)
    return streams


def _lines_of(files: list[_File], newest_ms: int | None) -> Generator[bytes]:
    for file in files:
        opened = _opened(file)
        if opened is None:
            continue
        with opened:
            if newest_ms is None or not _is_newer(opened, file.size, newest_ms):
                yield from lines_backwards(opened, end=file.size)


def _opened(file: _File) -> BinaryIO | None:
    """Open a file, also where it was renamed since it was listed; None where it is gone."""
    stem, _, number = file.path.name.rpartition(".")
    name, count = (stem, int(number)) if number.isdigit() else (file.path.name, 0)
    for ahead in range(3):
        path = file.path if not ahead else file.path.with_name(f"{name}.{count + ahead}")
        with suppress(OSError):
            opened = path.open("rb")
            if os.fstat(opened.fileno()).st_ino == file.inode:
                return opened
            opened.close()
    return None


def _is_newer(opened: BinaryIO, size: int, newest_ms: int) -> bool:
    """Return whether all of a file was written well after `newest_ms`: first and last line are."""
    opened.seek(0)
    first = time_of(opened.read(BLOCK_BYTES).split(b"\n", 1)[0])
    last = time_of(next(lines_backwards(opened, end=size), b""))
    return (
        first is not None
        and last is not None
        and min(_ms_of(first), _ms_of(last)) > newest_ms + _DISORDER_MS
    )


def _ms_of(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def instant_of(position: Position) -> datetime:
    """Return the instant of a position."""
    return datetime.fromtimestamp(position.ms / 1000, UTC)
