"""Where no token may stand: in the address of a request."""

import re
from typing import Final
from urllib.parse import unquote_plus

from web.core.redaction import holds_a_token

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


def query_holds_a_token(query: bytes) -> bool:
    """Return whether a query has a token in it, by the name of a parameter or by its form."""
    text = unquote_plus(query.decode("latin-1"))
    names = {part.partition("=")[0].strip().lower() for part in _SEPARATORS.split(text)}
    return bool({name.replace("-", "_") for name in names} & PARAMETERS) or holds_a_token(text)
