"""From bytes to text and from text to lines.

Every reader of repository text goes through here, so that search, `read_file` and git agree on
what the characters are and on which line they stand.
"""

import codecs
import re
from dataclasses import dataclass
from unicodedata import category

from web.library.indexing.charsets import (
    damaged_charset,
    declared_charsets,
    likely_charsets,
    likely_wide_charset,
)

_BOMS = (
    # UTF-32 before UTF-16: its little-endian mark begins with the one of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_BINARY_MAGIC = (b"%PDF-", b"PK\x03\x04", b"\x1f\x8b", b"\x89PNG", b"\xff\xd8\xff", b"GIF8")
# Controls that text does not hold; tab, line feed, form feed, carriage return, backspace and
# escape occur in it.
_CONTROLS = bytes({*range(0x20), 0x7F} - {*b"\t\n\v\f\r\b\x1b"})
_SPACES = frozenset("\t\n\v\f\r\x1b\u200e\u200f\u200b\u200c\u200d\ufeff")
_SAMPLE_CHARACTERS = 4096
_DAMAGED = " (damaged)"


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text without NUL and byte order mark, and the name of the encoding it was in."""

    text: str
    encoding: str


def decode(data: bytes) -> Decoded | None:
    """Return the text in `data`, or None for binary.

    UTF-8 first; then what a byte order mark, a coding cookie or the bytes themselves say
    (`charsets`); Windows-1252 as the last resort. Text that holds a few NUL characters is still
    text, they are removed. Damaged text keeps its good characters.
    """
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return _wide(data[len(bom) :], encoding)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return _without_mark(data)
    if "\0" in text:
        return _with_nul(data, text)
    if "\x1b$" in text and (japanese := _strict(data, "iso2022_jp")) is not None:
        return Decoded(japanese, "iso2022_jp")
    return Decoded(text, "utf-8")


def decoded_as(data: bytes, encoding: str) -> str:
    """Return the text that `decode` once gave with this encoding, whatever it would give now."""
    for bom, marked in _BOMS:
        if encoding == marked and data.startswith(bom):
            data = data[len(bom) :]
    return data.decode(encoding.removesuffix(_DAMAGED), "replace").replace("\0", "")


def lines_of(text: str) -> list[str]:
    r"""Return the lines as git counts them: split at \n only, each without its trailing \r.

    Form feeds, U+2028, vertical tabs and lone carriage returns do not end a line. Text that ends
    with a line feed has no empty line after it, empty text no line at all, so that the count is
    the one of `git grep -c ''`.
    """
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.rstrip("\r") for line in lines] if "\r" in text else lines


def _wide(data: bytes, encoding: str) -> Decoded | None:
    """Decode what a mark or its zeros call Unicode; None where text never looks like it."""
    text = data.decode(encoding, "replace")
    sample = text[:_SAMPLE_CHARACTERS]
    if _odd_count(sample) > max(2, len(sample) // 20):
        return None
    return Decoded(text.replace("\0", ""), encoding)


def _odd_count(text: str) -> int:
    return sum(1 for c in text if c == "\ufffd" or (c not in _SPACES and category(c)[0] == "C"))


def _with_nul(data: bytes, text: str) -> Decoded | None:
    """Decode what is UTF-8 but for its NUL bytes: wide text, text with a few of them, or binary."""
    wide = _ascii_utf16(data) or (_other_wide(data) if text.isascii() else None)
    if wide is not None:
        return wide
    if data.startswith(_BINARY_MAGIC) or _control_count(data) > max(2, len(data) // 10):
        return None
    return Decoded(text.replace("\0", ""), "utf-8")


def _ascii_utf16(data: bytes) -> Decoded | None:
    """Return UTF-16 without a mark: text of mostly ASCII has a NUL in every other byte."""
    half = len(data) // 2
    for encoding, zeros, others in (
        ("utf-16-le", data[1::2].count(0), data[0::2].count(0)),
        ("utf-16-be", data[0::2].count(0), data[1::2].count(0)),
    ):
        if half > 1 and zeros > 0.7 * half and others < 0.05 * half:
            return _wide(data, encoding)
    return None


def _other_wide(data: bytes) -> Decoded | None:
    """Return UTF-16 of other scripts, or UTF-32, without a mark.

    All of it has to fit, with hardly an odd character: bytes of any kind may look like Chinese.
    """
    encoding = likely_wide_charset(data) if b"\0" in data else ""
    text = _strict(data, encoding) if encoding else None
    if text is None or "\0" in text or _odd_count(text) * 100 > len(text):
        return None
    return Decoded(text, encoding)


def _without_mark(data: bytes) -> Decoded | None:
    """Decode what is not UTF-8: wide text, binary, damaged UTF-8, or another charset."""
    wide = _ascii_utf16(data) or _other_wide(data)
    if wide is not None:
        return wide
    if data.startswith(_BINARY_MAGIC) or _control_count(data) > max(2, len(data) // 50):
        return None
    lenient = data.decode("utf-8", "replace")
    damaged = lenient.count("\ufffd")
    good = sum(len(run) for run in re.findall(r"[^\x00-\x7f\ufffd]+", lenient))
    if good > damaged * 2:
        return Decoded(lenient.replace("\0", ""), "utf-8" + _DAMAGED)
    return _in_charset(data)


def _in_charset(data: bytes) -> Decoded:
    """Decode in the first charset that fits: declared, damaged or likely, at last Windows-1252."""
    for encoding in declared_charsets(data):
        if (text := _strict(data, encoding)) is not None:
            return Decoded(text.replace("\0", ""), encoding)
    if charset := damaged_charset(data):
        return Decoded(data.decode(charset, "replace").replace("\0", ""), charset + _DAMAGED)
    for encoding in (*likely_charsets(data), "cp1252"):
        if (text := _strict(data, encoding)) is not None:
            return Decoded(text.replace("\0", ""), encoding)
    return Decoded(data.decode("latin-1").replace("\0", ""), "latin-1")


def _strict(data: bytes, encoding: str) -> str | None:
    """Return the text, or None where the bytes do not fit the charset or it is not one."""
    try:
        return data.decode(encoding)
    except (UnicodeError, LookupError):
        return None


def _control_count(data: bytes) -> int:
    return len(data) - len(data.translate(None, _CONTROLS))
