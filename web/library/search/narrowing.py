"""What narrows a search: paths as prefixes, folders, parts or globs, and languages by any name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from web.core.errors import InvalidInput
from web.library.globs import glob_of, is_glob
from web.library.indexing.languages import language_named
from web.library.search.query import Filters

Passes = Callable[[str, str], bool]
_LISTED = 30


@dataclass(frozen=True, slots=True)
class Narrowing:
    """The filters of one search, of its arguments and of its query together; hashable."""

    paths: tuple[str, ...] = ()
    excluded_paths: tuple[str, ...] = ()
    languages: frozenset[str] = frozenset()
    excluded_languages: frozenset[str] = frozenset()

    @property
    def is_empty(self) -> bool:
        """Whether everything passes."""
        return self == Narrowing()

    def passes(self) -> Passes:
        """Return the test of a path and a language: any of the paths, none of the excluded."""
        wanted = [_path_test(pattern) for pattern in self.paths]
        unwanted = [_path_test(pattern) for pattern in self.excluded_paths]

        def test(path: str, language: str) -> bool:
            if self.languages and language not in self.languages:
                return False
            if language in self.excluded_languages or any(each(path) for each in unwanted):
                return False
            return not wanted or any(each(path) for each in wanted)

        return test


def narrowing_of(
    filters: Filters, *, path: str | None, language: str | None, present: Mapping[str, int]
) -> Narrowing:
    """Return what the arguments `path` and `language` and the filters of the query ask for.

    `present` are the languages of the searched files. Raises InvalidInput for a language that none
    of them has, with the list, and for a path that is no glob.
    """
    languages = (*filters.languages, *([language] if language else ()))
    return Narrowing(
        paths=tuple(filter(None, (*filters.paths, *([path] if path else ())))),
        excluded_paths=filters.excluded_paths,
        languages=frozenset(found for name in languages for found in _languages(name, present)),
        excluded_languages=frozenset(
            found for name in filters.excluded_languages if (found := language_named(name))
        ),
    )


def _languages(name: str, present: Mapping[str, int]) -> list[str]:
    """Return the languages of searched files that a name means; TypeScript has two grammars."""
    meant = language_named(name) or name.strip().casefold()
    meant_all = [meant, "tsx"] if meant == "typescript" else [meant]
    if found := [each for each in meant_all if each in present]:
        return found
    known = ", ".join(list(present)[:_LISTED]) or "none"
    near = get_close_matches(meant, list(present), n=1)
    raise InvalidInput(
        f"No searched file is in the language {name[:60]!r}.",
        hint=(f"Did you mean {near[0]}? " if near else "") + f"Languages here: {known}.",
        fields={"language": "no searched file is in it"},
    )


def _path_test(pattern: str) -> Callable[[str], bool]:
    """Return the test of a path: a glob, a folder or file, or a part of the path."""
    plain = pattern.replace("\0", "\ufffd").removeprefix("./")
    if is_glob(plain):
        spec = glob_of(plain, argument="path")
        return spec.match_file
    whole = plain.strip("/")
    below = f"{whole}/"
    part = whole.casefold()

    def test(path: str) -> bool:
        return path == whole or path.startswith(below) or part in path.casefold()

    return test
