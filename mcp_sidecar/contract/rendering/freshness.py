"""Which state of which repository an answer speaks of, and how old that is.

A rendered answer may be cached for an hour, so it holds instants, never ages: "commit 1a2b3c4d of
2026-11-02 10:31 UTC". `with_ages` puts "(3 days ago)" behind the instants of the head each time
the text is sent. Text that nobody completed is right too, only less handy.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

from mcp_sidecar.contract.base import Result
from mcp_sidecar.contract.text import span, word

SHORT_COMMIT: Final = 8
MAX_REPOSITORIES_NAMED: Final = 10
NOT_INDEXED: Final = "Try: again after the first sync; tell the user when syncs of it fail."
_INSTANT: Final = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC(?! \()")
# Unit, its length and the age from which it is used, in minutes.
_UNITS: Final = (
    ("year", 525_960, 525_960),
    ("month", 43_830, 2 * 43_830),
    ("day", 1_440, 1_440),
    ("hour", 60, 60),
)
_FORMAT: Final = "%Y-%m-%d %H:%M UTC"


class Freshness(Result):
    """State of a repository that an answer speaks of; `commit` is empty when none is indexed."""

    repository: str
    ref: str
    commit: str
    committed_at: datetime | None
    indexed_at: datetime | None
    stale_since: datetime | None = None
    stale_reason: str = ""


def instant(moment: datetime) -> str:
    """Return an instant as every answer shows it, in UTC to the minute."""
    return moment.astimezone(UTC).strftime(_FORMAT)


def state(freshness: Freshness) -> str:
    """Return one line: repository, ref, commit, its date, when it was indexed, staleness."""
    where = f"repository {span(freshness.repository)}"
    if not freshness.commit:
        return f"{where}: nothing is indexed yet{_failing(freshness)}."
    text = f"{where} at {span(freshness.ref)}, commit {word(freshness.commit[:SHORT_COMMIT])}"
    if freshness.committed_at is not None:
        text += f" of {instant(freshness.committed_at)}"
    if freshness.indexed_at is not None:
        text += f", indexed {instant(freshness.indexed_at)}"
    return f"{text}.{_staleness(freshness)}"


def searched(freshness: Sequence[Freshness], shown: Iterable[str]) -> list[str]:
    """Return the lines that say what was searched: the one repository, or how many.

    Of several, those in `shown` (repositories with results), the stale ones and those that are not
    indexed yet are named, at most MAX_REPOSITORIES_NAMED.
    """
    if len(freshness) == 1:
        return [f"Searched {state(freshness[0])}"]
    count = sum(1 for one in freshness if one.commit)
    where = f"{count} repositor{'y' if count == 1 else 'ies'}"
    if not count:
        where = "nothing: no repository of this call is indexed yet"
    wanted = set(shown)
    named = [one for one in freshness if one.repository in wanted or not _is_good(one)]
    named.sort(key=lambda one: one.repository not in wanted)
    lines = [f"Searched {where}{':' if named else '.'}"]
    lines += [f"- {state(one)}" for one in named[:MAX_REPOSITORIES_NAMED]]
    if len(named) > MAX_REPOSITORIES_NAMED:
        left = len(named) - MAX_REPOSITORIES_NAMED
        lines.append(f"- and {left} more; list_repositories shows the state of each")
    return lines


def _is_good(freshness: Freshness) -> bool:
    return bool(freshness.commit) and freshness.stale_since is None


def what_to_try(freshness: Iterable[Freshness], advice: str) -> str:
    """Return the advice for a list without rows, another where nothing is there to be listed."""
    if any(one.commit for one in freshness):
        return advice
    return NOT_INDEXED


def _failing(freshness: Freshness) -> str:
    if freshness.stale_since is None:
        return ""
    return f", syncs fail since {instant(freshness.stale_since)}{_reason(freshness)}"


def _staleness(freshness: Freshness) -> str:
    if freshness.stale_since is None:
        return ""
    return (
        f" STALE since {instant(freshness.stale_since)}{_reason(freshness)}:"
        " newer commits may be missing, say so when it matters."
    )


def _reason(freshness: Freshness) -> str:
    return f" because {span(freshness.stale_reason)}" if freshness.stale_reason else ""


def with_ages(text: str, now: datetime) -> str:
    """Return a rendered answer with the age behind each instant of its head.

    The head ends at the first blank line; what comes from repositories below is left alone.
    """
    head, blank, rest = text.partition("\n\n")
    if " UTC" not in head:
        return text

    def aged(match: re.Match[str]) -> str:
        try:
            moment = datetime.fromisoformat(match.group().removesuffix(" UTC") + "Z")
        except ValueError:  # text that only looks like an instant
            return match.group()
        return f"{match.group()} ({age(moment, now)})"

    return _INSTANT.sub(aged, head) + blank + rest


def age(moment: datetime, now: datetime) -> str:
    """Return how long ago a moment is, in whole units of the largest kind."""
    minutes = int((now - moment).total_seconds() // 60)
    if minutes < -1:
        return "in the future"
    if minutes < 1:
        return "just now"
    for unit, length, least in _UNITS:
        if minutes >= least:
            number = minutes // length
            return f"{number} {unit}{'' if number == 1 else 's'} ago"
    return f"{minutes} minute{'' if minutes == 1 else 's'} ago"
