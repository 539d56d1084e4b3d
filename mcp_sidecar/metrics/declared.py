"""Every metric that /metrics offers, with its help: `docs/metrics.md` is made from this.

Labels take few values: servers, tools, outcomes and statuses that the product knows, and never what
a caller chose, a repository or an account. Where one sidecar has several worker processes each
writes its numbers to a folder (prometheus_client's multiprocess mode), so that any of them answers
for all; that is decided when this module is imported, see `mcp_sidecar.metrics.workers`.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

REGISTRY: Final = CollectorRegistry(auto_describe=True)
SECONDS: Final = (
    0.001,
    0.0025,
    0.005,
    0.01,
    0.025,
    0.05,
    0.1,
    0.25,
    0.5,
    1.0,
    2.5,
    5.0,
    10.0,
    25.0,
)

MESSAGES: Final = Counter(
    "portolan_messages",
    "Accepted messages; outcome is ok or the code of the JSON-RPC error.",
    ("server", "method", "outcome"),
    registry=REGISTRY,
)
TOOL_CALLS: Final = Counter(
    "portolan_tool_calls",
    "Tool calls; outcome is ok or what kind of failure it was, such as not_found.",
    ("server", "tool", "outcome"),
    registry=REGISTRY,
)
TOOL_CALL_SECONDS: Final = Histogram(
    "portolan_tool_call_seconds",
    "How long tool calls took, waiting for a place included.",
    ("server", "tool", "outcome"),
    buckets=SECONDS,
    registry=REGISTRY,
)
REFUSED: Final = Counter(
    "portolan_http_refused",
    "HTTP requests to MCP endpoints that were refused, by status: 401 wrong token, 413 too large, "
    "429 rate limit, 503 no place to wait or a part is away, …",
    ("status",),
    registry=REGISTRY,
)
RESULT_CACHE: Final = Counter(
    "portolan_result_cache",
    "Looks into the cache of tool results: hit, miss, or away where the cache did not answer.",
    ("result",),
    registry=REGISTRY,
)
NOT_RECORDED: Final = Counter(
    "portolan_calls_not_recorded",
    "Calls that the usage pages miss, because the database was away or busy for too long, or log "
    "and metrics too, because receivers were too slow.",
    registry=REGISTRY,
)
CALLS_TO_RECORD: Final = Gauge(
    "portolan_calls_to_record",
    "Calls that receivers were not told of yet, and those that wait for the database.",
    registry=REGISTRY,
    multiprocess_mode="livesum",
)
POOL_THREADS: Final = Gauge(
    "portolan_pool_threads",
    "Threads of a pool at most: tool runs tool calls, outside those that ask GitHub, look-up the "
    "sidecar's own short reads.",
    ("pool",),
    registry=REGISTRY,
    multiprocess_mode="livesum",
)
POOL_RUNNING: Final = Gauge(
    "portolan_pool_running",
    "Calls that have a thread of the pool now.",
    ("pool",),
    registry=REGISTRY,
    multiprocess_mode="livesum",
)
POOL_WAITING: Final = Gauge(
    "portolan_pool_waiting",
    "Calls that wait for a thread of the pool now.",
    ("pool",),
    registry=REGISTRY,
    multiprocess_mode="livesum",
)
MEMORY: Final = Gauge(
    "portolan_process_resident_memory_bytes",
    "Resident memory of a worker process (label pid where there are several).",
    registry=REGISTRY,
    multiprocess_mode="liveall",
)
OPEN_FILES: Final = Gauge(
    "portolan_process_open_files",
    "Open file descriptors of a worker process, connections included.",
    registry=REGISTRY,
    multiprocess_mode="liveall",
)
THREADS: Final = Gauge(
    "portolan_process_threads",
    "Python threads of a worker process.",
    registry=REGISTRY,
    multiprocess_mode="liveall",
)
TASKS_OF_LOOP: Final = Gauge(
    "portolan_process_loop_tasks",
    "Tasks on the event loop of a worker process: requests that are being answered, and a few.",
    registry=REGISTRY,
    multiprocess_mode="liveall",
)
WORKERS: Final = Gauge(
    "portolan_workers",
    "Worker processes of this sidecar.",
    registry=REGISTRY,
    multiprocess_mode="livesum",
)

OF_PROCESSES: Final = (
    MESSAGES,
    TOOL_CALLS,
    TOOL_CALL_SECONDS,
    REFUSED,
    RESULT_CACHE,
    NOT_RECORDED,
    CALLS_TO_RECORD,
    POOL_THREADS,
    POOL_RUNNING,
    POOL_WAITING,
    MEMORY,
    OPEN_FILES,
    THREADS,
    TASKS_OF_LOOP,
    WORKERS,
)


class Read(NamedTuple):
    """A gauge that is read from the database when it is asked for: the same in all processes."""

    name: str
    help: str
    labels: Sequence[str] = ()


INFO: Final = Read("portolan_info", "1, with the version of the product.", ("version",))
DATABASE_UP: Final = Read(
    "portolan_database_up", "1 where the database answered; else the metrics below are missing."
)
INDEX_GENERATION: Final = Read(
    "portolan_index_generation", "Raised by every sync that changed the index."
)
REPOSITORIES: Final = Read(
    "portolan_repositories",
    "Repositories by state: fresh, stale (the last sync failed, the old index is served), new "
    "(never indexed).",
    ("state",),
)
FAILING: Final = Read(
    "portolan_repositories_failing", "Repositories whose last sync failed, of any state."
)
OLDEST_INDEX: Final = Read(
    "portolan_index_oldest_seconds", "Age of the index that was synced longest ago."
)
TASKS: Final = Read(
    "portolan_tasks", "Tasks of the worker: waiting, running, failed (kept as records).", ("state",)
)
OLDEST_TASK: Final = Read(
    "portolan_tasks_oldest_waiting_seconds", "How long the first task in the queue has waited."
)
OF_DATABASE: Final = (
    INFO,
    DATABASE_UP,
    INDEX_GENERATION,
    REPOSITORIES,
    FAILING,
    OLDEST_INDEX,
    TASKS,
    OLDEST_TASK,
)
