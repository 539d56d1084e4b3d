"""Several worker processes behind one port: each writes its numbers, any of them answers for all.

prometheus_client keeps them in files of a folder that PROMETHEUS_MULTIPROC_DIR names when it is
imported. The variable is set for the workers by the process that starts them.
"""

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
_LIVE_FILE: Final = re.compile(r"gauge_live[a-z]*_(\d+)\.db")


@contextmanager
def shared_by_workers(count: int) -> Iterator[None]:
    """Have the workers that are started in the block share their metrics."""
    if count == 1:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="portolan-metrics-") as folder:
        os.environ[VARIABLE] = folder
        yield


def are_several() -> bool:
    """Return whether this process is one of several workers."""
    return VARIABLE in os.environ


def registry_of_all() -> "CollectorRegistry":
    """Return a fresh registry with the metrics of this process, or of all workers together."""
    from prometheus_client import CollectorRegistry
    from prometheus_client.multiprocess import MultiProcessCollector

    from mcp_sidecar.metrics.declared import REGISTRY

    registry = CollectorRegistry()
    if are_several():
        _forget_ended_workers(Path(os.environ[VARIABLE]))
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    else:
        registry.register(REGISTRY)
    return registry


def _forget_ended_workers(folder: Path) -> None:
    """Take back the states of workers that live no more; what they counted still counts."""
    from prometheus_client.multiprocess import mark_process_dead

    pids = {match[1] for path in folder.iterdir() if (match := _LIVE_FILE.fullmatch(path.name))}
    for pid in map(int, pids):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            mark_process_dead(pid, str(folder))  # type: ignore[no-untyped-call]
