"""What a path alone says about how likely a file is what was asked for.

Tests, release notes and generated boilerplate repeat the words of what they speak of, so they
count less unless the query asks for them.
"""

import re
from functools import lru_cache

_TEST = re.compile(
    r"(?:^|/)(?:tests?|testing|__tests__|specs?|testdata|test_utils|tests?_data|e2e|fixtures?)(?:/|$)"
    r"|(?:^|/)(?:test_[^/]*|[^/]*_test|tests?|conftest)\.\w+$|[._](?:test|spec)\.[cm]?[jt]sx?$"
    r"|(?:^|/)[^/]*Tests?\.(?:java|kt|cs|php|swift)$",
)
_SIDE = re.compile(
    r"(?:^|/)(?:locale|locales|migrations|legacy|dist|build|benchmarks?|examples?|samples?|changelog"
    r"|news)(?:/|$)|(?:^|/)(?:conf\.py|setup\.py)$",
    re.IGNORECASE,
)
_RELEASE_NOTES = re.compile(
    r"(?:^|/)(?:releases?|release[-_]notes|whatsnew|changelogs?|news|history|changes)(?:/|\.|$)",
    re.IGNORECASE,
)
_NOT_SOURCE = re.compile(
    r"\.(?:html?|css|scss|less|json|xml|txt|cfg|ini|toml|ya?ml|csv|tsv|svg|in|po|sql|ipynb)$",
    re.IGNORECASE,
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
    ["example", "examples", "migration", "migrations", "benchmark", "locale", "setup", "sample"]
)

TEST_FACTOR = 0.45
SIDE_FACTOR = 0.6
NOT_SOURCE_FACTOR = 0.7
RELEASE_NOTES_FACTOR = 0.5


@lru_cache(maxsize=50_000)
def _kinds_of(path: str) -> tuple[bool, bool, bool, bool]:
    return (
        bool(_TEST.search(path)),
        bool(_SIDE.search(path)),
        bool(_NOT_SOURCE.search(path)),
        bool(_RELEASE_NOTES.search(path)),
    )


def code_prior(path: str, words: frozenset[str]) -> float:
    """Return a factor of at most 1 for a file of code, given the words of the query."""
    is_test, is_side, is_not_source, _ = _kinds_of(path)
    factor = 1.0
    if is_test and words.isdisjoint(_TEST_WORDS):
        factor *= TEST_FACTOR
    if is_side and words.isdisjoint(_SIDE_WORDS):
        factor *= SIDE_FACTOR
    if is_not_source:
        factor *= NOT_SOURCE_FACTOR
    return factor


def document_prior(path: str, words: frozenset[str]) -> float:
    """Return a factor of at most 1 for a document, given the words of the query."""
    _, _, _, is_release_note = _kinds_of(path)
    if is_release_note and words.isdisjoint(_RELEASE_WORDS):
        return RELEASE_NOTES_FACTOR
    return 1.0
