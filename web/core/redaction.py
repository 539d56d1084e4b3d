"""What must never be written down, and how it is taken out of text: used by the logs.

Recognised are the forms of tokens that Portolan meets (its own, GitHub's, bearer headers), values
that stand beside a name such as `password`, user information and queries of addresses (a feed's may
be its key), private keys, and the installation's own secrets once `hide` was told of them.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

REDACTED = "[redacted]"
_MAX_DEPTH = 6

_WORD = (
    r"(?:token|secret(?:[_-]?key)?|password|passwd|passphrase|api[_-]?key|access[_-]?key"
    r"|private[_-]?key|session[_-]?(?:id|key)|code[_-]verifier|authorization|cookie)"
)
_SECRET_NAME = re.compile(rf"{_WORD}$", re.IGNORECASE)
# A token begins a word, an escape of text (`\n`) or of an address (`%20`) may stand before it. One
# of full length is taken out wherever it stands, as in `key_ptl_…`; `crypto_…` and `highs_…` stay.
_TOKEN = re.compile(
    r"((?:\b|(?<=\\[abfnrtv])|(?<=\\x[0-9A-Fa-f]{2})|(?<=\\u[0-9A-Fa-f]{4})|(?<=%[0-9A-Fa-f]{2}))"
    r"(?:pt[loriw]_|gh[pousr]_|glpat-|github_pat_)(?=[A-Za-z0-9_-]{6})"
    r"|pt[loriw]_(?=[a-z0-9_-]{0,42}[A-Z])(?=[A-Za-z0-9_-]{43})"
    r"|gh[pousr]_(?=[A-Za-z0-9]{30})"
    r"|(?:glpat-|github_pat_)(?=[A-Za-z0-9_-]{20}))"
    r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*"
)
# An address is matched whole, also one without a query: were it left, it would be read to its end
# again from each further `://` inside.
_ADDRESS = re.compile(r"""(://[^\s"'<>`?#]+)(\?(?!\[redacted\])[^\s"'<>`#]+)?""")


def _without_query(address: re.Match[str]) -> str:
    return address[0] if address[2] is None else f"{address[1]}?{REDACTED}"


type _Replacement = str | Callable[[re.Match[str]], str]
# What one of these words must stand in (in lowercase) before the pattern is tried at all: most
# texts have none, and logging is on the path of every call.
_PATTERNS: tuple[tuple[tuple[str, ...], re.Pattern[str], _Replacement], ...] = (
    (
        ("private key-----",),
        re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*-----|\Z)", re.DOTALL),
        REDACTED,
    ),
    (
        ("ptl_", "pto_", "ptr_", "pti_", "ptw_", "gh", "glpat-", "github_pat_"),
        _TOKEN,
        rf"\1{REDACTED}",
    ),
    (
        ("authorization",),
        re.compile(r"""(?i)(\bauthorization["']?\s*[:=]\s*["']?(?:\w+\s+)?)[^\s"',}]+"""),
        rf"\1{REDACTED}",
    ),
    (
        ("bearer",),
        re.compile(r"(?i)\b(bearer\s+)[A-Za-z0-9._~+/=-]{8,}"),
        rf"\1{REDACTED}",
    ),
    (
        ("://",),
        re.compile(r"(://)(?:[^/\s:@]*:[^/\s@]+|[^/\s:@]{8,})(?=@)"),
        rf"\1{REDACTED}",
    ),
    (("://",), _ADDRESS, _without_query),
    (
        ("=", ":"),
        re.compile(rf"""(?i)({_WORD}["']?\s*[=:]\s*["']?)(?!\[redacted\])[^\s"'&,;}})]+"""),
        rf"\1{REDACTED}",
    ),
    (
        ("/password/reset/",),
        re.compile(r"(/password/reset/)[^/\s]+/[^/\s]+"),
        rf"\1{REDACTED}",
    ),
    (("code=",), re.compile(r"([?&]code=)[^&\s\"']+"), rf"\1{REDACTED}"),
)
_hidden: set[str] = set()
_hidden_pattern: re.Pattern[str] | None = None


def hide(secret: str) -> None:
    """Take `secret` out of every text from now on; texts under 6 characters are not accepted."""
    global _hidden_pattern  # noqa: PLW0603 - one pattern per process, rebuilt when it grows
    if len(secret) < 6:  # noqa: PLR2004 - shorter ones would take ordinary words out
        return
    _hidden.add(secret)
    longest_first = sorted(_hidden, key=len, reverse=True)
    _hidden_pattern = re.compile("|".join(re.escape(value) for value in longest_first))


def redacted(text: str) -> str:
    """Return `text` with every secret replaced by "[redacted]"; the rest stays as it is."""
    if _hidden_pattern is not None:
        text = _hidden_pattern.sub(REDACTED, text)
    lowered = text.lower()
    for words, pattern, replacement in _PATTERNS:
        for word in words:
            if word in lowered:
                text = pattern.sub(replacement, text)
                break
    return text


def without_tokens(text: str) -> str:
    """Return `text` with every token replaced by "[redacted]", and nothing else.

    For answers that repeat what somebody sent: only what has the form of a token is taken out.
    """
    return _TOKEN.sub(rf"\1{REDACTED}", text)


def holds_a_token(text: str) -> bool:
    """Return whether something in `text` has the form of a token."""
    return _TOKEN.search(text) is not None


def redacted_value(value: Any, *, name: str = "", depth: int = 0) -> Any:
    """Return a copy of `value` that JSON can hold, without secrets.

    Values whose name (`name`, or a key inside) is a secret's are replaced whole. What JSON does
    not know, and what is nested deeper than six levels, is shown as text.
    """
    if name and _SECRET_NAME.search(name) and value not in (None, "", False, True):
        return REDACTED
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str) or depth >= _MAX_DEPTH:
        return redacted(_text_of(value))
    if isinstance(value, Mapping):
        return {
            redacted(_text_of(key)): redacted_value(item, name=_text_of(key), depth=depth + 1)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple | set | frozenset):
        return [redacted_value(item, depth=depth + 1) for item in value]
    return redacted(_text_of(value))


def _text_of(value: Any) -> str:
    """Return the value as text, also where its own `__str__` fails: a log never does."""
    try:
        return str(value)
    except Exception:
        return f"<{type(value).__name__} that cannot be shown>"
