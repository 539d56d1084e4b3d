"""What GitHub's refusals mean for whoever asked, in the family of `web.core.errors`.

Documented at https://docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api and
…/rate-limits-for-the-rest-api. What GitHub says itself is quoted, on one line and shortened.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Final

import msgspec

from web.core.clock import now
from web.core.errors import (
    LONGEST_WAIT_SECONDS,
    InvalidInput,
    NotAllowed,
    NotFound,
    PortolanError,
    TooManyRequests,
    Unavailable,
)
from web.core.text import visible_line, whole_number

HEADER: Final = "X-GitHub-Token"
SECONDARY_LIMIT_SECONDS: Final = 60
_MAX_QUOTED: Final = 300
_MAX_PROBLEMS: Final = 5
_SERVER_ERRORS: Final = 500
_SSO_URL: Final = re.compile(r"url=(https://[^\s;,]+)")
_REASONS: Final = {
    "missing": "does not exist",
    "missing_field": "is missing",
    "invalid": "is not valid",
    "already_exists": "exists already",
    "unprocessable": "cannot be taken",
}
_NOT_SHOWN: Final = (
    "GitHub finds nothing for {what}: the issue or repository does not exist, or this token may "
    "not see it."
)
_NOT_SHOWN_HINT: Final = "Check the number and the repository. {needed}"
TELL_THE_OPERATOR: Final = "tell the user that who runs this server has to look at it"
_ADDRESS_REMEDY: Final = "PORTOLAN_GITHUB_API_URL may not be the address of GitHub's API."
# Refusals that mean one thing: the error, what happened, what to do.
_PLAIN: Final[Mapping[int, tuple[type[PortolanError], str, str]]] = {
    HTTPStatus.UNAUTHORIZED: (
        NotAllowed,
        "GitHub refuses the token: it is wrong, expired or revoked.",
        f"Ask the user for a new one, sent as the header {HEADER}. Do not repeat the call with "
        "this one.",
    ),
    HTTPStatus.NOT_FOUND: (NotFound, _NOT_SHOWN, _NOT_SHOWN_HINT),
    HTTPStatus.GONE: (
        NotFound,
        "GitHub has nothing for {what} any more: it was deleted, or issues are turned off there.",
        "Tell the user; another call will not help.",
    ),
    HTTPStatus.UNAVAILABLE_FOR_LEGAL_REASONS: (
        NotAllowed,
        "GitHub withholds {what} for legal reasons.",
        "Tell the user; another call will not help.",
    ),
}


class OutcomeUnknown(Unavailable):
    """A change was sent and its answer is lost: it may have happened."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What GitHub answered; names of headers in lowercase."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def header(self, name: str) -> str:
        """Return a header's value, empty without one."""
        return self.headers.get(name, "")


@dataclass(frozen=True, slots=True)
class Aim:
    """What a request is about, in words: "issue #5 of a/b", and the permission that it needs."""

    what: str
    permission: str

    @property
    def needed(self) -> str:
        """What a token must have, in words."""
        return (
            f"A fine-grained token needs this repository and the permission {self.permission}, "
            "a classic one the scope repo (public_repo for public repositories)."
        )


class _Problem(msgspec.Struct):
    resource: str = ""
    field: str = ""
    code: str = ""
    message: str | None = None


class _Refusal(msgspec.Struct):
    message: str = ""
    errors: list[_Problem | str] = []


def failure_of(answer: Answer, aim: Aim) -> PortolanError:
    """Return the error that a refusal stands for; `aim` is what was asked."""
    refusal = _read(answer.body)
    said = f" GitHub says: {_quoted(refusal.message)}" if refusal.message else ""
    limit = _rate_limit(answer, refusal)
    if limit is not None:
        return limit
    if answer.status == HTTPStatus.FORBIDDEN:
        return _forbidden(answer, aim, said)
    if answer.status in {HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY}:
        return _not_valid(refusal, aim, said)
    if answer.status in _PLAIN:
        error, sentence, hint = _PLAIN[answer.status]
        return error(f"{sentence.format(what=aim.what)}{said}", hint=hint.format(needed=aim.needed))
    if answer.status >= _SERVER_ERRORS:
        return Unavailable(
            f"GitHub does not answer now (status {answer.status}).",
            hint="Nothing is wrong with the call: repeat it later.",
        )
    return Unavailable(
        f"GitHub answered with status {answer.status}, which means nothing here.{said}",
        hint=f"Do not repeat the call: {TELL_THE_OPERATOR}.",
        remedy=_ADDRESS_REMEDY,
    )


