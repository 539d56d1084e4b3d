"""The rows as they stand in docs/protocol.md, between its two marks."""

from typing import Final

from tests.protocol.rows import TABLE
from tests.protocol.table import Row

FIRST: Final = "<!-- The table: tests/protocol, written with PORTOLAN_WRITE_DOCS=1 -->\n"
LAST: Final = "<!-- The end of the table -->\n"


def page(text: str) -> str:
    """Return the page with the table as it is now."""
    before, _, rest = text.partition(FIRST)
    _, _, after = rest.partition(LAST)
    assert after or text.endswith(LAST), "the page has no marks"
    return f"{before}{FIRST}\n{_tables()}\n{LAST}{after}"


def _tables() -> str:
    return "\n\n".join(
        "\n".join(
            (
                f"### {group}",
                "| case | handshake versions | 2026-07-28 |",
                "|---|---|---|",
                *map(_line, rows),
            )
        )
        for group, rows in TABLE.items()
    )


def _line(row: Row) -> str:
    handshake, modern = row.handshake, row.handshake if row.modern is None else row.modern
    cells = (row.case, _short(handshake), "the same" if modern == handshake else _short(modern))
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _short(answer: str) -> str:
    """An answer with many same responses told by their number."""
    status, _, inner = answer.partition(" [")
    responses = inner.removesuffix("]").split("; ")
    if len(responses) > len(set(responses)) + 2:
        return f"{status} [{len(responses)} times {responses[0]}]"
    return answer
