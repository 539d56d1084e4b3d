"""Bytes become text, and text becomes lines, as git counts them."""

import pytest

from web.library.indexing.decode import decode, lines_of


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"plain", "plain"),
        ("größe".encode(), "größe"),
        (b"\xef\xbb\xbfmarked", "marked"),
        ("größe".encode("utf-16"), "größe"),
        ("a größe of many words".encode("utf-16-le"), "a größe of many words"),
        ("größe".encode("utf-32"), "größe"),
        ("# -*- coding: latin-1 -*-\ngröße".encode("latin-1"), "# -*- coding: latin-1 -*-\ngröße"),
        ("größe und Straße, fünf Äpfel".encode("cp1252"), "größe und Straße, fünf Äpfel"),
        (b"a\0b in a text of some length, and so on", "ab in a text of some length, and so on"),
        (b"", ""),
    ],
)  # fmt: skip
def test_text_of_any_usual_encoding_is_read(data, text):
    decoded = decode(data)
    assert decoded is not None
    assert decoded.text == text


@pytest.mark.parametrize(
    "data", [b"\x89PNG\r\n\x1a\n" + bytes(range(256)), b"\x7fELF\x02\x01" + bytes(200), bytes(1000)]
)
def test_binary_is_told_as_such(data):
    assert decode(data) is None


def test_lines_end_at_a_line_feed_alone():
    assert lines_of("a\x0cb\u2028c\rd\r\ne\n") == ["a\x0cb\u2028c\rd", "e"]
    assert lines_of("") == []
    assert lines_of("a\n\n") == ["a", ""]
