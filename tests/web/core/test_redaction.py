"""What is taken out of text before it is written down or repeated."""

import json
from urllib.parse import quote

import pytest

from web.accounts.secrets import access_token
from web.core.redaction import holds_a_token, redacted, without_tokens

OURS = access_token(None)
TOKENS = (
    OURS,
    "ghp_0123456789abcdefghijABCDEFGHIJ012345",
    "glpat-0123456789abcdefghij",
    "github_pat_11ABCDEFG0abcdefghijkl_0123456789",
)


@pytest.mark.parametrize("token", TOKENS, ids=lambda token: token[:4])
@pytest.mark.parametrize(
    "before",
    ["", " ", "/", '"', "key_", "é", "x", "7", "\n", "\t", "\x1b", "\u200b", "😀"],
    ids=ascii,
)
def test_token_is_taken_out_whatever_stands_before_it(token: str, before: str) -> None:
    text = before + token
    for spelling in (text, repr(text), ascii(text), json.dumps(text), quote(text), f"%20{text}"):
        assert holds_a_token(spelling)
        for clean in (redacted(spelling), without_tokens(spelling)):
            assert token.rsplit("_", maxsplit=1)[-1] not in clean, spelling
            assert clean.count("[redacted]") == 1


@pytest.mark.parametrize("escape", ["%20", "%0A", "\\n", "\\t", "\\x00", "\\u200b"])
def test_short_token_is_taken_out_behind_an_escape(escape: str) -> None:
    assert redacted(f"{escape}ptl_short77") == f"{escape}ptl_[redacted]"


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("GET https://a.example/feed?key=s3cret&x=1 404", "GET https://a.example/feed?{} 404"),
        ("site+https://a.example/llms.txt?s3cret", "site+https://a.example/llms.txt?{}"),
        ("'https://x:s3cret@a.example/b?c=s3cret#d'", "'https://{}@a.example/b?{}#d'"),
        ('{"url":"http://127.0.0.1:9/?a=s3cret"}', '{{"url":"http://127.0.0.1:9/?{}"}}'),
        ("Is https://a.example/b what you want? Yes", "Is https://a.example/b what you want? Yes"),
        ("what? https://a.example/b", "what? https://a.example/b"),
    ],
)
def test_query_of_an_address_is_taken_out(text: str, clean: str) -> None:
    assert redacted(text) == clean.format("[redacted]", "[redacted]")
    assert redacted(redacted(text)) == redacted(text)


@pytest.mark.parametrize(
    "text",
    [
        "crypto_aead_xchacha20poly1305_ietf_encrypt_detached_afternm",
        "highs_and_lows_of_a_very_long_name_in_some_code_base",
        "opto_electronics",
        "encrypto_Context",
        "scripti_x",
    ],
)
def test_word_of_code_stays(text: str) -> None:
    assert redacted(text) == text
    assert not holds_a_token(text)
