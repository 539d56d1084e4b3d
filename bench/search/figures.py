"""Figures beside their bars: on the terminal as they come, and in bench/results."""

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[1] / "results"


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
    """The figures of one run, in the order in which they were measured."""

    def __init__(self) -> None:
        self._figures: list[Figure] = []
        print(f"{'figure':58} {'measured':>9} {'bar':>7}")

    def add(
        self,
        name: str,
        measured: float,
        *,
        at_most: float | None = None,
        least: float | None = None,
    ) -> None:
        """Print a figure and keep it; its bar is what it may be at most, or has to be at least."""
        bar = at_most if least is None else least
        figure = Figure(name, measured, bar, at_least=least is not None)
        self._figures.append(figure)
        shown = "" if bar is None else f"{bar:7.3g}  {'ok' if figure.is_met else 'MISSED'}"
        print(f"{name:58} {measured:9.3f} {shown}", flush=True)

    def write(self, *, about: dict[str, object]) -> Path:
        """Write all figures down, with what they were measured on; return the file."""
        now = datetime.now(UTC)
        target = RESULTS / f"{now.date().isoformat()}-search.json"
        target.parent.mkdir(exist_ok=True)
        told = {
            "measured_at": now.isoformat(timespec="seconds"),
            **about,
            "figures": [asdict(figure) for figure in self._figures],
        }
        target.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
        return target

    @property
    def missed_count(self) -> int:
        """How many figures miss their bar."""
        return sum(not figure.is_met for figure in self._figures)