def _read(body: bytes) -> _Refusal:
    try:
        return msgspec.json.decode(body, type=_Refusal)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _Refusal()


def _rate_limit(answer: Answer, refusal: _Refusal) -> TooManyRequests | None:
    """Return the error of a used-up limit: the primary one per hour, or a secondary one."""
    if answer.status not in {HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS}:
        return None
    at = int(now().timestamp())
    asked = whole_number(answer.header("retry-after"), most=LONGEST_WAIT_SECONDS)
    reset = whole_number(answer.header("x-ratelimit-reset"), most=at + LONGEST_WAIT_SECONDS)
    used_up = answer.header("x-ratelimit-remaining") == "0"
    is_secondary = "secondary rate limit" in refusal.message.lower()
    if asked is not None:
        seconds = asked
    elif used_up and reset is not None:
        seconds = reset - at
    elif is_secondary or used_up or answer.status == HTTPStatus.TOO_MANY_REQUESTS:
        seconds = SECONDARY_LIMIT_SECONDS
    else:
        return None
    seconds = max(seconds, 1)
    resource = answer.header("x-ratelimit-resource")
    of_what = f" for {_quoted(resource)}" if resource else ""
    ends = datetime.fromtimestamp(at + seconds, UTC)
    kind = f"limit of requests{of_what}" if used_up and not is_secondary else "secondary rate limit"
    return TooManyRequests(
        f"GitHub's {kind} of this token is used up until {ends:%Y-%m-%d %H:%M:%S} UTC.",
        retry_after_seconds=seconds,
        hint="Call no GitHub tool before that: calls in between make the wait longer.",
    )


def _forbidden(answer: Answer, aim: Aim, said: str) -> NotAllowed:
    sso = answer.header("x-github-sso")
    if sso.startswith("required"):
        where = _SSO_URL.search(sso)
        at = f" at {where[1]}" if where else " in the settings of the token"
        return NotAllowed(
            "The organisation wants its single sign-on for this token.",
            hint=f"Ask the user to authorize the token{at}, then call again.",
        )
    accepted = answer.header("x-accepted-github-permissions")
    exactly = f" GitHub asks for: {_quoted(accepted)}." if accepted else ""
    return NotAllowed(
        f"The GitHub token may not do this to {aim.what}.{said}",
        hint=f"{aim.needed}{exactly} Tell the user; do not repeat the call with this token.",
    )


def _not_valid(refusal: _Refusal, aim: Aim, said: str) -> PortolanError:
    problems = [one for one in refusal.errors if isinstance(one, _Problem)]
    if any(one.resource == "Search" and one.code == "invalid" for one in problems) and (
        "do not have permission" in str(refusal)
    ):
        return NotFound(
            _NOT_SHOWN.format(what=aim.what), hint=_NOT_SHOWN_HINT.format(needed=aim.needed)
        )
    fields: dict[str, str] = {}
    for one in problems[:_MAX_PROBLEMS]:
        name = {"q": "query"}.get(one.field, one.field) or one.resource.lower() or "request"
        fields[_quoted(name)] = _quoted(one.message or "") or _REASONS.get(one.code, "is refused")
    told = [f"{name}: {reason}" for name, reason in fields.items()]
    told += [_quoted(one) for one in refusal.errors if isinstance(one, str)][:_MAX_PROBLEMS]
    detail = f" ({'; '.join(told)})" if told else ""
    return InvalidInput(
        f"GitHub cannot take this for {aim.what}{detail}.{said}",
        hint="Correct the argument that it names and call again.",
        fields=fields,
    )


def _quoted(text: str) -> str:
    line = visible_line(text)
    return line if len(line) <= _MAX_QUOTED else f"{line[:_MAX_QUOTED]}…"


def undecodable(aim: Aim, content_type: str) -> Unavailable:
    """Return the error of an answer that is no JSON, or not the JSON of what was asked."""
    kind = _quoted(content_type.partition(";")[0]) or "nothing"
    return Unavailable(
        f"GitHub's answer about {aim.what} cannot be read (it came as {kind}).",
        hint=f"Try once more later. If it stays so, {TELL_THE_OPERATOR}.",
        remedy=_ADDRESS_REMEDY,
    )
