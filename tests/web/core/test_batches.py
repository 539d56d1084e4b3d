"""Rows that are written later: all of them, in order, and never at the cost of who made them."""

import threading

import pytest
from django.db import OperationalError

from web.core.batches import MOST_AT_ONCE, BatchWriter

LONG = 60


@pytest.fixture
def written():
    return []


def writer(write, **options):
    return BatchWriter("test", write, **{"most_waiting": 10_000, "pause_seconds": 0.0, **options})


def test_rows_are_written_in_order_and_in_batches(written):
    batches = writer(written.append)
    batches.add(range(MOST_AT_ONCE + 1))
    assert batches.flush(timeout_seconds=LONG)
    assert [row for batch in written for row in batch] == list(range(MOST_AT_ONCE + 1))
    assert max(map(len, written)) <= MOST_AT_ONCE
    assert batches.waiting == 0


def test_rows_wait_while_the_database_is_away_and_none_is_lost_or_doubled(written):
    answers = [OperationalError("locked"), OperationalError("away"), None, None]

    def write(rows):
        if (failure := answers.pop(0)) is not None:
            raise failure
        written.extend(rows)

    batches = writer(write)
    batches.add([1])
    batches.add([2])
    assert batches.flush(timeout_seconds=LONG)
    assert (written, batches.dropped) == ([1, 2], 0)


def test_a_full_queue_drops_and_counts_and_holds_nobody_up(written, caplog):
    release = threading.Event()

    def write(rows):
        release.wait(LONG)
        written.extend(rows)

    batches = writer(write, most_waiting=3)
    batches.add(range(5))
    release.set()
    assert batches.flush(timeout_seconds=LONG)
    assert (written, batches.dropped) == ([0, 1, 2], 2)
    assert (batches.newly_dropped(), batches.newly_dropped()) == (2, 0)
    assert "test: 2 rows were dropped" in caplog.text


def test_rows_that_can_never_be_written_do_not_hold_up_the_others(written, caplog):
    def write(rows):
        if "bad" in rows:
            raise ValueError("bad row")
        written.extend(rows)

    batches = writer(write)
    batches.add(["bad"])
    assert batches.flush(timeout_seconds=LONG)
    batches.add(["good"])
    assert batches.flush(timeout_seconds=LONG)
    assert (written, batches.dropped) == (["good"], 1)
    assert "1 rows cannot be written" in caplog.text


def test_a_flush_gives_up_on_a_database_that_stays_away():
    def write(_rows):
        raise OperationalError("away")

    batches = writer(write)
    batches.add([1])
    assert not batches.flush(timeout_seconds=0.2)
    assert batches.waiting == 1
    batches._waiting.clear()  # else the end of this process waits for it


def test_a_flush_of_nothing_is_done():
    assert writer(print).flush(timeout_seconds=0)
