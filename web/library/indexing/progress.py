"""How far a sync is: told to whoever started it, and kept for the repository's page."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from time import monotonic

from web.library.models import Repository

FETCHING, COMPARING, INDEXING, PUBLISHING, COLLECTING = (
    *("fetching", "comparing", "indexing", "publishing"),
    "collecting",
)
_SECONDS_BETWEEN_RECORDS = 2.0
_SECONDS_BETWEEN_CALLS = 0.1


@dataclass(frozen=True, slots=True)
class SyncProgress:
    """One state of a sync.

    While fetching, `done` and `total` are percent and `detail` says of what; while indexing they
    are files. `seconds_left` is None as long as nobody can tell.
    """

    phase: str
    detail: str = ""
    done: int = 0
    total: int = 0
    bytes_done: int = 0
    bytes_per_second: float = 0.0
    seconds_left: float | None = None


class ProgressReporter:
    """Collects what a sync does and passes it on, not too often."""

    def __init__(
        self, repository_id: int, callback: Callable[[SyncProgress], None] | None = None
    ) -> None:
        self._repository_id = repository_id
        self._callback = callback
        self._phase = ""
        self._detail = ""
        self._done = self._total = self._bytes = 0
        self._began_at = self._recorded_at = self._called_at = monotonic()

    def begin(self, phase: str, *, total: int = 0) -> None:
        """Enter a phase of `total` files."""
        self._phase, self._detail, self._total = phase, "", total
        self._done = self._bytes = 0
        self._began_at = monotonic()
        self._tell(at_once=True)

    def percent(self, detail: str, percent: int) -> None:
        """Say how many percent of a part of the phase are done."""
        self._detail, self._done, self._total = detail, percent, 100
        self._tell()

    def advance(self, *, files: int, size: int) -> None:
        """Add files and bytes that are done."""
        self._done += files
        self._bytes += size
        self._tell()

    def record(self) -> None:
        """Keep the state for the repository's page, when the last one kept is some seconds old.

        Called between transactions, never inside one.
        """
        if monotonic() - self._recorded_at >= _SECONDS_BETWEEN_RECORDS:
            self._recorded_at = monotonic()
            Repository.objects.filter(pk=self._repository_id).update(
                sync_progress=asdict(self.state())
            )

    def state(self) -> SyncProgress:
        """Return where the sync is now."""
        seconds = monotonic() - self._began_at
        left = None
        if self._done and self._total:
            left = seconds / self._done * (self._total - self._done)
        return SyncProgress(
            phase=self._phase,
            detail=self._detail,
            done=self._done,
            total=self._total,
            bytes_done=self._bytes,
            bytes_per_second=self._bytes / seconds if seconds > 0 else 0.0,
            seconds_left=left,
        )

    def _tell(self, *, at_once: bool = False) -> None:
        if self._callback is None:
            return
        if at_once or monotonic() - self._called_at >= _SECONDS_BETWEEN_CALLS:
            self._called_at = monotonic()
            self._callback(self.state())
