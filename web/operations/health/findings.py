"""What a check is, and what it finds."""

from collections.abc import Callable
from dataclasses import dataclass

from web.operations.records import State


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found: what it means, what to do about it (empty when ok), the particulars."""

    state: State
    meaning: str
    action: str = ""
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """One check. `look` may raise and may hang: both are `failure` then."""

    name: str
    look: Callable[[], Finding]
    failure: Finding
