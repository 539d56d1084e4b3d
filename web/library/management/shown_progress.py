"""A sync's progress for people: a live line on a terminal, now and then a plain line elsewhere."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import TextIOBase
from time import monotonic
from typing import Any, TextIO

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

from web.core.text import printable
from web.library.indexing.progress import SyncProgress
from web.library.services.sync import SyncReport

_MEBIBYTE = 1024 * 1024
_SECONDS_BETWEEN_LINES = 5.0


@contextmanager
def shown_progress(name: str, output: TextIOBase) -> Iterator[Callable[[SyncProgress], None]]:
    """Yield the function that shows a state of the sync of repository `name` on a command's output.

    Django's wrapper around the output, which ends every write with a line feed, is taken off.
    """
    stream: Any = getattr(output, "_out", output)
    console = Console(file=stream, highlight=False)
    if not console.is_terminal:
        yield _plain(name, stream)
        return
    columns = (
        SpinnerColumn(),
        TextColumn(f"[bold]{escape(name)}[/] {{task.description}}"),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[counts]}"),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("starting", total=None, counts="")

        def show(state: SyncProgress) -> None:
            bar.update(
                task,
                description=escape(state.what),
                completed=state.done,
                total=state.total or None,
                counts=escape(state.counts),
            )

        yield show


def outcome_line(report: SyncReport) -> str:
    """Return what a sync did, in one line."""
    if report.outcome == "empty":
        return f"{report.repository}: no commit yet; it is indexed once something is pushed."
    patterns = printable(", ".join(report.unmatched_patterns))
    warning = f" No tag or branch matches {patterns}." if patterns else ""
    if report.outcome == "unchanged":
        return f"{report.repository}: up to date ({report.seconds:.1f} s).{warning}"
    names = ", ".join([*report.changed_refs, *(f"{ref} removed" for ref in report.removed_refs)])
    refs = printable(names) or "refs changed"
    return (
        f"{report.repository}: {refs}; {report.files_read:,} files looked at, "
        f"{report.contents_written:,} indexed anew ({report.bytes_read / _MEBIBYTE:.1f} MiB), "
        f"{report.contents_removed:,} removed, in {report.seconds:.1f} s.{warning}"
    )


def _plain(name: str, stream: TextIO) -> Callable[[SyncProgress], None]:
    """Show each phase once, and a long one every few seconds."""
    last_phase = ""
    last_at = 0.0

    def show(state: SyncProgress) -> None:
        nonlocal last_phase, last_at
        if state.phase == last_phase and monotonic() - last_at < _SECONDS_BETWEEN_LINES:
            return
        last_phase, last_at = state.phase, monotonic()
        stream.write(f"{name}: {state.what} {state.counts}".rstrip() + "\n")
        stream.flush()

    return show
