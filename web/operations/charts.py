"""Numbers as bars of an SVG that needs neither script nor style of its own."""

from collections.abc import Sequence
from dataclasses import dataclass

from web.operations.records import DayUsage

WIDTH, HEIGHT = 720, 160
_GAP = 0.15  # of the room of a bar


@dataclass(frozen=True, slots=True)
class Bar:
    """One day: where its bar stands, and the part of it that failed; in units of the drawing."""

    usage: DayUsage
    x: float
    width: float
    y: float
    height: float
    error_y: float
    error_height: float


@dataclass(frozen=True, slots=True)
class Chart:
    """The bars, oldest first, and the number that the tallest stands for."""

    bars: tuple[Bar, ...]
    most: int
    width: int = WIDTH
    height: int = HEIGHT


def bars(days: Sequence[DayUsage]) -> Chart:
    """Return a bar per day, the tallest as high as the drawing; failed calls at its foot."""
    most = max((day.calls for day in days), default=0)
    room = WIDTH / max(len(days), 1)
    unit = HEIGHT / max(most, 1)
    return Chart(
        tuple(_bar(day, number * room, room, unit) for number, day in enumerate(days)), most
    )


def _bar(day: DayUsage, start: float, room: float, unit: float) -> Bar:
    height, error_height = day.calls * unit, day.errors * unit
    return Bar(
        usage=day,
        x=round(start + room * _GAP / 2, 2),
        width=round(room * (1 - _GAP), 2),
        y=round(HEIGHT - height, 2),
        height=round(height, 2),
        error_y=round(HEIGHT - error_height, 2),
        error_height=round(error_height, 2),
    )
