"""The errors that services raise: one family, mapped to MCP and to REST in one place each.

Messages are read by people and models: they say what happened and what to do next, and never
hold paths of the machine, SQL, tokens or class names.
"""

from collections.abc import Mapping


class PortolanError(Exception):
    """Base of every expected failure.

    `code` is a stable snake_case word, `message` one sentence, `hint` what to do next (may be
    empty), `fields` the problems by dotted argument path. `remedy` is what only who runs the server
    can do (settings, commands): for staff, commands and the log, never for other callers. As a
    string an error has all of it.
    """

    code = "error"

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        remedy: str = "",
        fields: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.remedy = remedy
        self.fields: dict[str, str] = dict(fields or {})

    @property
    def words(self) -> str:
        """What happened and what to do next, for whoever asked."""
        return f"{self.message} {self.hint}".strip()

    @property
    def advice(self) -> str:
        """What to do next, for who runs the server."""
        return f"{self.hint} {self.remedy}".strip()

    def __str__(self) -> str:
        return f"{self.message} {self.advice}".strip()


class InvalidInput(PortolanError):
    """The caller sent something that can never work; sending it again does not help."""

    code = "invalid_input"


class NotFound(PortolanError):
    """The thing does not exist, or the caller may not see it: both look the same."""

    code = "not_found"


class NotAllowed(PortolanError):
    """The caller is known and may see the thing, but may not do this to it."""

    code = "not_allowed"


class Conflict(PortolanError):
    """The state changed since the caller read it, or contradicts the request."""

    code = "conflict"


class TooLarge(PortolanError):
    """The request or its answer would pass a bound; the message names the bound."""

    code = "too_large"


# Whoever asks for a longer wait, in a header of theirs, is not believed.
LONGEST_WAIT_SECONDS = 7 * 86400


class TooManyRequests(PortolanError):
    """The caller has to wait `retry_after_seconds` before the next try."""

    code = "too_many_requests"

    def __init__(self, message: str, *, retry_after_seconds: int, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.retry_after_seconds = retry_after_seconds


class Unavailable(PortolanError):
    """A part of the platform does not answer now; the same request may work later."""

    code = "unavailable"


class DeadlineExceeded(PortolanError):
    """The work took longer than its deadline; whether it completes later is unknown."""

    code = "deadline_exceeded"
