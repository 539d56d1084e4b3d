"""How much each key took lately: counted here, or here from what a shared count granted.

One request must cost next to nothing. Without Redis the count is a few numbers per key. With it a
process asks the shared count for many at once (a lease of a fiftieth of the limit) and hands them
out itself; so the processes together never grant more than the limit and a lease each, and refuse
at most a lease per process too early.

The count is a sliding window: what the minute before counts for the part of it that is still less
than a minute ago. It is the rule of the library `limits`, whose script counts in Redis; its store
in memory starts a thread every few milliseconds and looks through all keys, so that one is ours.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

WINDOW_SECONDS: Final = 60.0
MOST_KEYS: Final = 20_000
LEASES_PER_LIMIT: Final = 50


class Grant(NamedTuple):
    """What a shared count gave: `amount` to take, or none and the seconds until there is some."""

    amount: int
    wait_seconds: float = 0.0


SharedCount = Callable[[str, int, int, int], Awaitable[Grant | None]]
"""Grants `least` to `most` of `limit` a minute to a key; None while it does not answer.

Arguments: key, limit, least, most.
"""


class _Window:
    """What one key took in this minute and in the one before."""

    __slots__ = ("before", "since", "taken")

    def __init__(self, since: float) -> None:
        self.since = since
        self.taken = 0
        self.before = 0

    def wait_for(self, amount: int, limit: int, now: float) -> float:
        """Return the seconds until `amount` may be taken, 0 where it may be now."""
        age = now - self.since
        if age >= WINDOW_SECONDS:
            is_next = age < 2 * WINDOW_SECONDS
            self.before, self.taken = (self.taken if is_next else 0), 0
            self.since = self.since + WINDOW_SECONDS if is_next else now
            age = now - self.since
        room = limit - self.taken - amount
        if self.before * (1 - age / WINDOW_SECONDS) <= room:
            return 0.0
        if room >= 0:
            return WINDOW_SECONDS * (1 - room / self.before) - age
        return WINDOW_SECONDS * (2 - (limit - amount) / self.taken) - age


class _Lease:
    """What this process may still hand out to one key, or until when it has nothing to."""

    __slots__ = ("asking", "ends_at", "left", "refused_until")

    def __init__(self) -> None:
        self.left = 0
        self.ends_at = 0.0
        self.refused_until = 0.0
        self.asking = asyncio.Lock()


class Count:
    """Counts what keys take against `per_minute`; 0 counts nothing and grants everything."""

    def __init__(
        self,
        per_minute: int,
        *,
        shared: SharedCount | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.per_minute = per_minute
        self._shared = shared
        self._clock = clock
        self._lease_amount = max(1, per_minute // LEASES_PER_LIMIT)
        self._windows: OrderedDict[str, _Window] = OrderedDict()
        self._leases: OrderedDict[str, _Lease] = OrderedDict()

    def at_once(self, key: str, amount: int = 1) -> float | None:
        """Take what needs no waiting for the shared count; None where `take` has to ask it.

        Returns what `take` does.
        """
        if self.per_minute == 0:
            return 0.0
        if self._shared is None:
            return self._counted_here(key, min(amount, self.per_minute))
        lease = self._leases.get(key)
        if lease is None:
            return None
        now = self._clock()
        if lease.left >= amount and now < lease.ends_at:
            lease.left -= amount
            return 0.0
        return lease.refused_until - now if now < lease.refused_until else None

    async def take(self, key: str, amount: int = 1) -> float:
        """Take `amount` for `key` and return 0; where it has had enough, the seconds to wait.

        More than a whole minute's is taken for a whole minute's. A shared count that does not
        answer is replaced by this process's own.
        """
        amount = min(amount, self.per_minute) if self.per_minute else amount
        taken = self.at_once(key, amount)
        if taken is not None:
            return taken
        lease = _kept(self._leases, key, _Lease)
        async with lease.asking:
            taken = self.at_once(key, amount)
            return await self._granted(key, lease, amount) if taken is None else taken

    def wait_seconds(self, key: str) -> float:
        """Return how long `key` is refused from here on, as far as this process knows; else 0."""
        now = self._clock()
        lease, window = self._leases.get(key), self._windows.get(key)
        known = 0.0 if window is None else window.wait_for(1, self.per_minute, now)
        return known if lease is None else max(known, lease.refused_until - now)

    async def _granted(self, key: str, lease: _Lease, amount: int) -> float:
        assert self._shared is not None  # noqa: S101 - only then are there leases
        most = max(amount, self._lease_amount)
        grant = await self._shared(key, self.per_minute, amount, most)
        if grant is None:
            return self._counted_here(key, amount)
        now = self._clock()
        if grant.amount:
            kept = lease.left if now < lease.ends_at else 0
            lease.left, lease.ends_at = kept + grant.amount - amount, now + WINDOW_SECONDS
            return 0.0
        lease.refused_until = now + grant.wait_seconds
        return grant.wait_seconds

    def _counted_here(self, key: str, amount: int) -> float:
        now = self._clock()
        window = self._windows.get(key) or _kept(self._windows, key, lambda: _Window(now))
        wait_seconds = window.wait_for(amount, self.per_minute, now)
        if not wait_seconds:
            window.taken += amount
        return wait_seconds


def _kept[V](kept: OrderedDict[str, V], key: str, make: Callable[[], V]) -> V:
    """Return the value of a key, made where there is none; the oldest keys make room."""
    value = kept.get(key)
    if value is None:
        value = kept[key] = make()
        if len(kept) > MOST_KEYS:
            kept.popitem(last=False)
    return value
