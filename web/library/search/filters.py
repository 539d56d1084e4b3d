"""Filters on paths and languages, from arguments and from the query, as one test of an entry."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from web.core.errors import InvalidInput
from web.core.limits import LIMITS
from web.library.globs import glob_of, is_glob
from web.library.indexing.languages import language_named
from web.library.search.query import Filters

type PathTest = Callable[[str], bool]

# Languages that people mean together.
_FAMILIES = {"typescript": frozenset({"typescript", "tsx"})}
_LISTED_LANGUAGES = 30


@dataclass(frozen=True, slots=True)
class EntryTest:
    """Says of a path and a language whether they pass all filters."""

    paths: tuple[PathTest, ...]
    excluded_paths: tuple[PathTest, ...]
    languages: frozenset[str] | None
    excluded_languages: frozenset[str]

    def __call__(self, path: str, language: str) -> bool:
        """Return whether an entry passes: every path filter, one of the languages."""
        if self.languages is not None and language not in self.languages:
            return False
        if language in self.excluded_languages:
            return False
        return all(test(path) for test in self.paths) and not any(
            test(path) for test in self.excluded_paths
        )


def entry_test(
    *,
    path: str | None,
    language: str | None,
    filters: Filters,
    known_languages: Callable[[], Mapping[str, int]],
) -> EntryTest | None:
    """Return the test that arguments and query ask for, None when they ask for nothing.

    The argument `path` is a folder, a file, the beginning of a path or a glob; a filter in the
    query is a part of a path or a glob. Raises InvalidInput for a glob that is none, and, with
    the languages there are, for a language that no file is in.
    """
    languages = [language] if language and language.strip() else []
    wanted = [*languages, *filters.languages]
    paths = [_path_test(path)] if path and path.strip("/. ") else []
    paths += [_query_path_test(pattern) for pattern in filters.paths]
    excluded_paths = [_query_path_test(pattern) for pattern in filters.excluded_paths]
    if not (wanted or paths or excluded_paths or filters.excluded_languages):
        return None
    argument = "language" if languages else "query"
    return EntryTest(
        paths=tuple(paths),
        excluded_paths=tuple(excluded_paths),
        languages=_languages(wanted, known_languages(), argument) if wanted else None,
        excluded_languages=frozenset().union(
            *(_family(language_named(name) or name) for name in filters.excluded_languages)
        ),
    )


def _languages(names: Sequence[str], known: Mapping[str, int], argument: str) -> frozenset[str]:
    wanted: frozenset[str] = frozenset()
    for name in names:
        family = _family(language_named(name)) & known.keys()
        if not family:
            listed = ", ".join(list(known)[:_LISTED_LANGUAGES]) or "none"
            raise InvalidInput(
                f"No indexed file is in the language {name[:40]!r}.",
                hint=f"Languages here, most files first: {listed}.",
                fields={argument: "no file is in this language"},
            )
        wanted |= family
    return wanted


def _family(language: str) -> frozenset[str]:
    return _FAMILIES.get(language, frozenset({language}))


def _path_test(path: str) -> PathTest:
    cleaned = _checked(path, "path").removeprefix("./").lstrip("/")
    begins = partial(_begins_with, cleaned)
    if is_glob(cleaned):
        matches = _glob_test(cleaned, "path")
        return lambda path: matches(path) or begins(path)  # a path may hold such signs itself
    return begins


def _query_path_test(pattern: str) -> PathTest:
    cleaned = _checked(pattern, "query").removeprefix("./")
    if is_glob(cleaned):
        return _glob_test(cleaned, "query")
    return partial(_holds, cleaned.lower().strip("/"))


def _checked(path: str, argument: str) -> str:
    if "\0" in path or len(path) > LIMITS.max_path_characters:
        raise InvalidInput(
            "The path holds a NUL character or is too long.",
            hint="Give a folder such as src/app, or a glob such as **/*.py.",
            fields={argument: f"at most {LIMITS.max_path_characters} characters, no NUL"},
        )
    return path.strip()


def _begins_with(start: str, path: str) -> bool:
    return path.startswith(start)


def _holds(part: str, path: str) -> bool:
    return part in path.lower()


def _glob_test(pattern: str, argument: str) -> PathTest:
    return glob_of(pattern, argument=argument).match_file
