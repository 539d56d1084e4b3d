"""What every list and search says around its rows: filters, counts, how to go on."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from mcp_sidecar.contract.base import Listing, Rendering
from mcp_sidecar.contract.rendering.answer import WRITTEN_BY_OTHERS, Answer
from mcp_sidecar.contract.text import shortened, span, word

MAX_HINTS: Final = 5
MAX_HINT_CHARACTERS: Final = 300


def filters_line(filters: Mapping[str, str]) -> str:
    """Return the line that repeats the filters a list was made with."""
    shown = ", ".join(f"{name}={span(value, 200)}" for name, value in filters.items())
    return f"filters_applied: {shown or 'none'}"


def count_line(total: int, shown: int, *, noun: str, is_exact: bool = True) -> str:
    """Return the line that says how many rows there are and how many are shown."""
    return f"total_count: {total}{'' if is_exact else ' or more'} {noun}; shown: {shown}"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural where it is not one."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def more_line(
    tool: str, *, cursor: str | None, shown: int, left_out: int, is_exact: bool = True
) -> str:
    """Return how to get the rows that are not shown; empty when all are.

    `left_out` rows of this page did not fit, so the page has to be asked for again, smaller. Of a
    search whose total is not exact (`is_exact`) the last page is not the end of what matches.
    """
    if left_out:
        return (
            f"truncated: {left_out} more rows of this page did not fit. Call {tool} with the same "
            f"arguments and limit={max(shown, 1)}, then go on with its cursor."
        )
    if cursor:
        return (
            f"truncated: for the next page call {tool} with the same arguments "
            f'and cursor="{word(cursor)}"'
        )
    if not is_exact:
        return "truncated: only the best are listed; further words or filters bring others up."
    return ""


def listed(
    tool: str,
    page: Listing,
    rows: Sequence[str],
    *,
    title: str,
    noun: str,
    when_empty: str,
) -> Rendering:
    """Return a page of a list that others wrote in: title, filters, a line per row, how to go on.

    `when_empty` takes the place of the counts where the whole list has no row.
    """
    answer = Answer([title, filters_line(page.filters_applied)], notice=WRITTEN_BY_OTHERS)
    shown = answer.add_rows(rows)
    left_out = len(rows) - shown
    closing = [
        count_line(page.total_count, shown, noun=noun),
        more_line(tool, cursor=page.next_cursor, shown=shown, left_out=left_out),
    ]
    if not page.total_count:
        closing = [when_empty]
    return Rendering(answer.text(closing), shown, left_out)


def advice_on(filters: Mapping[str, str], advice: str) -> str:
    """Return the advice for a list without rows, another where its path is written as a glob.

    For tools that take a file or a folder alone.
    """
    if any(mark in filters.get("path", "") for mark in "*?["):
        return "Try: a file or a folder as path, which is no glob here."
    return advice


def copies_line(copies: int) -> str:
    """Return the line that says how many other paths hold the very same; empty for none."""
    if not copies:
        return ""
    return f"The very same content is at {counted(copies, 'more path')}."


def hint_lines(hints: Iterable[str]) -> list[str]:
    """Return what to try next, one hint a line."""
    return [
        f"Hint: {shortened(' '.join(hint.split()), MAX_HINT_CHARACTERS)}"
        for hint in list(hints)[:MAX_HINTS]
    ]
