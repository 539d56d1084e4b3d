"""nginx's lines, taken into the table: nginx only writes files, and knows of no database.

It writes a file per day into the log folder. Where there is a table, one process of each folder
reads what is added and hands it on as if it were its own; where there is none, the files themselves
are searched.
"""

import fcntl
import json
import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from django.conf import settings

from web.operations.logs.handler import TableHandler

FILES: Final = "nginx.*.jsonl"
POSITION: Final = "nginx.position"
PAUSE_SECONDS: Final = 1.0
MOST_BYTES: Final = 256 * 1024


class Place(NamedTuple):
    """How far the files were read: the name of a file, and a number of bytes."""

    name: str = ""
    offset: int = 0


def follow_proxy_log() -> None:
    """Take nginx's lines into the table from now on, in a thread; nothing where there is none."""
    for handler in logging.getLogger().handlers:
        if isinstance(handler, TableHandler):
            arguments = (settings.DATA_DIR / "log", handler.take, threading.Event())
            threading.Thread(target=follow, args=arguments, name="proxy log", daemon=True).start()


def follow(folder: Path, take: Callable[[Sequence[bytes]], bool], ended: threading.Event) -> None:
    """Give `take` what is added to the files, about once a second, until `ended` is set.

    Of several processes one does, and another goes on where it ended. Lines that `take` returns
    False for are given again later. What was given in the last moment before a crash is given
    twice.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / POSITION).open("a+b") as kept:
        fcntl.flock(kept, fcntl.LOCK_EX)
        place = _kept_place(kept)
        while not ended.wait(PAUSE_SECONDS):
            with suppress(OSError):
                place = _taken(folder, place, take, kept)


def added_lines(folder: Path, place: Place) -> tuple[list[bytes], Place]:
    """Return some whole lines behind a place, and the place behind them; none where all was read.

    Whoever has read nothing yet begins with the newest file. What stands after the last line feed
    is not finished and left for later.
    """
    names = sorted(path.name for path in folder.glob(FILES))
    for name in names if place.name else names[-1:]:
        if name < place.name:
            continue
        start = place.offset if name == place.name else 0
        with (folder / name).open("rb") as file:
            file.seek(start)
            block = file.read(MOST_BYTES)
        end = block.rfind(b"\n") + 1
        if not end and len(block) == MOST_BYTES:
            end = MOST_BYTES  # nginx writes no line of that length: passed over
        if end:
            return block[:end].splitlines(), Place(name, start + end)
    return [], place


def _taken(
    folder: Path, place: Place, take: Callable[[Sequence[bytes]], bool], kept: BinaryIO
) -> Place:
    """Give away all that is new and return the place behind it, which is kept in the file."""
    lines, behind = added_lines(folder, place)
    while lines and take(lines):
        place = behind
        kept.truncate(0)
        kept.write(json.dumps(place).encode())
        kept.flush()
        lines, behind = added_lines(folder, place)
    return place


def _kept_place(kept: BinaryIO) -> Place:
    kept.seek(0)
    with suppress(ValueError, TypeError):
        name, offset = json.loads(kept.read())
        return Place(str(name), int(offset))
    return Place()
