"""What a search backend promises: the full-text side of the index, for SQLite or PostgreSQL.

The tables of `web.library.models` are written by `web.library.indexing`; a backend keeps its own
full-text tables in step and answers queries. All methods run inside the caller's transaction.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol


@dataclass(frozen=True, slots=True)
class ChunkText:
    """A searchable text: its row id (`Chunk.text_id`, shared by chunks with the same text), heading
    or defined names, and body.
    """

    text_id: int
    heading: str
    body: str


class ChunkHit(NamedTuple):
    """A chunk that a query found, its content, and how well it fits (more is better)."""

    chunk_id: int
    content_id: int
    score: float


class SearchBackend(Protocol):
    """Writing is for `web.library.indexing`, reading for `web.library.search` only.

    Tokens are those of `web.library.search.tokens`; `home_ids` restricts a query to contents that
    these repositories brought first, None searches all. What a query finds may be garbage or belong
    to other refs: the caller checks each content against what its refs show.
    """

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

    def chunk_count(self, *, is_document: bool) -> int:
        """Return how many chunks there are, roughly: the scale for document frequencies."""
        ...

    def document_frequencies(self, *, is_document: bool, tokens: Sequence[str]) -> dict[str, int]:
        """Return in how many chunks each token stands, as stemmed."""
        ...

    def chunks_by_tokens(
        self, *, is_document: bool, tokens: Sequence[str], home_ids: Sequence[int] | None
    ) -> Iterator[ChunkHit]:
        """Yield the chunks that hold any of the tokens, most relevant first, lazily."""
        ...

    def chunks_by_phrases(
        self,
        *,
        is_document: bool,
        phrases: Sequence[Sequence[str]],
        home_ids: Sequence[int] | None,
    ) -> Iterator[ChunkHit]:
        """Yield the chunks whose body holds any of the token sequences, most relevant first."""
        ...

    def path_ids_by_tokens(self, *, tokens: Sequence[str], limit: int) -> list[int]:
        """Return ids of paths that hold all of the tokens, at most `limit`."""
        ...

    def symbol_name_ids_containing(self, *, part: str, limit: int) -> list[int]:
        """Return ids of symbol names that contain `part` (folded, at least three characters)."""
        ...
