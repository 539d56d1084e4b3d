"""Telling the charset of text that is not UTF-8: what it declares, and what its bytes are like.

Both are answers to be tried, not to be trusted: who decodes with them has to look whether the
bytes fit. The answers depend on the bytes alone.
"""

import codecs
import re
from collections.abc import Iterator, Sequence

from chardet import detect_all

_COOKIE = re.compile(
    rb"""(?: coding[:=]\s* | \bfenc= | \bscriptencoding[ \t]+ | charset\s*=\s*["']?
    | @charset\s+["'] | \bencoding\s*=\s*["'] | \\usepackage\[(?=[-\w]+\]\{inputenc\}) )
    ([-\w.]+)""",
    re.VERBOSE,
)
_COOKIE_BYTES = 1024
_COOKIE_LINES = 8
# What Emacs adds to the name of a charset.
_LINE_ENDS = re.compile(r"-(?:unix|dos|mac)$")
# Codecs that turn text into other text, or run on what a declaration should never choose.
_NO_CHARSETS = {"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"}
# Whoever declares the first means the second, as in browsers (https://encoding.spec.whatwg.org).
_EXTENSIONS = {
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}

_EAST_ASIAN = ("cp932", "euc_jis_2004", "gb18030", "big5hkscs", "cp949")
# Where the bytes tell no difference the first is taken.
_LATIN = ("cp1252", "iso8859-2", "cp1250", "cp1254", "cp1257")
_OTHER_SCRIPTS = (
    *("cp1251", "koi8-r", "koi8-u", "cp1253", "iso8859-7", "cp1255", "cp1256", "cp874"),
    *_EAST_ASIAN,
)
# So many of the lines with bytes above ASCII may not fit a charset that a text is damaged in.
_UNFIT_SHARE = 0.1
# What an extension changes is tried as it was before.
_NARROWER = {"euc_jis_2004": "euc_jp", "big5hkscs": "big5"}
_WIDE = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
_SAMPLE_BYTES = 8 * 1024
_WIDE_SAMPLE_BYTES = 4096
# Beyond, damage is not looked for.
_COMPARED_BYTES = 1024 * 1024
# The confidence of chardet in what it was told to answer where nothing fits.
_NO_MATCH = 0.1
# Bytes above ASCII, with what stands between and after them in the line.
_CONTEXT_BYTES = 16
_ABOVE_ASCII = re.compile(
    rb"[\x80-\xff](?:[^\n\x80-\xff]{0,%(n)d}[\x80-\xff])*[^\n\x80-\xff]{0,%(n)d}"
    % {b"n": _CONTEXT_BYTES}
)
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_BELOW_A0 = bytes(range(0x80, 0xA0))
# What Windows-1252 has there and prose uses: the euro sign, ellipsis, quotes, bullet, dashes.
_TYPOGRAPHY = b"\x80\x85\x91\x92\x93\x94\x95\x96\x97"


def declared_charsets(data: bytes) -> tuple[str, ...]:
    """Return what the first lines declare, the usual extension of it first; empty for nothing.

    Understood are the cookies of Python (PEP 263), Emacs and Vim, XML, HTML, CSS, gettext and
    LaTeX, with the names that Python knows.
    """
    head = b"\n".join(data[:_COOKIE_BYTES].split(b"\n")[:_COOKIE_LINES])
    match = _COOKIE.search(head)
    if not match:
        return ()
    try:
        name = codecs.lookup(_LINE_ENDS.sub("", match[1].decode("ascii").lower())).name
    except (LookupError, UnicodeDecodeError):
        return ()
    if name in _NO_CHARSETS:
        return ()
    return (_EXTENSIONS[name], name) if name in _EXTENSIONS else (name,)


