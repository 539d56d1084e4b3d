"""Lines that say nothing of what a file does: licences at its head, imports."""

import re
from collections.abc import Sequence

IMPORTS = re.compile(
    r"\s*(?:import\b|from\s+\S+\s+(?:import\b|\()|#\s*include\b|using\s|use\s+[\w:\\{]|package\s"
    r"|require(?:_once|_relative)?\b|(?:const|let|var)\s.*\brequire\(|export\s.*\bfrom\s)"
)
_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|--|;|%|<!--|<\?php\s*$|@?rem\s|$)", re.IGNORECASE)
_LICENCE = re.compile(
    r"copyright|licen[sc]e|SPDX|permission is hereby|redistribution and use|all rights reserved",
    re.IGNORECASE,
)
# The lines of a file that its head may take.
_HEADER_LINES = 80


def header_end(lines: Sequence[str]) -> int:
    """Return the last line of the comment about a licence that a file begins with, 0 for none."""
    end = 0
    is_licence = False
    for line in lines[:_HEADER_LINES]:
        if not _COMMENT.match(line):
            break
        end += 1
        is_licence = is_licence or bool(_LICENCE.search(line))
    return end if is_licence and end < len(lines) else 0


def first_line_of_code(lines: Sequence[str], start: int, end: int) -> int:
    """Return the first line from `start` on that neither imports nor comments, else `start`."""
    is_open = False
    for number in range(start, min(end, len(lines)) + 1):
        line = lines[number - 1]
        if is_open:
            is_open = not re.search(r"[)}]", line)
        elif IMPORTS.match(line):
            is_open = _is_left_open(line)
        elif not _COMMENT.match(line):
            return number
    return start


def _is_left_open(line: str) -> bool:
    """Say whether a bracket is opened after the last one that is closed."""
    return max(map(line.rfind, "({")) > max(map(line.rfind, ")}"))
