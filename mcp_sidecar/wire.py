"""Standard input and output as the wire of an MCP client, out of the reach of everything else.

`claim` has to run before anything heavy is imported: from then on whatever prints, in this process
or a child of it, prints to standard error, and nothing but the transport reads the client. Only
the standard library is imported here.
"""

import os
import sys
from dataclasses import dataclass

_FIRST_PRIVATE = 3


@dataclass(frozen=True, slots=True)
class Wire:
    """The file descriptors of the client's two ends."""

    input: int
    output: int


_claimed: Wire | None = None


def claim() -> Wire:
    """Take the standard streams for the transport, once; return them."""
    global _claimed  # noqa: PLW0603 - there is one pair of standard streams per process
    if _claimed is None:
        _claimed = Wire(_moved(0), _moved(1))
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stdout = open(1, "w", encoding="utf-8", buffering=1, closefd=False)  # noqa: SIM115
    return _claimed


def _moved(descriptor: int) -> int:
    """Return a duplicate that no child inherits and that is no standard stream."""
    import fcntl

    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _FIRST_PRIVATE)
