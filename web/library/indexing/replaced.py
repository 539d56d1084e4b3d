"""What the files that a sync replaces were found to define: that much less of the new is parsed."""

from collections.abc import Iterable

from web.library.git.paths import kept_path
from web.library.git.trees import TreeEntry
from web.library.indexing import discover
from web.library.indexing.analysis import Definition
from web.library.indexing.blob_texts import BlobTexts
from web.library.indexing.changed import Earlier
from web.library.indexing.grammars import grammar_of
from web.library.indexing.reading import ReadEntry
from web.library.indexing.write import Names, rows

_DEFINITIONS = (
    "SELECT content.encoding, name.id, name.name, symbol.kind, symbol.scope,"
    " symbol.line - symbol.lead, symbol.line, symbol.end_line, symbol.depth"
    " FROM library_content AS content"
    " JOIN library_symbol AS symbol ON symbol.content_id = content.id"
    " JOIN library_symbolname AS name ON name.id = symbol.name_id"
    " WHERE content.oid = %s AND content.format = %s AND NOT content.is_document"
    " AND content.version = %s AND symbol.depth IS NOT NULL ORDER BY symbol.number"
)


class Replaced:
    """The entries that go from a view, or change in it, by their paths."""

    def __init__(self, entries: Iterable[TreeEntry], texts: BlobTexts, names: Names) -> None:
        self._texts = texts
        self._names = names
        self._oids = {kept_path(entry.path): entry.oid for entry in entries}

    def earlier(self, entry: ReadEntry) -> Earlier | None:
        """Return what stood at the entry's path before, where it can help to parse it."""
        oid, verdict = self._oids.get(entry.path), entry.verdict
        grammar = grammar_of(verdict.format)
        if oid is None or verdict.is_document or grammar is None or grammar.cuts is None:
            return None
        found = list(rows(_DEFINITIONS, [oid, verdict.format, discover.RULES_VERSION]))
        text = self._texts.text(oid, found[0][0]) if found else None
        if text is None:
            return None
        self._names.remember((row[2], row[1]) for row in found)
        definitions = [Definition._make(row[2:]) for row in found]
        return Earlier(text.encode("utf-8", "replace"), definitions)
