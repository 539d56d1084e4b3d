"""What a search backend promises: the full-text side of the index, for SQLite or PostgreSQL.

The tables of `web.library.models` are written by `web.library.indexing`; a backend keeps its own
full-text tables in step and answers queries. All methods run inside the caller's transaction.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class ChunkText:
    """The searchable text of one chunk: its row id, heading or defined names, and its body."""

    chunk_id: int
    heading: str
    body: str


@dataclass(frozen=True, slots=True)
class View:
    """Where to search: refs (at most one per repository) that the caller may see."""

    ref_ids: tuple[int, ...]
    generation: int


class SearchBackend(Protocol):
    """The writing side; the reading side is used by `web.library.search` only."""

    def add_content(self, *, is_document: bool, home_id: int, chunks: Iterable[ChunkText]) -> None:
        """Make the chunks of a content findable, once a ref shows it."""
        ...

    def remove_content(
        self, *, is_document: bool, home_id: int, chunks: Iterable[ChunkText]
    ) -> None:
        """Forget chunks; they are given with the very text they were added with."""
        ...

    def add_paths(self, paths: Sequence[tuple[int, str]]) -> None:
        """Make new `Path` rows (id, path) findable."""
        ...

    def add_symbol_names(self, names: Sequence[tuple[int, str]]) -> None:
        """Make new `SymbolName` rows (id, folded) findable by their parts."""
        ...

    def optimize(self) -> None:
        """Merge what many small writes left behind; called once at the end of a large sync."""
        ...
