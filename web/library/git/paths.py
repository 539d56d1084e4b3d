"""Paths of trees: any bytes but NUL, shown as text and kept in an index that has bounds."""

import re
from hashlib import blake2b

# Longer ones do not fit into an index of PostgreSQL.
LARGEST_KEPT_BYTES = 1024
_ESCAPE = re.compile(rb"\\x[0-9a-f]{2}")


def path_text(path: bytes) -> str:
    r"""Return a path as text; in one that is not UTF-8 the odd bytes are shown as `\xNN`.

    No two paths have the same text: in one that holds such an escape itself, and in one with odd
    bytes, a backslash is shown as `\x5c`.
    """
    if b"\\" in path and (_ESCAPE.search(path) or not _is_text(path)):
        path = path.replace(b"\\", b"\\x5c")
    return path.decode("utf-8", "backslashreplace")


def path_bytes(text: str) -> bytes:
    """Return the path that `path_text` shows so."""
    return _ESCAPE.sub(
        lambda match: bytes([int(match[0][2:], 16)]), text.encode("utf-8", "replace")
    )


def kept_path(path: bytes) -> str:
    """Return the text by which an index has a path: of a very long one the start, and a digest."""
    text = path_text(path)
    if len(path) <= LARGEST_KEPT_BYTES:
        return text
    digest = blake2b(path, digest_size=8).hexdigest()
    return f"{text[: LARGEST_KEPT_BYTES // 4]}…{digest}"


def _is_text(path: bytes) -> bool:
    try:
        path.decode()
    except UnicodeDecodeError:
        return False
    return True
