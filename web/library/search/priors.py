"""What a path alone says about how likely a file is what was asked for.

Tests, release notes and generated boilerplate repeat the words of what they speak of, so they
count less unless the query asks for them.
"""

import re
from functools import lru_cache
from typing import NamedTuple

_TEST = re.compile(
    r"(?:^|/)(?:[Tt]ests?|t|testing|__tests__|__mocks__|specs?|testdata|test_(?:utils|helpers|files)"
    r"|tests?_data|e2e|fixtures?|[\w-]+-tests?)(?:/|$)"
    r"|(?:^|/)(?:test_[^/]*|[^/]*_(?:test|spec)|tests?|conftest)\.\w+$|[._-](?:test|spec)(?:-d)?\.[cm]?[jt]sx?$"
    r"|(?:^|/)[^/]*Tests?\.(?:java|kt|cs|php|swift)$",
)
_SIDE = re.compile(
    r"(?:^|/)(?:locale|locales|migrations|legacy|dist|build|bench(?:es|marks?)?|__benchmarks__"
    r"|examples?|samples?|demos?|docs?_src|changelog|news|\.github|\.circleci|\.gitlab)(?:/|$)"
    r"|(?:^|/)(?:conf\.py|setup\.py|configure)$",
    re.IGNORECASE,
)
# Other projects' code that is kept along; what is always such is not indexed at all.
_BUNDLED = re.compile(r"(?:^|/)(?:deps|externals?|extern|bundled)/([^/]+)", re.IGNORECASE)
_RELEASE_NOTES = re.compile(
    r"(?:^|[/\d._-])(?:releases?|release[-_]?notes?|relnotes|whats[-_]?new|changelogs?|changes|news"
    r"|history|upgrad(?:e|ing)|[\d.][-_]announcement)(?:[/._-]|$)",
    re.IGNORECASE,
)
_NOT_SOURCE = re.compile(
    r"\.(?:html?|css|scss|less|json|xml|txt|cfg|ini|toml|ya?ml|csv|tsv|svg|in|po|sql|ipynb)$",
    re.IGNORECASE,
)
# What is declared there stands elsewhere; only the comments on it are long.
_DECLARATIONS = re.compile(r"\.(?:h|hh|hpp|hxx|pyi|d\.[cm]?ts)$")
_LANGUAGE = (
    r"(?:ar|az|bg|bn|ca|cs|da|de|el|es|et|fa|fi|fr|he|hi|hr|hu|id|it|ja|jp|kk|ko|kr|lt|lv|mn|nb|nl"
    r"|pl|pt|ro|ru|sk|sl|sq|sr|sv|ta|th|tr|uk|ur|uz|vi|yo|zh|cn|tw)(?:[-_](?:[a-z]{2}|han[st]))?"
)
_TRANSLATION = re.compile(
    rf"(?:^|/){_LANGUAGE}/|\.{_LANGUAGE}\.\w+$|(?:^|/)readme[._-]{_LANGUAGE}\.\w+$", re.IGNORECASE
)
_TEST_WORDS = frozenset({"test", "tests", "testing", "fixture", "spec"})
_RELEASE_WORDS = frozenset(
    [
        "release",
        "releases",
        "released",
        "changelog",
        "upgrade",
        "upgrading",
        "new",
        "changed",
        "deprecated",
        "removed",
    ]
)
_SIDE_WORDS = frozenset(
    [
        *("example", "examples", "migration", "migrations", "benchmark", "locale", "setup"),
        *("sample", "demo", "configure", "github", "workflow"),
    ]
)

TEST_FACTOR = 0.45
SIDE_FACTOR = 0.6
BUNDLED_FACTOR = 0.6
NOT_SOURCE_FACTOR = 0.7
DECLARATIONS_FACTOR = 0.8
RELEASE_NOTES_FACTOR = 0.5
TRANSLATION_FACTOR = 0.5


class _Kinds(NamedTuple):
    """What a path says of a file; `bundled` is the project that it belongs to, if another."""

    is_test: bool
    is_side: bool
    is_not_source: bool
    has_declarations: bool
    is_release_note: bool
    is_translation: bool
    bundled: str


@lru_cache(maxsize=50_000)
def _kinds_of(path: str) -> _Kinds:
    bundled = _BUNDLED.search(path)
    return _Kinds(
        is_test=bool(_TEST.search(path)),
        is_side=bool(_SIDE.search(path)),
        is_not_source=bool(_NOT_SOURCE.search(path)),
        has_declarations=bool(_DECLARATIONS.search(path)),
        is_release_note=bool(_RELEASE_NOTES.search(path)),
        is_translation=bool(_TRANSLATION.search(path)),
        bundled=bundled[1].lower() if bundled else "",
    )


def code_prior(path: str, words: frozenset[str]) -> float:
    """Return a factor of at most 1 for a file of code, given the words of the query."""
    kinds = _kinds_of(path)
    factor = _bundled_factor(kinds, words)
    if kinds.is_test and words.isdisjoint(_TEST_WORDS):
        factor *= TEST_FACTOR
    if kinds.is_side and words.isdisjoint(_SIDE_WORDS):
        factor *= SIDE_FACTOR
    if kinds.is_not_source:
        factor *= NOT_SOURCE_FACTOR
    if kinds.has_declarations:
        factor *= DECLARATIONS_FACTOR
    return factor


def document_prior(path: str, words: frozenset[str]) -> float:
    """Return a factor of at most 1 for a document, given the words of the query."""
    kinds = _kinds_of(path)
    factor = _bundled_factor(kinds, words)
    if kinds.is_release_note and words.isdisjoint(_RELEASE_WORDS):
        factor *= RELEASE_NOTES_FACTOR
    if kinds.is_translation:
        factor *= TRANSLATION_FACTOR
    return factor


def _bundled_factor(kinds: _Kinds, words: frozenset[str]) -> float:
    return BUNDLED_FACTOR if kinds.bundled and kinds.bundled not in words else 1.0
