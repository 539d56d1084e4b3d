"""What the files that a sync replaces were found to define: that much less of the new is parsed."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import batched

from web.library.git.paths import kept_path
from web.library.git.trees import TreeEntry
from web.library.indexing import discover
from web.library.indexing.analysis import Definition
from web.library.indexing.blob_texts import BlobTexts
from web.library.indexing.changed import Earlier
from web.library.indexing.grammars import grammar_of
from web.library.indexing.reading import ReadEntry
from web.library.indexing.statements import marks, rows
from web.library.indexing.write import Names

_LOADED_AT_ONCE = 100
_SOURCES = (
    "SELECT id, oid, format, encoding FROM library_content"
    " WHERE oid IN ({oids}) AND NOT is_document AND version = %s"
)
_DEFINITIONS = (
    "SELECT symbol.content_id, name.id, name.name, symbol.kind, symbol.scope,"
    " symbol.line - symbol.lead, symbol.line, symbol.end_line, symbol.depth"
    " FROM library_symbol AS symbol JOIN library_symbolname AS name ON name.id = symbol.name_id"
    " WHERE symbol.content_id IN ({ids}) AND symbol.depth IS NOT NULL"
    " ORDER BY symbol.content_id, symbol.number"
)


@dataclass(slots=True)
class _Source:
    """A source, and all that it defines: nothing when it was parsed with an error."""

    encoding: str
    definitions: list[Definition] = field(default_factory=list)


class Replaced:
    """The entries that go from a view, or change in it, by their paths."""

    def __init__(self, entries: Iterable[TreeEntry], texts: BlobTexts, names: Names) -> None:
        self._texts = texts
        self._names = names
        self._oids = {kept_path(entry.path): entry.oid for entry in entries}
        batches = batched(dict.fromkeys(self._oids.values()), _LOADED_AT_ONCE)
        self._batches = {oid: some for some in batches for oid in some}
        self._loaded: tuple[str, ...] = ()
        self._sources: dict[tuple[str, str], _Source] = {}

    def earlier(self, entry: ReadEntry) -> Earlier | None:
        """Return what stood at the entry's path before, where it can help to parse it."""
        oid, verdict = self._oids.get(entry.path), entry.verdict
        grammar = grammar_of(verdict.format)
        if oid is None or verdict.is_document or grammar is None or grammar.cuts is None:
            return None
        if self._batches[oid] is not self._loaded:
            self._load(self._batches[oid])
        source = self._sources.get((oid, verdict.format))
        if source is None or not source.definitions:
            return None
        text = self._texts.text(oid, source.encoding)
        if text is None:
            return None
        return Earlier(text.encode("utf-8", "replace"), source.definitions)

    def _load(self, oids: tuple[str, ...]) -> None:
        """Load what these blobs define, in the place of others: entries come in order."""
        self._loaded = oids
        self._sources = {}
        by_content: dict[int, _Source] = {}
        for content_id, oid, read_as, encoding in rows(
            _SOURCES.format(oids=marks(oids)), [*oids, discover.RULES_VERSION]
        ):
            by_content[content_id] = self._sources[oid, read_as] = _Source(encoding)
        ids = list(by_content)
        if not ids:
            return
        names: list[tuple[str, int]] = []
        for content_id, name_id, *definition in rows(_DEFINITIONS.format(ids=marks(ids)), ids):
            by_content[content_id].definitions.append(Definition._make(definition))
            names.append((definition[0], name_id))
        self._names.remember(names)
