"""Figures beside their bars: on the terminal as they come, and in bench/results."""

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[1] / "results"
# What a search may be less right with another database.
MOST_LOST = 0.01
_RELEVANCE = ("recall@8", "MRR")


def results_file(database: str) -> Path:
    """Return where the figures of today's run on a database are written."""
    kind = "" if database == "sqlite" else f"-{database}"
    return RESULTS / f"{datetime.now(UTC).date().isoformat()}-search{kind}.json"


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure. Without a bar it is only told."""

    name: str
    measured: float
    bar: float | None
    at_least: bool

    @property
    def is_met(self) -> bool:
        """Whether the figure keeps its bar."""
        if self.bar is None:
            return True
        return self.measured >= self.bar if self.at_least else self.measured <= self.bar


class Figures:
    """The figures of one run on one database, in the order in which they were measured."""

    def __init__(self, database: str = "sqlite") -> None:
        self._database = database
        self._figures: list[Figure] = []
        print(f"{'figure':58} {'measured':>9} {'bar':>7}")

    def add(
        self,
        name: str,
        measured: float,
        *,
        at_most: float | None = None,
        least: float | None = None,
        is_embedded: bool = False,
    ) -> None:
        """Print a figure and keep it; its bar is what it may be at most, or has to be at least.

        A bar of the embedded database does not hold for another one.
        """
        bar = at_most if least is None else least
        if is_embedded and self._database != "sqlite":
            bar = None
        figure = Figure(name, measured, bar, at_least=least is not None)
        self._figures.append(figure)
        shown = "" if bar is None else f"{bar:7.3g}  {'ok' if figure.is_met else 'MISSED'}"
        print(f"{name:58} {measured:9.3f} {shown}", flush=True)

    def write(self, target: Path, *, about: dict[str, object]) -> None:
        """Write all figures down, with what they were measured on."""
        target.parent.mkdir(exist_ok=True)
        told = {
            "measured_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "database": self._database,
            **about,
            "figures": [asdict(figure) for figure in self._figures],
        }
        target.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")

    def compare_relevance(self, other: Path) -> None:
        """Hold each figure of relevance beside that of a run on SQLite, which was written down."""
        measured = {figure.name: figure.measured for figure in self._figures}
        for figure in json.loads(other.read_text(encoding="utf-8"))["figures"]:
            name = figure["name"]
            if name.startswith(_RELEVANCE) and name in measured:
                lost = figure["measured"] - measured[name]
                self.add(f"{name}, lower than SQLite's by", lost, at_most=MOST_LOST)

    @property
    def missed_count(self) -> int:
        """How many figures miss their bar."""
        return sum(not figure.is_met for figure in self._figures)