def likely_charsets(data: bytes) -> Iterator[str]:
    """Yield what the text may be in, the likeliest first, by its bytes above ASCII.

    In a Latin script these stand alone between ASCII letters; in others they come in runs. Which
    charset it is, the letters tell that follow each other in the languages written in it. A few
    bytes tell little: then Windows-1252 is the likeliest by far, for names, signs and quotes.
    """
    sample = _sample(data)
    runs = _HIGH_RUN.findall(sample)
    high = b"".join(runs)
    low = _count(high, _BELOW_A0)
    unusual = low - _count(high, _TYPOGRAPHY)
    is_latin = len(high) < 1.5 * len(runs) and unusual * 4 < len(high)
    # Below 0xa0 ISO 8859 has controls, which no text holds.
    charsets = [
        name
        for name in (_LATIN if is_latin else (*_LATIN, *_OTHER_SCRIPTS))
        if not (low and name.startswith("iso8859"))
    ]
    confidence = _confidence(sample, charsets)
    if is_latin and "cp1252" in confidence:
        confidence["cp1252"] *= 1 + 2 / (len(runs) + 2)
    least = 0.999 * max(confidence.values(), default=0.0)

    def order(name: str) -> tuple[float, int]:
        if confidence[name] < least:
            return -confidence[name], 0
        return -1, -_letter_count(sample, name)

    for name in sorted((name for name in charsets if name in confidence), key=order):
        if name in _NARROWER:
            yield _NARROWER[name]
        yield name


def damaged_charset(data: bytes) -> str:
    """Return the East Asian charset that all but a few lines fit, empty where there is none.

    One lost byte makes a text unfit for it, while any bytes at all are text in most others. It is
    the one that is declared, or the one in which these lines are likelier than all are in another.
    """
    lines = _lines_above_ascii(data)
    for name in declared_charsets(data):
        if name in _EAST_ASIAN or name in _NARROWER.values():
            return name if _nearly_all(lines, name) else ""
    damaged = {name: some for name in _EAST_ASIAN if (some := _nearly_all(lines, name))}
    if not damaged:
        return ""
    charsets = (*_LATIN, *_OTHER_SCRIPTS)
    likely = {"": max(_confidence(_sample(data), charsets).values(), default=0.0)}
    for name, some in damaged.items():
        likely[name] = _confidence(_sample(b"\n".join(some)), charsets).get(name, 0.0)
    return max(likely, key=lambda name: likely[name])


def likely_wide_charset(data: bytes) -> str:
    """Return which UTF-16 or UTF-32 bytes with NUL may be, by their start; empty for none."""
    confidence = _confidence(data[:_WIDE_SAMPLE_BYTES], _WIDE)
    return next((name for name in confidence if confidence[name] > _NO_MATCH), "")


def _confidence(sample: bytes, charsets: Sequence[str]) -> dict[str, float]:
    found = detect_all(
        sample,
        ignore_threshold=True,
        max_bytes=_SAMPLE_BYTES,
        include_encodings=charsets,
        no_match_encoding=charsets[0],
        compat_names=False,
    )
    return {one["encoding"]: one["confidence"] for one in found if one["encoding"]}


def _lines_above_ascii(data: bytes) -> list[bytes]:
    return [line for line in data[:_COMPARED_BYTES].split(b"\n") if not line.isascii()]


def _nearly_all(lines: Sequence[bytes], charset: str) -> list[bytes]:
    """Return the lines that fit a charset if they are nearly all, but not all; else none."""
    fitting: list[bytes] = []
    for number, line in enumerate(lines, 1):
        if _fits(line, charset):
            fitting.append(line)
        elif (number - len(fitting)) > _UNFIT_SHARE * len(lines):
            return []
    return fitting if len(fitting) < len(lines) else []


def _fits(data: bytes, charset: str) -> bool:
    """Say whether the bytes are text in the charset."""
    try:
        data.decode(charset)
    except (UnicodeError, LookupError):
        return False
    return True


def _sample(data: bytes) -> bytes:
    """Return the lines that hold bytes above ASCII, of long lines what stands around these."""
    taken: list[bytes] = []
    size = end = 0
    for match in _ABOVE_ASCII.finditer(data):
        begin = max(end, match.start() - _CONTEXT_BYTES)
        begin = max(begin, data.rfind(b"\n", begin, match.start()) + 1)
        end = match.end()
        taken.append(data[begin:end])
        size += end - begin
        if size > _SAMPLE_BYTES:
            break
    return b"\n".join(taken)[:_SAMPLE_BYTES]


def _count(data: bytes, some: bytes) -> int:
    return len(data) - len(data.translate(None, some))


def _letter_count(sample: bytes, charset: str) -> int:
    return sum(1 for c in sample.decode(charset, "ignore") if c.isalpha() and c not in "ªºµ")
