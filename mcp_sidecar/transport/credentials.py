"""Where a token may stand in a request: in its header, once; never in the address."""

import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import unquote_plus

from mcp_sidecar.transport.responses import HeaderList, Refusal
from web.core.redaction import holds_a_token

SINGLE_HEADERS: Final = (
    b"authorization",
    b"x-github-token",
    b"host",
    b"origin",
    b"content-type",
    b"mcp-protocol-version",
)
PARAMETERS: Final = frozenset(
    {
        "access_token",
        "api_key",
        "apikey",
        "auth_token",
        "authorization",
        "bearer",
        "bearer_token",
        "github_token",
        "token",
        "x_github_token",
    }
)
_SEPARATORS: Final = re.compile(r"[&;?]")


def check_singles(pairs: HeaderList, headers: Mapping[bytes, bytes]) -> None:
    """Raise Refusal 400 where a header came twice of which only one can count.

    `headers` are the same as `pairs`, by name.
    """
    if len(headers) == len(pairs):
        return
    names = [name for name, _ in pairs]
    for name in SINGLE_HEADERS:
        if names.count(name) > 1:
            message = f"The header {name.decode().title()} came twice: send it once."
            raise Refusal(400, "duplicate_header", message)


def query_holds_a_token(query: bytes) -> bool:
    """Return whether a query has a token in it, by the name of a parameter or by its form."""
    text = unquote_plus(query.decode("latin-1"))
    names = {part.partition("=")[0].strip().lower() for part in _SEPARATORS.split(text)}
    return bool({name.replace("-", "_") for name in names} & PARAMETERS) or holds_a_token(text)
