"""nginx's files, followed: nothing twice, nothing lost, one process at a time."""

import threading

import pytest

from web.operations.logs import proxy
from web.operations.logs.handler import TableHandler
from web.operations.logs.proxy import MOST_BYTES, Place, added_lines, follow

LONG = 60


def append(folder, day, text):
    with (folder / f"nginx.2026-11-{day:02}.jsonl").open("a") as file:
        file.write(text)


def read_on(folder, place):
    """Every line from a place on, and the place behind the last."""
    found = []
    while (step := added_lines(folder, place))[0]:
        found += step[0]
        place = step[1]
    return b" ".join(found).decode(), place


def test_files_are_read_day_by_day_from_where_the_last_reading_ended(tmp_path):
    assert read_on(tmp_path, Place()) == ("", Place())
    append(tmp_path, 1, "long ago\n")
    append(tmp_path, 2, "a\nb\nunfini")
    (tmp_path / "web.host.2.jsonl").write_text("not nginx's\n")
    told, place = read_on(tmp_path, Place())
    assert told == "a b"
    append(tmp_path, 2, "shed\n")
    append(tmp_path, 3, "c\n")
    append(tmp_path, 4, "d\n")
    told, place = read_on(tmp_path, place)
    assert told == "unfinished c d"
    for file in tmp_path.glob("nginx*"):
        file.unlink()  # as what is old is removed
    append(tmp_path, 5, "e\n")
    assert read_on(tmp_path, place)[0] == "e"


def test_a_file_of_any_size_is_read_in_parts(tmp_path):
    line = "x" * 999
    append(tmp_path, 1, f"{line}\n" * 1000 + "y" * (MOST_BYTES + 1) + f"\n{line}\n")
    told, _ = read_on(tmp_path, Place())
    assert told.split().count(line) == 1001


@pytest.fixture
def followed(tmp_path, monkeypatch):
    """Start to follow; returns the lines that were given, a sign of each, and a way to end it."""
    monkeypatch.setattr(proxy, "PAUSE_SECONDS", 0.01)
    threads = []

    def start(name, *, refusals=0):
        given, came, ended = [], threading.Semaphore(0), threading.Event()
        refused = iter(range(refusals))

        def take(lines):
            if next(refused, None) is not None:
                return False
            for line in lines:
                given.append(f"{name}: {line.decode()}")
                came.release()
            return True

        thread = threading.Thread(target=follow, args=(tmp_path, take, ended))
        thread.start()

        def end():
            ended.set()
            thread.join(LONG)

        threads.append(end)
        return given, came, end

    yield start
    for end in threads:
        end()


def test_one_process_follows_and_another_goes_on_where_it_ended(tmp_path, followed):
    append(tmp_path, 1, "a\n")
    given, came, end = followed("first", refusals=3)
    assert came.acquire(timeout=LONG)
    later, came_later, _ = followed("second")
    append(tmp_path, 1, "b\n")
    assert came.acquire(timeout=LONG)
    end()
    append(tmp_path, 2, "c\n")
    assert came_later.acquire(timeout=LONG)
    assert (given, later) == (["first: a", "first: b"], ["second: c"])


def test_what_finds_no_room_in_the_queue_is_left_for_later():
    handler = TableHandler()
    handler.lines.most_waiting = 0
    assert not handler.take([b"a line"])
    assert (handler.lines.waiting, handler.lines.dropped) == (0, 0)
