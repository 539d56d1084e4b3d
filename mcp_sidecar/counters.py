"""What is counted on the way of a request: plain numbers, which /metrics takes from here.

They are changed on the event loop only, so that counting costs nothing worth measuring.
"""

from collections import Counter
from typing import Final

refusals: Final[Counter[int]] = Counter()
"""Answers of an endpoint with an HTTP status of an error, by status."""

cache: Final[Counter[str]] = Counter()
"""Looks into the cache of results: "hit", "miss", or "away" where it did not answer."""


def taken[K](counter: Counter[K]) -> dict[K, int]:
    """Return what was counted since the last time, and start again from nothing."""
    counts = dict(counter)
    counter.clear()
    return counts
