"""From bytes to text and from text to lines.

Every reader of repository text goes through here, so that search, `read_file` and git agree on
what the characters are and on which line they stand.
"""

import codecs
import re
from dataclasses import dataclass
from unicodedata import category

from charset_normalizer import from_bytes

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
_COOKIE = re.compile(
    rb"""(?:coding[:=]\s*|charset\s*=\s*["']?|@charset\s+["']|\bencoding\s*=\s*["'])([-\w.]+)"""
)
_COOKIE_BYTES = 1024
# Codecs that turn text into other text, or run on what a declaration should never choose.
_NO_CHARSETS = {"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"}
_SAMPLE_BYTES = 64 * 1024
_SAMPLE_CHARACTERS = 4096
_LATIN = ("cp1252", "iso8859_2", "cp1250", "cp1254")
_OTHER_SCRIPTS = [
    *("cp1251", "koi8_r", "cp1253", "cp1255", "cp1256"),
    *("cp932", "euc_jp", "gb18030", "big5", "cp949"),
]
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
# What Windows-1252 has below 0xa0 and prose uses: the euro sign, ellipsis, quotes, bullet, dashes.
_TYPOGRAPHY = b"\x80\x85\x91\x92\x93\x94\x95\x96\x97"
_C1 = bytes(set(range(0x80, 0xA0)) - set(_TYPOGRAPHY))


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text without NUL and byte order mark, and the name of the encoding it was in."""

    text: str
    encoding: str


def decode(data: bytes) -> Decoded | None:
    """Return the text in `data`, or None for binary.

    UTF-8 first; then what a byte order mark, a coding cookie (PEP 263, XML, HTML, CSS) or the
    bytes themselves say; Windows-1252 as the last resort. Text that holds a few NUL characters is
    still text, they are removed. Damaged UTF-8 keeps its good characters.
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
    odd = sum(1 for c in sample if c == "\ufffd" or (c not in _SPACES and category(c)[0] == "C"))
    if odd > max(2, len(sample) // 20):
        return None
    return Decoded(text.replace("\0", ""), encoding)


def _with_nul(data: bytes, text: str) -> Decoded | None:
    """Decode what is UTF-8 but for its NUL bytes: wide text, text with a few of them, or binary."""
    if (wide := _unmarked_utf16(data)) is not None:
        return wide
    if data.startswith(_BINARY_MAGIC) or _control_count(data) > max(2, len(data) // 10):
        return None
    return Decoded(text.replace("\0", ""), "utf-8")


def _unmarked_utf16(data: bytes) -> Decoded | None:
    """Return UTF-16 without a mark: text of mostly ASCII has a NUL in every other byte."""
    half = len(data) // 2
    for encoding, zeros, others in (
        ("utf-16-le", data[1::2].count(0), data[0::2].count(0)),
        ("utf-16-be", data[0::2].count(0), data[1::2].count(0)),
    ):
        if half > 1 and zeros > 0.7 * half and others < 0.05 * half:
            return _wide(data, encoding)
    return None


def _without_mark(data: bytes) -> Decoded | None:
    """Decode what is not UTF-8: binary, a declared or guessed charset, or damaged UTF-8."""
    if (wide := _unmarked_utf16(data)) is not None:
        return wide
    if data.startswith(_BINARY_MAGIC) or _control_count(data) > max(2, len(data) // 50):
        return None
    lenient = data.decode("utf-8", "replace")
    damaged = lenient.count("\ufffd")
    good = sum(len(run) for run in re.findall(r"[^\x00-\x7f\ufffd]+", lenient))
    if good > damaged * 2:
        return Decoded(lenient.replace("\0", ""), "utf-8 (damaged)")
    for encoding in (_declared(data), _guessed(data), "cp1252"):
        if encoding and (text := _strict(data, encoding)) is not None:
            return Decoded(text.replace("\0", ""), encoding)
    return Decoded(data.decode("latin-1").replace("\0", ""), "latin-1")


def _declared(data: bytes) -> str:
    head = b"\n".join(data[:_COOKIE_BYTES].split(b"\n")[:8])
    match = _COOKIE.search(head)
    if not match:
        return ""
    try:
        name = codecs.lookup(match[1].decode("ascii")).name
    except (LookupError, UnicodeDecodeError):
        return ""
    return "" if name in _NO_CHARSETS else name


def _guessed(data: bytes) -> str:
    """Return the likeliest charset of a sample, empty when nothing fits.

    In a Latin script the bytes above ASCII stand alone between ASCII letters: the charset that
    makes letters of most of them is it. In other scripts they come in runs, whose statistics tell.
    """
    sample = data[:_SAMPLE_BYTES]
    runs = _HIGH_RUN.findall(sample)
    high = b"".join(runs)
    unusual = len(high) - len(high.translate(None, _C1))
    if len(high) < 1.5 * len(runs) and unusual * 4 < len(high):
        return max(_LATIN, key=lambda charset: _letter_count(high, charset))
    best = from_bytes(sample, cp_isolation=_OTHER_SCRIPTS).best()
    return best.encoding if best else ""


def _letter_count(high: bytes, charset: str) -> int:
    return sum(1 for c in high.decode(charset, "ignore") if c.isalpha() and c not in "ªºµ")


def _strict(data: bytes, encoding: str) -> str | None:
    """Return the text, or None where the bytes do not fit the charset or it is not one."""
    try:
        return data.decode(encoding)
    except (UnicodeError, LookupError):
        return None


def _control_count(data: bytes) -> int:
    return len(data) - len(data.translate(None, _CONTROLS))
