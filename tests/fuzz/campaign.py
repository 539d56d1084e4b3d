"""Runs many cases of one kind and counts what goes wrong."""

import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.fuzz import judge
from tests.fuzz.case import Case
from tests.fuzz.sidecar import Sidecar

# Hypothesis remembers all that it has made; this many at a time keep that small.
CHUNK = 2_000
MOST_ATTEMPTS = 10


@dataclass(slots=True)
class Report:
    """What a campaign found: how many cases, failures by kind, the smallest case of each."""

    name: str
    cases: int = 0
    seconds: float = 0.0
    failures: Counter[str] = field(default_factory=Counter)
    smallest: dict[str, Case] = field(default_factory=dict)

    def judge(self, sidecar: Sidecar, case: Case) -> None:
        """Send a case and count what is wrong with its answer, and in the log."""
        try:
            for kind in judge.faults(case, sidecar.answer(case)):
                self.add(kind, case)
        except Exception as error:
            self.add(f"the application raised {type(error).__name__}: {error}"[:160], case)
        for kind in sidecar.log.taken():
            self.add(kind, case)

    def add(self, kind: str, case: Case) -> None:
        """Count a failure."""
        self.failures[kind] += 1
        known = self.smallest.get(kind)
        if known is None or case.size < known.size:
            self.smallest[kind] = case


def run(
    name: str, cases: st.SearchStrategy[Case], sidecar: Sidecar, *, count: int, first_seed: int
) -> Report:
    """Send `count` cases; the same seed gives the same cases."""
    report = Report(name)
    started = time.monotonic()
    for number, start in enumerate(range(0, count, CHUNK)):
        _run_chunk(report, cases, sidecar, min(CHUNK, count - start), first_seed + number)
        seconds = time.monotonic() - started
        left = seconds / report.cases * (count - report.cases)
        print(
            f"{name}: {report.cases} of {count} cases, {report.failures.total()} failures, "
            f"about {left:.0f} s left",
            file=sys.stderr,
        )
    report.seconds = time.monotonic() - started
    return report


def _run_chunk(
    report: Report, cases: st.SearchStrategy[Case], sidecar: Sidecar, count: int, number: int
) -> None:
    def one(case: Case) -> None:
        report.cases += 1
        report.judge(sidecar, case)

    examples(cases, one, count=count, number=number)
    sidecar.settle()
    for kind in sidecar.log.taken():
        report.add(kind, Case(b"(after the last case)"))


def examples[T](
    cases: st.SearchStrategy[T], one: Callable[[T], None], *, count: int, number: int
) -> None:
    """Call `one` with `count` cases; the same number gives the same cases."""
    left, attempt = count, 0

    def counted(case: T) -> None:
        nonlocal left
        left -= 1
        one(case)

    # Hypothesis ends early where it believes that it has seen every case.
    while left > 0 and attempt < MOST_ATTEMPTS:
        chosen = settings(
            max_examples=left,
            database=None,
            deadline=None,
            phases=(Phase.generate,),
            suppress_health_check=list(HealthCheck),
        )
        seed(number * 100 + attempt)(chosen(given(cases)(counted)))()
        attempt += 1
