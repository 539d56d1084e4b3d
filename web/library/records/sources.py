"""What is read again and again, for staff, and the request to read it now."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Source:
    """Something that is read again and again: a repository, a documentation site or a feed.

    `state` is stale (it cannot be read since `stale_since`, because of `reason`), old (nobody read
    it for longer than max_source_age_hours), new (never read), paused (a feed that is switched off)
    or fresh. `activity` is empty, queued, or how far the sync is that goes on. `name` is the
    repository's name; a feed has its title. `next_at` is set where it will not be read by itself
    before.
    """

    kind: str
    name: str
    address: str
    state: str
    activity: str
    read_at: datetime | None
    stale_since: datetime | None
    reason: str
    next_at: datetime | None


@dataclass(frozen=True, slots=True)
class SourceListing:
    """One page of sources, those that need somebody first; `states` counts all by state."""

    sources: tuple[Source, ...]
    total_count: int
    states: tuple[tuple[str, int], ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class SyncRequested:
    """A sync that waits for a worker: `is_new` False when it did already.

    `waiting_count` tasks of all kinds wait, this one included; `running_since` is set while an
    earlier sync of the same repository goes on; `page` is where a person watches it.
    """

    repository: str
    is_new: bool
    waiting_count: int
    running_since: datetime | None
    page: str
