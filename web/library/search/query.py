"""How a query is read: words, phrases, names, filters. Nothing of it reaches an engine as syntax.

Queries are literal. What is understood besides: "quoted phrases", and filters as people write them
for other search engines (`symbol:`, `path:`, `file:`, `language:`, `lang:`, `ext:`, `repo:`, with a
minus in front to exclude, and globs such as `*.py`). What an engine elsewhere would do and this one
does not, above all regular expressions, is searched for literally and said so.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from web.core.errors import InvalidInput
from web.core.limits import LIMITS
from web.library.indexing.languages import language_of
from web.library.search.phrases import around_gaps, compounds_in, fragments_of, quoted_phrases
from web.library.search.tokens import WORD, phrase_tokens, query_tokens

MAX_NAMES = 4
MAX_FILTERS = 10
TOGETHER = "the quoted words stand together exactly so"
NOT_INDEXED = (
    "is not indexed as a word, for it is in nearly every text or very long: only definitions and "
    "files of that name are looked for."
)

_FILTER = re.compile(
    r"""(?<!\S)(?P<minus>-?)(?P<key>[A-Za-z]+):(?P<value>"[^"]*"|(?!:)[^\s"]\S*)""",
)
_FILTER_KINDS = {
    "symbol": "symbol",
    "sym": "symbol",
    "def": "symbol",
    "definition": "symbol",
    "path": "path",
    "file": "path",
    "filename": "path",
    "folder": "path",
    "dir": "path",
    "lang": "language",
    "language": "language",
    "ext": "extension",
    "extension": "extension",
    "repo": "repository",
    "repository": "repository",
}
_FOREIGN_KEYS = frozenset(
    [
        "author",
        "branch",
        "case",
        "class",
        "content",
        "count",
        "context",
        "f",
        "fork",
        "func",
        "function",
        "is",
        "in",
        "license",
        "method",
        "org",
        "patterntype",
        "r",
        "rev",
        "select",
        "size",
        "sort",
        "timeout",
        "type",
        "user",
        "visibility",
    ]
)
_GLOB_WORD = re.compile(r"(?<!\S)(?=\S*\*)(?=\S*[./])[\w.*?/{},\[\]-]+(?!\S)")
# Between the parts of a name; a backslash where PHP has it: `\w` is of regular expressions.
_BETWEEN = r"(?:\.|::|->|#|\\(?=[A-Z][a-z]))"
_NAME = re.compile(rf"\\?[A-Za-z_$][\w$]*(?:{_BETWEEN}[A-Za-z_$~][\w$]*)*(?:\(\))?\*?")
_NAME_IN_PROSE = re.compile(rf"(?<![\w$])[A-Za-z_$][\w$]*(?:{_BETWEEN}[A-Za-z_$][\w$]*)*")
_FILE = re.compile(r"(?:[\w@.+-]+/)*[\w@+-][\w@.+-]*\.[A-Za-z][\w+]{0,9}|(?:[\w@.+-]+/)+[\w@.+-]*")
_LOOKS_LIKE_CODE = re.compile(r"[a-z][A-Z]|\w_\w|^_\w|[A-Z]{2}.*[a-z]|::|->|\\|\w\.[a-z]+\w*\(")
_SLASHED = re.compile(r"\s*/(?P<inside>.+)/[imsxg]*\s*")
_REGULAR_EXPRESSION = re.compile(
    r"""[\w)\]]?\.[*+](?:\?|\w|$|\s|[(\[\\])|\\[bBdDwWsS.()\[\]{}*+?|^$]|\[\^?[^\]\s]*\w-\w[^\]\s]*\]"""
    r"""|\([^()]*\w\|\w[^()]*\)|\(\?[:=!<iP]|^\^\w|\w\$$|\w\|\w"""
)
_OPERATOR = re.compile(r"(?<!\S)(?:AND|OR|NOT)(?!\S)")
_WITHOUT_VALUE = re.compile(r"(?<!\S)-?(symbol|path|lang|language|ext|repo):(?!\S)")
_EXCLUDED_WORD = re.compile(r"(?<!\S)-(\w\S*)")


@dataclass(frozen=True, slots=True)
class Filters:
    """What narrows a search besides its words. Patterns are prefixes, folders, parts or globs."""

    paths: tuple[str, ...] = ()
    excluded_paths: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    excluded_languages: tuple[str, ...] = ()
    repositories: tuple[str, ...] = ()
    excluded_repositories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """A query as it was read.

    `text` is what is searched for after filters were taken out. `names` are the identifiers in it,
    the most wanted first; without `tokens` nothing else is searched for. `is_name` says that it is
    nothing but one. `symbols` were asked for as definitions. `phrases` have to stand in the text as
    they are; `fragments` are what may stand so where the query is a message with something filled
    in, `gapped` the neighbours in one when what it encloses is left out. `compounds` are further
    tokens that count where a text has them. `file` is the whole query where it is the end of a
    path.
    """

    text: str
    tokens: tuple[str, ...]
    compounds: tuple[str, ...] = ()
    fragments: tuple[tuple[str, ...], ...] = ()
    gapped: tuple[tuple[str, str], ...] = ()
    names: tuple[str, ...] = ()
    is_name: bool = False
    symbols: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    file: str = ""
    filters: Filters = field(default_factory=Filters)
    interpretation: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()

    @property
    def words(self) -> frozenset[str]:
        """All tokens of the query, stop words too."""
        return frozenset(phrase_tokens(self.text))


def parse_query(text: str, *, argument: str = "query") -> Query:
    """Read a query. Raises InvalidInput for one that is empty, too long or without a word.

    `argument` is what the caller calls it.
    """
    _check(text, argument)
    remaining, filters, symbols, notes = _without_filters(text)
    remaining, pattern_hints = _read_foreign_syntax(remaining)
    remaining = " ".join(remaining.split())
    phrases = quoted_phrases(remaining)
    plain = " ".join(remaining.replace('"', " ").split())
    searched = " ".join([plain, *symbols]).strip()
    tokens = query_tokens(searched)
    is_file = _is_file(plain)
    names = tuple(dict.fromkeys([*symbols, *(() if is_file else _names_in(plain))]))[:MAX_NAMES]
    if not tokens:
        if not (names or is_file):
            raise _nothing_to_find(searched, filters, argument)
        pattern_hints.append(f"{searched!r} {NOT_INDEXED}")
    if phrases:
        notes.append(TOGETHER)
    return Query(
        text=searched,
        tokens=tokens,
        compounds=compounds_in(remaining),
        fragments=fragments_of(remaining),
        gapped=around_gaps(remaining),
        names=names,
        is_name=bool(_NAME.fullmatch(searched)) and not is_file,
        symbols=symbols,
        phrases=phrases,
        file=plain.removeprefix("./").lstrip("/") if is_file else "",
        filters=filters,
        interpretation=tuple(notes),
        hints=tuple(pattern_hints),
    )


def _check(text: str, argument: str) -> None:
    if "\0" in text:
        raise InvalidInput(
            f"The {argument} holds a NUL character.",
            hint="Send the query as plain text.",
            fields={argument: "must not hold NUL characters"},
        )
    if not text.strip():
        raise InvalidInput(
            f"The {argument} is empty.",
            hint="Say what to look for: words, a name, or a part of one.",
            fields={argument: "must not be empty"},
        )
    if len(text) > LIMITS.max_query_characters:
        raise InvalidInput(
            f"The {argument} has {len(text):,} characters; at most {LIMITS.max_query_characters:,} "
            "are read.",
            hint="Keep the rarest words, or one line of the text.",
            fields={argument: f"at most {LIMITS.max_query_characters} characters"},
        )


def _nothing_to_find(searched: str, filters: Filters, argument: str) -> InvalidInput:
    if WORD.search(searched):
        return InvalidInput(
            f"The {argument} has only words that are in nearly every text; they are not indexed.",
            hint="Add a word that tells more; grep_code finds any text.",
            fields={argument: "holds only words that are not indexed"},
        )
    if filters != Filters():
        return InvalidInput(
            f"The {argument} has filters but nothing to look for.",
            hint="Add a word, or list the files with list_files.",
            fields={argument: "holds only filters"},
        )
    return InvalidInput(
        f"The {argument} has no letter or digit to look for.",
        hint="Search is by words; grep_code finds punctuation.",
        fields={argument: "holds no word"},
    )


def _without_filters(text: str) -> tuple[str, Filters, tuple[str, ...], list[str]]:
    """Take the filters out: what remains, the filters, the symbols asked for, and what was read."""
    found: dict[str, list[str]] = {}
    notes: list[str] = []

    def take(kind: str, value: str, written: str, *, excluded: bool) -> str:
        if sum(map(len, found.values())) >= MAX_FILTERS or (kind == "symbol" and excluded):
            return written
        name = f"-{kind}" if excluded else kind
        found.setdefault(name, []).append(value)
        notes.append(f"{'not ' if excluded else ''}{kind}: {value}")
        return " "

    def take_filter(match: re.Match[str]) -> str:
        kind = _FILTER_KINDS.get(match["key"].lower())
        value = match["value"].strip('"').strip()
        if kind == "symbol":
            value = value.strip("*")  # a name is found by its beginning and its parts anyway
        if kind is None or not value:
            return match[0]
        if kind == "extension":
            kind, value = "path", f"*.{value.lstrip('.*')}"
        return take(kind, value, match[0], excluded=bool(match["minus"]))

    remaining = _FILTER.sub(take_filter, text)
    remaining = _GLOB_WORD.sub(lambda m: _take_glob(m[0], take), remaining)
    filters = Filters(
        paths=tuple(found.get("path", ())),
        excluded_paths=tuple(found.get("-path", ())),
        languages=tuple(found.get("language", ())),
        excluded_languages=tuple(found.get("-language", ())),
        repositories=tuple(found.get("repository", ())),
        excluded_repositories=tuple(found.get("-repository", ())),
    )
    return remaining, filters, tuple(found.get("symbol", ())), notes


def _take_glob(word: str, take: Callable[..., str]) -> str:
    if ".*" in word and not word.startswith("*") and "/" not in word:
        return word  # of a regular expression
    return take("path", word, word, excluded=False)


def _read_foreign_syntax(text: str) -> tuple[str, list[str]]:
    """Find what other engines would take as syntax: the words to search for, and hints."""
    hints: list[str] = []
    slashed = _SLASHED.fullmatch(text)
    if slashed and ("/" not in slashed["inside"] or _REGULAR_EXPRESSION.search(slashed["inside"])):
        text = slashed["inside"]
        hints.append(_regular_expression_hint(text))
    elif _REGULAR_EXPRESSION.search(text):
        hints.append(_regular_expression_hint(text.strip()))
    if _OPERATOR.search(text) and WORD.search(_OPERATOR.sub(" ", text)):
        text = _OPERATOR.sub(" ", text)
        hints.append(
            "AND, OR and NOT are not operators here: files with more of the words come first."
        )
    if excluded := _EXCLUDED_WORD.findall(text):
        hints.append(f"-{excluded[0]} does not exclude here; -path: and -language: exclude files.")
    foreign = [key for key in re.findall(r"(?<!\S)([a-z]+):(?!:)\S", text) if key in _FOREIGN_KEYS]
    if foreign:
        hints.append(
            f"{foreign[0]}: is not a filter here and was searched for as a word; "
            "there are symbol:, path:, language: and repo:."
        )
    if spaced := _WITHOUT_VALUE.search(text):
        hints.append(
            f"{spaced[1]}: is a filter with its value right behind it, as in {spaced[1]}:value."
        )
    return text, hints


def _regular_expression_hint(pattern: str) -> str:
    return (
        "This looks like a regular expression; search_code takes the words in it literally. "
        f"For the pattern use grep_code with pattern={pattern!r}."
    )


def _is_file(text: str) -> bool:
    """Say whether a text is a file name of a known language, or a path."""
    return bool(_FILE.fullmatch(text.lstrip("/"))) and ("/" in text or bool(language_of(text)))


def _names_in(text: str) -> list[str]:
    """Return the identifiers in a text: the whole of it if it is one, else what looks like code."""
    if _NAME.fullmatch(text):
        return [text.rstrip("*").removesuffix("()")]
    return [name for name in _NAME_IN_PROSE.findall(text) if _LOOKS_LIKE_CODE.search(name)]


def without_phrases(query: Query) -> Query:
    """Return the query with its quotes ignored."""
    return replace(
        query, phrases=(), fragments=fragments_of(query.text), gapped=around_gaps(query.text)
    )
