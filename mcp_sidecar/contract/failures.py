"""How a tool's own failure reads: what happened, what to do next, and the code.

The words come from services (`web.core.errors`); this is only their form. Which failures end as a
result and which as a protocol error is the server's to say.
"""

from typing import Final, Protocol

from mcp_sidecar.contract.text import escaped, one_line, shortened

MAX_MESSAGE_CHARACTERS: Final = 1_000
MAX_HINT_CHARACTERS: Final = 3_000


class Failure(Protocol):
    """What every expected failure has."""

    code: str
    message: str
    hint: str


def failure_text(failure: Failure) -> str:
    """Return the text of a result with isError: message, hint and code, each on its own line.

    Names that a message repeats may hold anything: invisible characters and line ends are shown as
    escapes, and what is overlong says how much was left out.
    """
    lines = [one_line(shortened(failure.message, MAX_MESSAGE_CHARACTERS))]
    if failure.hint:
        lines.append(one_line(shortened(failure.hint, MAX_HINT_CHARACTERS)))
    seconds = getattr(failure, "retry_after_seconds", None)
    if seconds is not None:
        lines.append(f"Wait {seconds} s before the next call.")
    lines.append(f"(code: {failure.code})")
    return escaped("\n".join(lines))[0]
