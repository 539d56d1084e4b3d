"""What every answer about a repository says first: which state of it is spoken of."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Freshness:
    """Which state of a repository an answer speaks of.

    `commit` is the full id of the indexed commit, empty for a repository without a commit or not
    indexed yet. `stale_since` is set while syncing fails; `stale_reason` says why, in words for
    everyone.
    """

    repository: str
    ref: str
    commit: str
    committed_at: datetime | None
    indexed_at: datetime | None
    stale_since: datetime | None = None
    stale_reason: str = ""
