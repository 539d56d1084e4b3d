"""Globs as callers write them: the syntax of .gitignore and braces, in linear time by re2."""

import re

import re2
from pathspec import GitIgnoreSpec

from web.core.errors import InvalidInput

MAX_ALTERNATIVES = 100
# What pathspec raises for what is no glob, also when it finds out from the pattern it made of it.
MALFORMED = (ValueError, re.error, re2.error)
_BRACES = re.compile(r"\{([^{},]*+,[^{}]*+)\}")  # as in shells: `{x}` means itself
_CLASS = re.compile(r"\[[!^]?\]?[^]]*?\[:\w*:\]")  # [:name:] within brackets


def is_glob(text: str) -> bool:
    """Say whether a path holds a wildcard or alternatives."""
    return any(mark in text for mark in "*?[") or _BRACES.search(text) is not None


def glob_of(pattern: str, *, argument: str) -> GitIgnoreSpec:
    """Return the matcher of a glob over whole paths; `*.py` matches in every folder.

    `*.{ts,tsx}` stands for both. Raises InvalidInput, for the argument of that name, where the text
    is no glob, holds a class of characters (`refuse_classes`), or stands for more than
    MAX_ALTERNATIVES.
    """
    refuse_classes(pattern, argument=argument)
    try:
        return GitIgnoreSpec.from_lines(_alternatives(pattern, argument), backend="re2")
    except MALFORMED as error:
        raise InvalidInput(
            f"{pattern[:100]!r} is not a glob.",
            hint="Examples: **/*.py, docs/*.md, src/**/test_*.{js,ts}.",
            fields={argument: "not a glob"},
        ) from error


def refuse_classes(pattern: str, *, argument: str) -> None:
    """Raise InvalidInput for a class such as [[:digit:]], which pathspec takes for its letters."""
    if _CLASS.search(pattern):
        raise InvalidInput(
            f"{pattern[:100]!r} holds a class of characters, which globs do not know here.",
            hint="Write a range: [0-9] for [[:digit:]], [A-Za-z] for [[:alpha:]].",
            fields={argument: "a class of characters"},
        )


def _alternatives(pattern: str, argument: str) -> list[str]:
    """Return the globs that `a/{b,c}` stands for."""
    found = [pattern]
    while _BRACES.search(found[0]) and len(found) <= MAX_ALTERNATIVES:  # all have the same braces
        found = [
            each[: braces.start()] + choice + each[braces.end() :]
            for each in found
            if (braces := _BRACES.search(each))
            for choice in braces[1].split(",")
        ]
    if len(found) > MAX_ALTERNATIVES:
        raise InvalidInput(
            f"{pattern[:100]!r} stands for more than {MAX_ALTERNATIVES} globs.",
            hint="Give fewer alternatives in braces.",
            fields={argument: "too many alternatives"},
        )
    return found
