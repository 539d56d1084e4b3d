"""Writing what was read into the tables, inside the caller's transaction (`index_transaction`)."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import batched
from typing import Any

from web.library.indexing import discover
from web.library.indexing.analysis import Analysis
from web.library.indexing.statements import (
    IDS_PER_QUERY,
    index_transaction,
    insert,
    marks,
    pairs_of,
    reserved_ids,
    rows,
)
from web.library.search.backends import backend
from web.library.search.backends.base import ChunkText

_MAX_NAME = 255

type ContentKey = tuple[str, str, bool]  # blob id, format, is_document


@dataclass(frozen=True, slots=True)
class ReadContent:
    """One blob, decoded and analysed."""

    key: ContentKey
    encoding: str
    analysis: Analysis


def chunk_body(lines: Sequence[str], start_line: int, end_line: int) -> str:
    """Return the text of a chunk as the search backend gets it, now and when it is removed."""
    return "\n".join(lines[start_line - 1 : end_line])


def contents_of(oids: Iterable[str]) -> dict[ContentKey, int]:
    """Return the ids of all contents that these blobs have already, read by the present rules."""
    found: dict[ContentKey, int] = {}
    for some in batched(dict.fromkeys(oids), IDS_PER_QUERY):
        for content_id, oid, read_as, is_document in rows(
            "SELECT id, oid, format, is_document FROM library_content"
            f" WHERE version = %s AND oid IN ({marks(some)})",
            [discover.RULES_VERSION, *some],
        ):
            found[(oid, read_as, bool(is_document))] = content_id
    return found


def existing_content_ids(content_ids: Iterable[int]) -> set[int]:
    """Return those of the ids that are still there."""
    return {
        row[0]
        for some in batched(content_ids, IDS_PER_QUERY)
        for row in rows(f"SELECT id FROM library_content WHERE id IN ({marks(some)})", some)
    }


def write_contents(
    contents: Sequence[ReadContent], *, home_id: int, names: "Names", texts: "Texts"
) -> dict[ContentKey, int]:
    """Write contents with their chunks, symbols and full-text rows; return their ids by key.

    One that another writer has written meanwhile keeps its id.
    """
    known = contents_of(content.key[0] for content in contents)
    fresh = [content for content in contents if content.key not in known]
    ids = reserved_ids("library_content", len(fresh))
    name_ids = names.ids_of(symbol.name for content in fresh for symbol in content.analysis.symbols)
    insert(
        "library_content",
        (
            *("id", "oid", "format", "is_document"),
            *("version", "home_id", "encoding", "line_count", "title"),
        ),
        [
            (
                *(content_id, *content.key),
                *(discover.RULES_VERSION, home_id, content.encoding),
                *(len(content.analysis.lines), content.analysis.title),
            )
            for content_id, content in zip(ids, fresh, strict=True)
        ],
    )
    insert(
        "library_symbol",
        ("content_id", "number", "name_id", "kind", "scope", "line", "end_line", "lead", "depth"),
        [
            row
            for content_id, content in zip(ids, fresh, strict=True)
            for row in _symbol_rows(content_id, content.analysis, name_ids)
        ],
    )
    _write_chunks(list(zip(ids, fresh, strict=True)), home_id=home_id, texts=texts)
    return known | {content.key: content_id for content_id, content in zip(ids, fresh, strict=True)}


def _symbol_rows(
    content_id: int, analysis: Analysis, name_ids: Mapping[str, int]
) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a content's definitions; what is kept for `Replaced` only if it is all."""
    for number, (name, kind, scope, first_line, line, end_line, depth) in enumerate(
        analysis.symbols
    ):
        name_id = name_ids.get(name)
        if name_id is None:
            continue
        kept = (line - first_line, depth) if analysis.is_faultless else (None, None)
        yield (content_id, number, name_id, kind, scope[:_MAX_NAME], line, end_line, *kept)


