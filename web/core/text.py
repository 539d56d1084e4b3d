"""Text that others wrote, made fit to be shown."""

import unicodedata

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def visible_line(text: str) -> str:
    """Return `text` as one line without characters that cannot be seen.

    Controls, direction marks, zero-width and unassigned characters are dropped, white space is
    folded: what is left cannot pretend to be something else by hiding or turning parts around.
    """
    seen = "".join(
        " " if char.isspace() else char
        for char in text
        if char.isspace() or unicodedata.category(char) not in _UNSEEN
    )
    return " ".join(seen.split())


def printable(text: str) -> str:
    """Return `text` as one line in which nothing acts on a terminal: the rest becomes escapes."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


def storable(text: str) -> str:
    """Return `text` as every database can hold it: NUL and lone surrogates become escapes."""
    shown = text.replace("\0", "\\x00") if "\0" in text else text
    if shown.isascii():
        return shown
    return shown.encode("utf-8", "backslashreplace").decode("utf-8")


def whole_number(text: str, *, most: int) -> int | None:
    """Return the number that ASCII digits write, `most` for any above; None for other text."""
    if not (text.isascii() and text.isdigit()):
        return None
    digits = text.lstrip("0") or "0"
    return most if len(digits) > len(str(most)) else min(int(digits), most)
