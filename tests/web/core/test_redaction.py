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
