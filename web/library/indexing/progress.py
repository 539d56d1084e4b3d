"""How far a sync is: told to whoever started it, and kept for the repository's page."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from time import monotonic
from typing import Any

from web.library.models import Repository

FETCHING, COMPARING, INDEXING, PUBLISHING, COLLECTING = (
    *("fetching", "comparing", "indexing", "publishing"),
    "collecting",
)
_SECONDS_BETWEEN_RECORDS = 2.0
_SECONDS_BETWEEN_CALLS = 0.1
_MEBIBYTE = 1024 * 1024


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

    @property
    def what(self) -> str:
        """The phase, and the part of it."""
        return f"{self.phase}, {self.detail}" if self.detail else self.phase

    @property
    def counts(self) -> str:
        """How much is done, how fast and how long it still takes, as far as that is known."""
        if not self.total:
            return ""
        if self.phase == FETCHING:
            parts = [f"{self.done} %"]
        else:
            parts = [f"{self.done:,}/{self.total:,} files"]
        if self.bytes_per_second >= _MEBIBYTE / 20:
            parts.append(f"{self.bytes_per_second / _MEBIBYTE:.1f} MiB/s")
        if self.seconds_left is not None and self.done < self.total:
            minutes, seconds = divmod(round(self.seconds_left), 60)
            parts.append(f"{minutes}:{seconds:02d} left")
        return ", ".join(parts)


def progress_text(kept: Mapping[str, Any]) -> str:
    """Return in one line what `ProgressReporter.record` kept of a sync; empty for nothing."""
    if not kept:
        return ""
    known = {field.name for field in fields(SyncProgress)}
    state = SyncProgress(**{name: value for name, value in kept.items() if name in known})
    return f"{state.what}: {state.counts}" if state.counts else state.what


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
        self.record()

    def percent(self, detail: str, percent: int) -> None:
        """Say how many percent of a part of the phase are done; each part has its own time."""
        if detail.partition(" at ")[0] != self._detail.partition(" at ")[0]:
            self._began_at = monotonic()
        self._detail, self._done, self._total = detail, percent, 100
        self._tell()
        self.record()

    def advance(self, files: int, *, size: int = 0) -> None:
        """Add files and bytes that are done."""
        self._done += files
        self._bytes += size
        self._tell()

    def record(self) -> None:
        """Keep the state for the repository's page, when the last one kept is some seconds old.

        Called between transactions, never inside one, and by the thread of the sync.
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
