"""Which words of a query stand nowhere in what was searched: what was found lacks them all."""

from collections.abc import Iterable
from itertools import islice

from web.library.search.backends.base import SearchBackend, Wanted
from web.library.search.names import SHORTEST_PART, contents_at_paths_with, symbols_containing
from web.library.search.query import Query
from web.library.search.reading import WordsOfQuery
from web.library.search.scope import Scope
from web.library.search.tokens import stem

# Texts with a word that are looked at for one that counts; of a commoner word nothing is said.
MAX_TEXTS = 500
MAX_WORDS = 8


def absent_words(
    query: Query, scope: Scope, *, shown: Iterable[str], backend: SearchBackend
) -> tuple[str, ...]:
    """Return the words of a query, in lower case, that no text, name or path of the scope has.

    `shown` are the texts of the answer: what they hold needs no looking up. Parts of a name are
    not told beside the name.
    """
    missing = {stem(token) for token in query.tokens}
    words = WordsOfQuery(dict.fromkeys(missing, 1.0))
    for text in shown:
        missing -= words.in_text(text)
        if not missing:
            return ()
    unseen = [token for token in query.tokens if stem(token) in missing]
    absent = [token for token in unseen[:MAX_WORDS] if _is_absent(token, scope, backend)]
    return tuple(
        token for token in absent if not any(token in other for other in absent if other != token)
    )


def _is_absent(token: str, scope: Scope, backend: SearchBackend) -> bool:
    wanted = Wanted((), (), phrases=[[token]], home_ids=scope.home_ids)
    hits = backend.chunks_holding(wanted, is_document=scope.is_document)
    looked_at = 0
    for hit in islice(hits, MAX_TEXTS):
        if scope.shows(hit.content_id):
            return False
        looked_at += 1
    if looked_at == MAX_TEXTS or contents_at_paths_with(token, scope, limit=1):
        return False
    is_name_part = not scope.is_document and len(token) >= SHORTEST_PART
    return not (is_name_part and symbols_containing(token, scope, backend=backend))
