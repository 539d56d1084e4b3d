"""Python's search for cyclic garbage, which indexing makes none of."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_RARE = 50_000  # objects made until the youngest are looked through, by default 2,000


@contextmanager
def rare_collections() -> Iterator[None]:
    """Have Python look for cyclic garbage rarely, in this process, while the block runs.

    A syntax tree and what is read from it are many objects that all go by reference counts: to
    look through them takes a fourteenth of the first index. Where it is rare already it stays so.
    """
    youngest, *older = gc.get_threshold()
    if not 0 < youngest < _RARE:
        yield
        return
    gc.set_threshold(_RARE, *older)
    try:
        yield
    finally:
        gc.set_threshold(youngest, *older)
