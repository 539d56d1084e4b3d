"""Globs as callers write them: the syntax of .gitignore, matched by re2 in linear time."""

import re

from pathspec import GitIgnoreSpec

from web.core.errors import InvalidInput


def is_glob(text: str) -> bool:
    """Say whether a path holds a wildcard."""
    return any(mark in text for mark in "*?[")


def glob_of(pattern: str, *, argument: str) -> GitIgnoreSpec:
    """Return the matcher of a glob over whole paths; `*.py` matches in every folder.

    Raises InvalidInput, for the argument of that name, where the text is no glob.
    """
    try:
        return GitIgnoreSpec.from_lines([pattern], backend="re2")
    except (ValueError, re.error) as error:
        raise InvalidInput(
            f"{pattern[:100]!r} is not a glob.",
            hint="Examples: **/*.py, docs/*.md, src/**/test_*.js.",
            fields={argument: "not a glob"},
        ) from error
