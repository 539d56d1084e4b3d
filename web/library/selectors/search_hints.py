"""What an answer of search says besides what was found: what was searched, and what to try."""

from collections.abc import Iterable, Sequence

from web.library.search.absent import absent_words
from web.library.search.backends import backend
from web.library.search.definitions import FoundDefinitions, names_like
from web.library.search.query import Query
from web.library.search.ranking import Ranking
from web.library.search.scope import Scope
from web.library.selectors.skipped import skipped_hint

_MANY_WORDS = 5
_SHORT_COMMIT = 8


def code_hints(
    query: Query, ranking: Ranking, scope: Scope, *, whole: Scope, shown: Iterable[str]
) -> tuple[str, ...]:
    """Return the hints of a search in code.

    `whole` is the scope without filters; `shown` are the texts and paths that the answer has.
    """
    hints = list(query.hints)
    if ranking.files:
        return (*_absent(query, scope, shown), *hints)
    hints.append(_looked_at(scope, "files of code"))
    hints += _left_out(scope, whole)
    near = names_like(query.names[0], whole, backend=backend()) if query.names else ()
    if near:
        hints.append(f"Definitions with a similar name: {', '.join(near)}.")
    elif len(query.tokens) >= _MANY_WORDS:
        hints.append("Try fewer words, the rarest ones.")
    hints.append(
        "search_docs searches the documentation, grep_code finds exact text and patterns, "
        "find_symbol parts of names."
    )
    return tuple(hints)


def document_hints(
    query: Query, ranking: Ranking, scope: Scope, *, whole: Scope, shown: Iterable[str]
) -> tuple[str, ...]:
    """Return the hints of a search in documentation, with arguments as of `code_hints`."""
    hints = list(query.hints)
    if ranking.files:
        return (*_absent(query, scope, shown), *hints)
    hints.append(_looked_at(scope, "documents"))
    hints += _left_out(scope, whole)
    hints.append("Try other or fewer words; search_code searches the code.")
    return tuple(hints)


def _left_out(scope: Scope, whole: Scope) -> list[str]:
    """Say what the filters leave out; where that is everything, also what they lead to."""
    if scope.passes is None:
        return []
    left_out = f"The filters leave out the rest of {whole.file_count():,} files."
    if scope.file_count():
        return [left_out]
    if scope.passes_other_kind():
        kind, tool = (
            ("code", "search_code") if scope.is_document else ("documentation", "search_docs")
        )
        return [f"What passes the filters is {kind}: {tool} searches it."]
    ref_ids = [each.ref_id for each in scope.refs]
    return [
        skipped_hint(ref_ids, scope.passes) or f"No indexed file passes the filters. {left_out}"
    ]


def _absent(query: Query, scope: Scope, shown: Iterable[str]) -> tuple[str, ...]:
    """Say which words of the query are nowhere, so that nobody takes what is left for an answer."""
    absent = absent_words(query, scope, shown=shown, backend=backend())
    if not absent:
        return ()
    return (f"Found nowhere: {', '.join(absent)}. The places shown have only the other words.",)


def symbol_hints(
    name: str, found: FoundDefinitions, near: Sequence[str], scope: Scope
) -> tuple[str, ...]:
    """Return the hints of a search for definitions; `near` are names that are nearly the same."""
    if found.definitions:
        return ()
    hints = [_looked_at(scope, "files of code")]
    if found.other_kinds:
        hints.append(
            f"There are definitions of other kinds with this name: {', '.join(found.other_kinds)}."
        )
    if near:
        hints.append(f"Definitions with a similar name: {', '.join(near)}.")
    hints.append(f"search_code with query={name!r} finds uses of it.")
    return tuple(hints)


def _looked_at(scope: Scope, noun: str) -> str:
    """Say what was searched, with the commit where it is one repository."""
    if not scope.refs:
        return "Nothing of it is indexed yet: try again after the first sync."
    where = f"{len(scope.refs)} repositories"
    if len(scope.refs) == 1:
        state = scope.refs[0].freshness
        where = f"{state.repository} at {state.ref} ({state.commit[:_SHORT_COMMIT]})"
    return f"Searched {scope.file_count():,} {noun} of {where}."
