"""The files of the log, read backwards while processes write and rename them."""

import io
import logging
import os

import pytest

from tests.web.operations.calls import NOON
from tests.web.operations.test_log_search import append, line
from web.core.logs import JsonLines, ProcessFile
from web.operations.logs import backwards
from web.operations.logs.backwards import lines_backwards
from web.operations.logs.files import log_files_searched
from web.operations.logs.filters import LogFilter


def read(data):
    return list(lines_backwards(io.BytesIO(data), end=len(data)))


@pytest.mark.parametrize("block", [1, 2, 3, 5, 64, 4096])
def test_lines_are_read_from_the_end_whatever_the_size_of_a_block(monkeypatch, block):
    monkeypatch.setattr(backwards, "BLOCK_BYTES", block)
    assert read(b"one\ntwo\n\nthree\n") == [b"three", b"", b"two", b"one"]
    assert read(b"one\nnot finished") == [b"one"]
    assert read(b"not finished") == []
    assert read(b"") == []
    assert read(b"\n") == [b""]


def test_a_line_of_any_length_is_read_in_bounded_memory(monkeypatch):
    monkeypatch.setattr(backwards, "BLOCK_BYTES", 10)
    monkeypatch.setattr(backwards, "MAX_LINE_BYTES", 100)
    first, long, last = read(b"last\n" + b"x" * 5_000 + b"\nfirst\n")
    assert (first, last) == (b"first", b"last")
    assert len(long) <= 110


def search(folder, *, behind=None, limit=3, wanted=None):
    wanted = wanted or LogFilter()
    found = log_files_searched(folder, wanted, limit=limit, behind=behind, max_bytes=10**9)
    return [entry.message for entry in found.entries], found.position


def test_a_search_goes_on_exactly_though_files_are_renamed_meanwhile(tmp_path):
    log = tmp_path / "sidecar.host.1.jsonl"
    append(log, *(line(str(second), seconds=second) for second in range(10)))
    seen, position = search(tmp_path)
    log.rename(tmp_path / "sidecar.host.1.jsonl.1")
    append(log, *(line(f"new {second}", seconds=20 + second) for second in range(5)))
    while position is not None:
        more, position = search(tmp_path, behind=position)
        seen += more
    assert seen == [str(second) for second in reversed(range(10))]


def test_full_files_of_one_process_are_one_log(tmp_path):
    handler = ProcessFile(
        folder=str(tmp_path), process="sidecar", max_bytes=2_000, max_files=50, keep_days=1
    )
    handler.setFormatter(JsonLines(process="sidecar"))
    for number in range(60):
        handler.emit(logging.LogRecord("x", logging.INFO, "f", 1, f"n{number}", (), None))
    handler.close()
    assert len(list(tmp_path.iterdir())) > 3
    seen, position = [], None
    while True:
        more, position = search(tmp_path, behind=position, limit=7)
        seen += more
        if position is None:
            break
    assert seen == [f"n{number}" for number in reversed(range(60))]


def test_lines_that_were_written_late_are_neither_lost_nor_doubled(tmp_path):
    seconds = (1, 5, 3, 4, 9, 2, 2, 8, 7)
    append(tmp_path / "web.h.1.jsonl", *(line(f"{n}", seconds=s) for n, s in enumerate(seconds)))
    append(tmp_path / "web.h.2.jsonl", *(line(f"b{s}", seconds=s) for s in range(10)))
    seen, position = [], None
    while True:
        more, position = search(tmp_path, behind=position, limit=1)
        seen += more
        if position is None:
            break
    assert len(seen) == len(set(seen)) == len(seconds) + 10


def test_files_of_before_the_time_are_not_opened(tmp_path, monkeypatch):
    old, new = tmp_path / "web.h.1.jsonl", tmp_path / "web.h.2.jsonl"
    append(old, line("old", seconds=-100_000))
    append(new, line("new", seconds=10))
    os.utime(old, times=(NOON.timestamp() - 100_000,) * 2)
    os.utime(new, times=(NOON.timestamp() + 10,) * 2)
    opened = []
    original = type(old).open

    def noting(path, *arguments, **options):
        opened.append(path.name)
        return original(path, *arguments, **options)

    monkeypatch.setattr(type(old), "open", noting)
    messages, _ = search(tmp_path, wanted=LogFilter(since=NOON))
    assert messages == ["new"]
    assert opened == ["web.h.2.jsonl"]


def test_other_files_of_the_folder_are_left_alone(tmp_path):
    (tmp_path / "notes.txt").write_text(line("no") + "\n")
    (tmp_path / "x.jsonl.bak").write_text(line("no") + "\n")
    (tmp_path / "folder.jsonl").mkdir()
    append(tmp_path / "nginx.2026-11-05.jsonl", line("GET / 200", process="nginx:3"))
    assert search(tmp_path)[0] == ["GET / 200"]
    assert search(tmp_path, wanted=LogFilter(process="nginx"))[0] == ["GET / 200"]
