"""The page of metrics, made from their declarations."""

from prometheus_client.metrics import MetricWrapperBase

from mcp_sidecar.metrics.declared import OF_DATABASE, OF_PROCESSES, SECONDS

_HEAD = """\
# Metrics

<!-- Made by `manage.py generate_docs` from mcp_sidecar/metrics/declared.py. -->

`GET /metrics` on the port of a sidecar, in the text format of Prometheus or OpenMetrics as `Accept`
asks. nginx does not expose it, and the web process has none: its requests are in nginx's log, and
what the installation is like stands here. Labels never hold what a caller chose, a repository or an
account.

Scrape every sidecar. One started with `--workers N` answers for all its workers whichever is asked;
what the others count is at most five seconds old. Calls are counted when their receivers are told
of them, at most a second after the answer.
"""


def metrics_page() -> str:
    """Return docs/metrics.md: every metric with type, labels and help."""
    rows = [_row(*_described(metric)) for metric in OF_PROCESSES]
    read = [_row(metric.name, "gauge", tuple(metric.labels), metric.help) for metric in OF_DATABASE]
    buckets = ", ".join(f"{bound:g}" for bound in SECONDS)
    return "\n".join(
        (
            _HEAD,
            "## Of a sidecar\n",
            *_table(rows),
            f"The buckets of a histogram end at {buckets} seconds.\n",
            "## Of the installation\n",
            "Read from the database at each request, so every sidecar tells the same: take the",
            "greatest, never the sum.\n",
            *_table(read),
        )
    )


def _described(metric: MetricWrapperBase) -> tuple[str, str, tuple[str, ...], str]:
    (family,) = metric.describe()
    name = f"{family.name}_total" if family.type == "counter" else family.name
    return name, family.type, metric._labelnames, family.documentation


def _row(name: str, kind: str, labels: tuple[str, ...], text: str) -> str:
    return f"| `{name}` | {kind} | {', '.join(labels) or '-'} | {text} |"


def _table(rows: list[str]) -> list[str]:
    return ["| metric | type | labels | what it is |", "|---|---|---|---|", *rows, ""]
