"""Fenced code in Markdown, told line by line."""

import re
from collections.abc import Iterator

_FENCE = re.compile(r" {0,3}(```+|~~~+)")


def lines_and_fences(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each line, and whether it is code inside a fence; so is the line that opens one."""
    fence = ""
    for line in text.split("\n"):
        opened = _FENCE.match(line)
        if opened and (not fence or line.strip().startswith(fence)):
            fence = "" if fence else opened[1]
        yield line, bool(fence)
