"""The answer to GET /metrics: this sidecar's metrics, and those of the whole installation."""

import logging
from collections.abc import Iterator

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from mcp_sidecar.metrics import declared, workers
from mcp_sidecar.metrics.declared import Read
from mcp_sidecar.version import VERSION
from web.operations.selectors.figures import InstallationFigures, installation_figures

logger = logging.getLogger(__name__)


def exposition(*, accept: str) -> tuple[bytes, str]:
    """Return the metrics as text and its media type, in the format that an Accept header prefers.

    Asks the database; one that is away leaves its metrics out and says so in one.
    """
    registry = workers.registry_of_all()
    registry.register(_Installation(_figures()))
    encoder, media_type = choose_encoder(accept)
    return encoder(registry), media_type


def _figures() -> InstallationFigures | None:
    try:
        return installation_figures()
    except Exception as error:
        logger.warning("the database does not answer for /metrics: %s", type(error).__name__)
        return None


class _Installation(Collector):
    """The metrics that are read from the database."""

    def __init__(self, figures: InstallationFigures | None) -> None:
        self._figures = figures

    def collect(self) -> Iterator[Metric]:
        """Return the metrics."""
        figures = self._figures
        yield _gauge(declared.INFO, {(VERSION,): 1})
        yield _gauge(declared.DATABASE_UP, {(): figures is not None})
        if figures is None:
            return
        yield _gauge(declared.INDEX_GENERATION, {(): figures.index_generation})
        yield _gauge(
            declared.REPOSITORIES,
            {
                ("fresh",): figures.fresh_repositories,
                ("stale",): figures.stale_repositories,
                ("new",): figures.new_repositories,
            },
        )
        yield _gauge(declared.FAILING, {(): figures.failing_repositories})
        yield _gauge(declared.OLDEST_INDEX, {(): figures.oldest_index_seconds})
        yield _gauge(
            declared.TASKS,
            {
                ("waiting",): figures.tasks_waiting,
                ("running",): figures.tasks_running,
                ("failed",): figures.tasks_failed,
            },
        )
        yield _gauge(declared.OLDEST_TASK, {(): figures.oldest_task_seconds})


def _gauge(read: Read, values: dict[tuple[str, ...], float]) -> Metric:
    family = GaugeMetricFamily(read.name, read.help, labels=read.labels)
    for labels, value in values.items():
        family.add_metric(labels, float(value))
    return family
