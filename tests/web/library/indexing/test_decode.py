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
        ("Привет, это комментарий".encode("cp1251"), "Привет, это комментарий"),
        ("Příliš žluťoučký kůň".encode("iso8859-2"), "Příliš žluťoučký kůň"),
        ("これは日本語のコメント。\nint x;".encode("euc_jp"), "これは日本語のコメント。\nint x;"),
        ("これは日本語のコメントです".encode("cp932"), "これは日本語のコメントです"),
        ("これは日本語".encode("iso2022_jp"), "これは日本語"),
        ("这是一个中文注释,用来说明".encode("gb18030"), "这是一个中文注释,用来说明"),
        ("Größe €漢字".encode() * 3 + b"\xff", "Größe €漢字" * 3 + "\ufffd"),
        (b"# coding: unicode_escape\n\\x41 \xe9", "# coding: unicode_escape\n\\x41 é"),
        (b'<?xml encoding="koi8-r"?><a>\xd0</a>', '<?xml encoding="koi8-r"?><a>п</a>'),
        (b"", ""),
    ],
)  # fmt: skip
def test_text_of_any_usual_encoding_is_read(data, text):
    decoded = decode(data)
    assert decoded is not None
    assert decoded.text == text


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
        b"\x7fELF\x02\x01" + bytes(200),
        bytes(1000),
        b"\xff\xfe" + bytes(range(256)) * 9,
        b"%PDF-1.7 \xe9 text",
    ],
)
def test_binary_is_told_as_such(data):
    assert decode(data) is None


def test_the_name_of_the_encoding_is_told():
    assert decode(b"caf\xe9").encoding == "cp1252"
    assert decode("漢字".encode("utf-16")).encoding == "utf-16-le"
    assert decode("漢字".encode() * 9 + b"\xff").encoding == "utf-8 (damaged)"


def test_lines_end_at_a_line_feed_alone():
    assert lines_of("a\x0cb\u2028c\rd\r\ne\n") == ["a\x0cb\u2028c\rd", "e"]
    assert lines_of("") == []
    assert lines_of("a\n\n") == ["a", ""]
