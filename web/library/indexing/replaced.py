"""What the files that a sync replaces were found to define: that much less of the new is parsed."""

from collections.abc import Iterable

from web.core.errors import TooLarge, Unavailable
from web.library.git.objects import ObjectStore
from web.library.git.trees import TreeEntry
from web.library.indexing import discover
from web.library.indexing.analysis import Definition
from web.library.indexing.changed import Earlier
from web.library.indexing.decode import decode
from web.library.indexing.grammars import grammar_of
from web.library.indexing.reading import ReadEntry, stored_path
from web.library.indexing.write import rows


class Replaced:
    """The entries that go from a view, or change in it, by their paths."""

    def __init__(self, store: ObjectStore, entries: Iterable[TreeEntry]) -> None:
        self._store = store
        self._oids = {stored_path(entry): entry.oid for entry in entries}

    def earlier(self, entry: ReadEntry) -> Earlier | None:
        """Return what stood at the entry's path before, where it can help to parse it."""
        oid, verdict = self._oids.get(entry.path), entry.verdict
        grammar = grammar_of(verdict.format)
        if oid is None or verdict.is_document or grammar is None or grammar.cuts is None:
            return None
        definitions = _definitions_of(oid, verdict.format)
        if not definitions:
            return None
        try:
            decoded = decode(self._store.blob(oid))
        except (TooLarge, Unavailable):
            return None
        return Earlier(decoded.text.encode("utf-8", "replace"), definitions) if decoded else None


def _definitions_of(oid: str, language: str) -> list[Definition]:
    """Return all definitions in a blob by line; none where not all that is needed is known."""
    found = rows(
        "SELECT name.name, symbol.kind, symbol.scope, symbol.line - symbol.lead, symbol.line,"
        " symbol.end_line, symbol.depth FROM library_content AS content"
        " JOIN library_symbol AS symbol ON symbol.content_id = content.id"
        " JOIN library_symbolname AS name ON name.id = symbol.name_id"
        " WHERE content.oid = %s AND content.format = %s AND NOT content.is_document"
        " AND content.version = %s AND symbol.depth IS NOT NULL ORDER BY symbol.id",
        [oid, language, discover.RULES_VERSION],
    )
    return [Definition(*row) for row in found]