def _write_chunks(
    contents: Sequence[tuple[int, ReadContent]], *, home_id: int, texts: "Texts"
) -> None:
    """Write the chunks of new contents; texts that are new go to the full-text tables."""
    found = [
        (content_id, content, chunk, chunk_body(lines, chunk.start_line, chunk.end_line))
        for content_id, content in contents
        for lines in [content.analysis.lines]
        for chunk in content.analysis.chunks
    ]
    digests = [
        _digest(home_id, content.key[2], chunk.heading, body) for _, content, chunk, body in found
    ]
    text_ids = texts.shared(digests)
    new_texts: dict[bool, list[ChunkText]] = {False: [], True: []}
    chunk_rows: list[tuple[Any, ...]] = []
    trails: dict[tuple[str, ...], str] = {}
    ids = reserved_ids("library_chunk", len(found))
    for chunk_id, digest, (content_id, content, chunk, body) in zip(
        ids, digests, found, strict=True
    ):
        if digest not in text_ids:
            text_ids[digest] = chunk_id
            new_texts[content.key[2]].append(ChunkText(chunk_id, chunk.heading, body))
        trail = trails.get(chunk.trail)
        if trail is None:
            trail = trails[chunk.trail] = json.dumps(list(chunk.trail), ensure_ascii=False)
        chunk_rows.append(
            (chunk_id, content_id, text_ids[digest], digest, chunk.start_line, chunk.end_line,
             chunk.heading, trail, chunk.anchor, chunk.level)
        )  # fmt: skip
    insert(
        "library_chunk",
        ("id", "content_id", "text_id", "text_digest", "start_line", "end_line", "heading",
         "trail", "anchor", "level"),
        chunk_rows,
    )  # fmt: skip
    for is_document, chunks in new_texts.items():
        if chunks:
            backend().add_content(is_document=is_document, home_id=home_id, chunks=chunks)


def _digest(home_id: int, is_document: bool, heading: str, body: str) -> int:
    """Return what tells one full-text row from another, as a 64-bit number."""
    text = f"{home_id}\0{is_document:d}\0{heading}\0{body}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), signed=True)


class Texts:
    """The full-text rows that new chunks may share: those of the contents that they replace."""

    def __init__(self, replaced: Iterable[str] = ()) -> None:
        self._rows: dict[int, tuple[int, int]] = {}
        for some in batched(dict.fromkeys(replaced), IDS_PER_QUERY):
            found = rows(
                "SELECT chunk.text_digest, chunk.text_id, content.id"
                " FROM library_content AS content"
                " JOIN library_chunk AS chunk ON chunk.content_id = content.id"
                f" WHERE content.oid IN ({marks(some)})",
                some,
            )
            self._rows.update((digest, (text_id, owner)) for digest, text_id, owner in found)

    def shared(self, digests: Sequence[int]) -> dict[int, int]:
        """Return the rows of those digests that have one, by contents which are still there."""
        known = {digest: self._rows[digest] for digest in digests if digest in self._rows}
        there = existing_content_ids({owner for _, owner in known.values()})
        return {digest: text_id for digest, (text_id, owner) in known.items() if owner in there}


class Paths:
    """The ids of paths, made when new. Paths are never changed or removed."""

    def __init__(self) -> None:
        self.ids: dict[str, int] = {}

    def add(self, paths: Iterable[str]) -> None:
        """Add the ids of these paths; new ones are made in a transaction of their own."""
        if new := self._unknown(dict.fromkeys(paths)):
            with index_transaction():
                new = self._unknown(new)  # another writer may have made some
                made = list(zip(reserved_ids("library_path", len(new)), new, strict=True))
                insert("library_path", ("id", "path"), made)
            self.ids.update((path, path_id) for path_id, path in made)

    def _unknown(self, paths: Iterable[str]) -> list[str]:
        """Look paths up; return those that there are not."""
        wanted = [path for path in paths if path not in self.ids]
        self.ids.update(pairs_of("library_path", "path, id", "path", wanted))
        return [path for path in wanted if path not in self.ids]


class Names:
    """The ids of symbol names, made when new; remembers at most so many, to bound memory."""

    _REMEMBERED = 50_000

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}

    def remember(self, names: Iterable[tuple[str, int]]) -> None:
        """Take the ids of names that a definition has, which so need not be looked up."""
        self._ids.update(names)

    def ids_of(self, names: Iterable[str]) -> Mapping[str, int]:
        """Return at least these names' ids; new ones become findable by their parts.

        Names longer than the column, which no person writes, have none.
        """
        asked = [name for name in dict.fromkeys(names) if 0 < len(name) <= _MAX_NAME]
        if len(self._ids) > self._REMEMBERED:
            self._ids = {}
        wanted = [name for name in asked if name not in self._ids]
        folded = list(dict.fromkeys(map(_folded, wanted)))
        self._ids.update(pairs_of("library_symbolname", "name, id", "folded", folded))
        new = [name for name in wanted if name not in self._ids]
        ids = reserved_ids("library_symbolname", len(new))
        folded = list(map(_folded, new))
        insert(
            "library_symbolname", ("id", "name", "folded"), list(zip(ids, new, folded, strict=True))
        )
        if new:
            backend().add_symbol_names(list(zip(ids, folded, strict=True)))
        self._ids.update(zip(new, ids, strict=True))
        return self._ids


def _folded(name: str) -> str:
    return name.lower()[:_MAX_NAME]
