"""Every line of a repository that matches a regular expression.

The engine is re2: linear in the length of the text, whatever the pattern, so no caller can hold a
thread with one. Files are read from the mirror in the order of their paths; a page ends when it has
enough files or its time is over, and its cursor goes on with the next file.
"""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass

import re2
from django.db.models import QuerySet
from pathspec import GitIgnoreSpec

from web.accounts.principals import Principal
from web.core.errors import InvalidInput, TooLarge, Unavailable
from web.core.limits import LIMITS
from web.core.paging import check_limit, cursor_for, offset_of
from web.core.transactions import read_transaction
from web.library.git.objects import ObjectStore
from web.library.globs import glob_of, is_glob
from web.library.indexing.decode import decoded_as, lines_of
from web.library.models import Entry, Ref
from web.library.records.code import MatchingFile, PatternMatches
from web.library.selectors.entries import entries_below, folder_of
from web.library.selectors.links import file_url
from web.library.selectors.refs import freshness_of, ref_for, repository_for
from web.library.selectors.skipped import not_indexed

_MEMORY_BYTES = 8 * 1024 * 1024
# What means another place in a whole text than in a line: \A, \z, and (?-m), which undoes (?m).
_OF_ONE_LINE = re.compile(r"\\[Az]|\(\?\w*-")
_LINE_BREAK = re.compile(r"\n|(?<!\\)(?:\\\\)*+\\n")


@dataclass(frozen=True, slots=True)
class _File:
    oid: str
    path: str
    language: str
    encoding: str


@read_transaction()
def lines_matching(
    *,
    principal: Principal,
    repository: str,
    pattern: str,
    path: str | None = None,
    ignore_case: bool = False,
    ref: str | None = None,
    limit: int = LIMITS.default_search_limit,
    cursor: str | None = None,
) -> PatternMatches:
    """Return a page of the files with lines that match `pattern`, in the syntax of re2.

    `path` is a folder, a file or a glob; `limit` counts files, of each at most
    LIMITS.max_grep_lines lines are shown. Raises InvalidInput for a pattern that re2 does not take,
    for a ref that is not indexed and for a cursor of other arguments.
    """
    found = repository_for(principal, repository)
    at = ref_for(found, ref)
    check_limit(limit, most=LIMITS.max_search_limit)
    expression = _compiled(pattern, ignore_case=ignore_case)
    filters = {
        "repository": repository,
        "pattern": pattern,
        "path": path,
        "ignore_case": ignore_case,
        "commit": at.commit if at else "",
    }
    start = offset_of(cursor, filters=filters)
    files, skipped = _files(at, path) if at else ([], [])
    matching: list[MatchingFile] = []
    unreadable = 0
    position = start
    ends_at = time.monotonic() + LIMITS.grep_seconds
    store = ObjectStore(found.pk)
    while position < len(files) and len(matching) < limit and time.monotonic() < ends_at:
        file = files[position]
        position += 1
        try:
            lines = _matching_lines(store, file, expression)
        except (Unavailable, TooLarge):
            unreadable += 1
            continue
        if lines:
            shown = tuple(_shortened(*line) for line in lines[: LIMITS.max_grep_lines])
            url = file_url(
                found.url, commit=at.commit if at else "", path=file.path, start_line=shown[0][0]
            )
            matching.append(MatchingFile(file.path, file.language, shown, len(lines), url))
    more = position < len(files)
    hints = []
    if at and not files:
        hints.append(_nothing_there(path, skipped))
    elif not matching and _LINE_BREAK.search(pattern):
        hints.append(
            "The pattern is tried on each line by itself: a line break is in none of them."
        )
    return PatternMatches(
        files=tuple(matching),
        searched_count=position,
        file_count=len(files),
        skipped_count=len(skipped),
        unreadable_count=unreadable,
        next_cursor=cursor_for(offset=position, filters=filters) if more else None,
        freshness=freshness_of(found, at),
        hints=tuple(hints),
    )


@dataclass(frozen=True, slots=True)
class _Expression:
    """A pattern as automata over UTF-8: of one line, and of any line of a whole text.

    `of_text` is None where the pattern can only be tried line by line.
    """

    of_line: "re2._Regexp[bytes]"
    of_text: "re2._Regexp[bytes] | None"

    def lines_in(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield the matching lines of a text with their numbers."""
        if self.of_text is not None and "\r" not in text and not _found(self.of_text, text):
            return
        for number, line in enumerate(lines_of(text), 1):
            if _found(self.of_line, line):
                yield number, line


def _found(expression: "re2._Regexp[bytes]", text: str) -> bool:
    return expression.search(text.encode("utf-8", "replace")) is not None


def _compiled(pattern: str, *, ignore_case: bool) -> _Expression:
    options = re2.Options()
    options.case_sensitive = not ignore_case
    options.max_mem = _MEMORY_BYTES
    options.log_errors = False
    try:
        source = pattern.encode()
        whole = None if _OF_ONE_LINE.search(pattern) else b"(?m)" + source
        return _Expression(
            re2.compile(source, options=options),
            whole and re2.compile(whole, options=options),
        )
    except (re2.error, UnicodeEncodeError) as error:
        reason = error.args[0] if error.args else ""
        reason = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise InvalidInput(
            f"The pattern is not a regular expression of RE2: {reason[:200]}.",
            hint="RE2 has no look-around and no back-references; write \\( for a bracket. "
            "For a text as it stands use search_code with the text in double quotes.",
            fields={"pattern": "not a regular expression of RE2"},
        ) from error


def _files(ref: Ref, path: str | None) -> tuple[list[_File], list[tuple[str, str]]]:
    """Return the indexed files of a folder, a file or a glob by path, and the other ones.

    Those are paths with the reason why they are not indexed.
    """
    entries, spec = _meant(ref, path)
    rows = entries.order_by("path__path").values_list(
        *("revision__oid", "path__path", "revision__language"),
        *("revision__content__encoding", "revision__skip_reason"),
    )
    files: list[_File] = []
    skipped: list[tuple[str, str]] = []
    for oid, name, language, encoding, reason in rows:
        if spec is not None and not spec.match_file(name):
            continue
        if encoding is None:  # no content
            skipped.append((name, reason))
        else:
            files.append(_File(oid, name, language, encoding))
    return files, skipped


def _meant(ref: Ref, path: str | None) -> tuple[QuerySet[Entry], GitIgnoreSpec | None]:
    """Return the entries to look at, and the glob that chooses among them.

    What is there under the very name is meant, also where that looks like a glob.
    """
    entries = Entry.objects.filter(ref=ref)
    folder = folder_of(path)
    if not folder:
        return entries, None
    named = entries_below(ref, folder) | entries.filter(path__path=folder)
    if path and is_glob(path) and not named.exists():
        return entries, glob_of(path, argument="path")
    return named, None


def _nothing_there(path: str | None, skipped: list[tuple[str, str]]) -> str:
    if skipped:
        return not_indexed(skipped)
    return f"No file is at {path!r}: list_files shows the paths." if path else "There are no files."


def _matching_lines(
    store: ObjectStore, file: _File, expression: _Expression
) -> list[tuple[int, str]]:
    text = decoded_as(store.blob(file.oid), file.encoding)
    return list(expression.lines_in(text))


def _shortened(number: int, line: str) -> tuple[int, str]:
    """Return a line as it is shown: of a very long one its start, and how much more there is."""
    left = len(line) - LIMITS.max_line_characters
    if left <= 0:
        return number, line
    return number, f"{line[: LIMITS.max_line_characters]}… ({left} more characters)"
