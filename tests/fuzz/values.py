"""Texts and JSON values that have broken servers: what all cases are made of."""

import string
from typing import Any, Final

from hypothesis import strategies as st

PATHS: Final = (
    "../../etc/passwd",
    "/etc/passwd",
    "a/../../b",
    "..%2f..%2fetc/passwd",
    "C:\\x",
    ".git/config",
    "./",
    "//",
    "a//b",
    "guards/",
    "/guards/tokens.py",
    "x" * 5000,
    "a/" * 3000,
    "[",
    "**",
    "**/*",
    "{a,b}",
    "!x",
    "\\",
    "*" * 200,
    "?" * 200,
    "[!a-",
)
PATTERNS: Final = (
    "(a+)+$",
    "(a|a)*b",
    "(",
    "[",
    "\\",
    "(?R)",
    "(?P<x>a)(?P=x)",
    "a{1000}{1000}",
    "(?i)(?s).*",
    "\\p{L}+",
    "\\x{110000}",
    "^$",
    ".",
    "x*",
    "(?<=a)b",
    "|" * 500,
    "(" * 400 + ")" * 400,
    "\\Q",
    "\\C",
)
QUERIES: Final = (
    "POL-358",
    "multi-agent",
    "don't",
    "grammar::fa",
    'a"b',
    '"',
    "AND",
    "NOT",
    "foo AND",
    "-x",
    "C++",
    "user:",
    "symbol:make_token",
    "path:*.py lang:python",
    "NEAR(a b, 5)",
    "a*",
    "^a",
    "{a b}: c",
    "%",
    "_",
    "foo OR (bar",
    "re:/(/",
    "'; DROP TABLE x; --",
    "' OR 1=1 --",
    "words " * 200,
)
REFS: Final = (
    "--output=portolan-fuzz-output",
    "-O",
    "--upload-pack=x",
    "HEAD --",
    "@{-1}",
    "main:..",
    "HEAD^{/x}",
    "HEAD~99999999999",
    "refs/heads/main",
    "main@{1 year ago}",
    ":/First",
    "..",
    "0" * 40,
    "f" * 64,
)
ODD: Final = (
    "",
    " ",
    "\0",
    "a\0b",
    "\ud800",
    "a\udfffb",
    "\n",
    "a\r\nb",
    "\x1b[31mred",
    "\x85",
    "\u2028\u2029",
    "\u202egnp.exe",
    "\u200b\ufeff",
    "\U000e0041\U000e0042",
    "\uffff",
    "é" * 300,
    "\N{WORLD MAP}",
    "```\n# heading\n```",
    "<script>alert(1)</script>",
    "{{ 7 * 7 }}",
    "${jndi:ldap://x}",
    "%s%n%x",
    "{0.__class__}",
    "null",
    "true",
    "NaN",
    "-1",
    "1e400",
    "9" * 5000,
    "٣",
    "0x10",
    "1_000",
    "\uff11",
    "[1,",
    '["a"]',
    "[" * 3000,
    '{"a":' * 500,
    '["\\ud800"]',
    "[NaN]",
    "[" + "9" * 5000 + "]",
    "2026-02-30",
    "2026-11-30T23:30:00Z",
    "0000-00-00",
    "99999-01-01",
    "2026-11-30T25:61:61+99:99",
    "25:00:00",
    "P1D",
    "Bearer x",
)
TEXTS: Final = (*PATHS, *PATTERNS, *QUERIES, *REFS, *ODD)
NUMBERS: Final = (
    0,
    -1,
    1,
    2,
    20,
    500,
    2**31,
    2**53 + 1,
    2**63 - 1,
    2**63,
    2**64,
    -(2**63) - 1,
    10**30,
    10**308,
    10**400,
    10**4299,
    0.5,
    -0.0,
    1.0,
    5.5,
    1e308,
    5e-324,
)


def texts() -> st.SearchStrategy[str]:
    """Texts: hostile ones, any Unicode, plain words, long ones."""
    return st.one_of(
        st.sampled_from(TEXTS),
        st.text(max_size=30),
        st.text(
            st.sampled_from(string.ascii_letters + string.digits + " ._-/:*\"'()[]"), max_size=40
        ),
        st.builds(
            lambda text, times: text * times, st.text(min_size=1, max_size=4), st.integers(1, 3000)
        ),
    )


def scalars() -> st.SearchStrategy[Any]:
    """Scalars of JSON, numbers beyond every machine type included."""
    return st.one_of(
        st.none(),
        st.booleans(),
        st.sampled_from(NUMBERS),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        texts(),
    )


def values() -> st.SearchStrategy[Any]:
    """Any JSON value, most of them small."""
    return st.one_of(
        scalars(),
        st.recursive(
            scalars(),
            lambda inner: st.one_of(
                st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=8), inner, max_size=4)
            ),
            max_leaves=6,
        ),
        st.integers(1, 200).map(nested),
    )


def nested(levels: int) -> Any:
    """A value of that many lists and objects in one another."""
    value: Any = 1
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value
