r"""Text from repositories, safe to show: invisible characters escaped, spans and fences closed.

Two dangers are met here. Characters that a reader does not see but a model reads (bidirectional
controls, zero width, the tag block) are shown as escapes such as \u202e. Text that imitates the
answer's own layout (a newline in a path, ``` in a file) stays inside its span or fence.
"""

import re
import sys
from typing import Final

MAX_PATH_SHOWN: Final = 1_000
_LAST_OF_FOUR_DIGITS = 0xFFFF
_LONGEST_ESCAPE = 10
_INVISIBLE_ASCII = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
# Categories Cc, Cf, Cs, Zl, Zp, the tag block, noncharacters, and letters and marks without a
# shape (Hangul fillers, joiners). A single variation selector is part of many emoji and stays;
# runs of them carry hidden text.
_INVISIBLE = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2"
    "\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
    "]|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]|[\ufe00-\ufe0f](?=[\ufe00-\ufe0f])"
)
_ESCAPED = re.compile(r"\\u([0-9a-f]{4})|\\U([0-9a-f]{8})")
_BACKTICKS = re.compile(r"`+")
_LANGUAGE = re.compile(r"[^A-Za-z0-9+#._-]")
_WORD = re.compile(r"[A-Za-z0-9 +#._/-]{1,200}")


def _escape(match: re.Match[str]) -> str:
    point = ord(match.group())
    return f"\\u{point:04x}" if point <= _LAST_OF_FOUR_DIGITS else f"\\U{point:08x}"


def escaped(text: str) -> tuple[str, int]:
    """Return `text` with invisible characters as escapes, and how many there were.

    Newline and tab stay; everything visible stays as it is.
    """
    pattern = _INVISIBLE_ASCII if text.isascii() else _INVISIBLE
    return pattern.subn(_escape, text)


def unescaped(text: str) -> str:
    """Return `text` with the escapes that `escaped` and `span` show as the characters they mean.

    Escapes of what is visible, and of what no text can hold, stay.
    """
    return _ESCAPED.sub(_meant, text) if "\\" in text else text


def _meant(match: re.Match[str]) -> str:
    point = int(match[1] or match[2], 16)
    character = chr(point) if point <= sys.maxunicode else ""
    is_shown_so = character in ("\n", "\t") or "\ufe00" <= character <= "\ufe0f"
    return character if is_shown_so or _INVISIBLE.match(character) else match.group()


def shortened(text: str, most: int) -> str:
    """Return `text`, or its first `most` characters and how many more there are."""
    if len(text) <= most:
        return text
    return f"{text[:most]}… ({len(text) - most} more characters)"


def one_line(text: str) -> str:
    """Return `text` with line ends and tabs as escapes."""
    for character in "\n\r\t":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def longest_run(text: str) -> int:
    """Return the length of the longest run of backticks."""
    if "`" not in text:
        return 0
    return max(len(run) for run in _BACKTICKS.findall(text))


def span(text: str, most: int = 400) -> str:
    """Return `text` as one code span on one line.

    Line ends and tabs are escaped, so the text can open neither a line nor a heading. It is cut
    at `most` characters, or sooner where escapes would make it more than twice as long.
    """
    line = shortened(text, most)
    if len(escaped(line)[0]) > 2 * most:
        line = shortened(text, most // _LONGEST_ESCAPE)
    line = one_line(line)
    if not line.strip():
        return "(empty)"
    ticks = "`" * (longest_run(line) + 1)
    padding = " " if line[0] in "` " or line[-1] in "` " else ""
    return f"{ticks}{padding}{line}{padding}{ticks}"


def path_span(path: str) -> str:
    """Return a path as a code span."""
    return span(path, MAX_PATH_SHOWN)


def word(text: str) -> str:
    """Return a word of the platform's own (a kind, a language, a cursor), which needs no span.

    What holds more than such words do is shown as a span all the same.
    """
    return text if _WORD.fullmatch(text) else span(text, 200)


def fence(text: str, language: str = "") -> str:
    """Return `text` as a fenced block that nothing in it can close."""
    ticks = "`" * max(3, longest_run(text) + 1)
    return f"{ticks}{_LANGUAGE.sub('', language)[:40]}\n{text}\n{ticks}"


def link(url: str) -> str:
    """Return a web address in angle brackets; what could end or split it is percent-encoded.

    What is no web address is shown as a span.
    """
    if not url.startswith(("https://", "http://")):
        return span(url)
    safe = re.sub(
        r"[\x00-\x20<>`\\\x7f-\uffff\U00010000-\U0010ffff]",
        lambda match: "".join(
            f"%{byte:02X}" for byte in match.group().encode("utf-8", "surrogatepass")
        ),
        url,
    )
    return f"<{shortened(safe, 1000)}>"
