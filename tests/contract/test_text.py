import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from mcp_sidecar.contract.text import escaped, fence, link, path_span, shortened, span, word

MARKDOWN = MarkdownIt("commonmark")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202eb", "a\\u202eb"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("\U000e0041\U000e007f", "\\U000e0041\\U000e007f"),
        ("\x00\x07\x1b[0m\x7f\x85", "\\u0000\\u0007\\u001b[0m\\u007f\\u0085"),
        ("\u2028\u2029\xad", "\\u2028\\u2029\\u00ad"),
        ("\udc80", "\\udc80"),
        ("\u3164\u115f", "\\u3164\\u115f"),
        ("a\r\nb", "a\\u000d\nb"),
        ("x\ufe01\ufe02\ufe03", "x\\ufe01\\ufe02\\ufe03"),
        ("\U000e0100", "\\U000e0100"),
    ],
)
def test_invisible_characters_are_shown_as_escapes_and_counted(text, shown):
    count = sum(not character.isprintable() for character in text if character != "\n")
    result, escapes = escaped(text)
    assert result == shown
    assert escapes == shown.count("\\u") + shown.count("\\U") >= min(count, 1)


@pytest.mark.parametrize(
    "text", ["tab\tand\nline", "naïve 漢字 ابجد 🙂 ❤️", "\\u202e as six characters", "a\u00a0b"]
)
def test_visible_text_is_left_alone(text):
    assert escaped(text) == (text, 0)


def test_every_invisible_category_is_covered():
    missed = [
        hex(point)
        for point in range(0x110000)
        if unicodedata.category(chr(point)) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
        and chr(point) not in "\n\t"
        and escaped(chr(point))[1] != 1
    ]
    assert missed == []


@given(st.text(st.characters(codec=None)))
def test_escaped_text_is_encodable_and_stays_as_it_is(text):
    shown, _ = escaped(text)
    shown.encode()
    assert escaped(shown) == (shown, 0)


def _tokens(markdown: str):
    for token in MARKDOWN.parse(markdown):
        yield token
        yield from token.children or ()


@given(st.text("a`\n\r\t #-*<>[]()~|\\", max_size=60))
def test_span_is_one_code_span_whatever_the_text(text):
    shown = escaped(span(text))[0]
    kinds = [token.type for token in _tokens(f"- x {shown} y")]
    assert "\n" not in shown
    if text.strip():
        assert kinds.count("code_inline") == 1
    assert set(kinds) <= {
        "bullet_list_open",
        "list_item_open",
        "paragraph_open",
        "inline",
        "text",
        "code_inline",
        "paragraph_close",
        "list_item_close",
        "bullet_list_close",
    }


@given(st.text("a`~\n\t #-*<>", max_size=80))
def test_fence_holds_the_text_whatever_it_is(text):
    tokens = MARKDOWN.parse(f"before\n\n{fence(text, 'python')}\n\nafter")
    fences = [token for token in tokens if token.type == "fence"]
    assert [token.content for token in fences] == [text + "\n"]
    assert fences[0].info == "python"
    assert [token.content for token in tokens if token.type == "inline"] == ["before", "after"]


def test_fence_language_holds_no_markup():
    assert fence("x", "py\nthon `x`").split("\n")[0] == "```pythonx"


def test_link_cannot_be_ended_or_split():
    shown = link("https://e.org/a b\n>`x`\u202e\udc80(é)")
    assert shown == "<https://e.org/a%20b%0A%3E%60x%60%E2%80%AE%ED%B2%80(%C3%A9)>"


def test_what_is_no_web_address_is_no_link():
    assert link("javascript:alert(1)") == "`javascript:alert(1)`"


def test_long_text_says_how_much_is_left_out():
    assert shortened("abcdef", 4) == "abcd… (2 more characters)"
    assert len(path_span("x" * 5_000)) < 1_100
    assert len(escaped(span("\U000e0041" * 5_000))[0]) < 900


def test_words_of_our_own_hold_no_markup():
    assert word("lfs pointer c++ c# NDA6OWY-_") == "lfs pointer c++ c# NDA6OWY-_"
    assert word("a\n# `b`") == "`` a\\u000a# `b` ``"
