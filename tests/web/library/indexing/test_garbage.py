"""How often Python looks for cyclic garbage: rarely while an index is written, then as before."""

import gc

import pytest

from web.library.indexing.garbage import rare_collections


@pytest.fixture(autouse=True)
def thresholds():
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_collections_are_rare_in_the_block_and_as_before_after_it_whatever_happened():
    gc.set_threshold(700, 10, 10)
    inside = []

    @rare_collections()
    def fail():
        inside.append(gc.get_threshold()[0])
        raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert inside[0] > 700
    assert gc.get_threshold()[0] == 700


@pytest.mark.parametrize("youngest", [0, 10_000_000])
def test_collections_that_are_off_or_rarer_stay_so(youngest):
    gc.set_threshold(youngest, 10, 10)
    with rare_collections():
        assert gc.get_threshold()[0] == youngest
    assert gc.get_threshold()[0] == youngest
