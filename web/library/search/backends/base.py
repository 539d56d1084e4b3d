"""What a search backend promises: the full-text side of the index, for SQLite or PostgreSQL.

The tables of `web.library.models` are written by `web.library.indexing`; a backend keeps its own
full-text tables in step and answers queries. All methods run inside the caller's transaction.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol


@dataclass(frozen=True, slots=True)
class ChunkText:
    """A searchable text: its row id, its heading or defined names, and its body.

    The id is `Chunk.text_id`, shared by chunks with the same text.
    """

    text_id: int
    heading: str
    body: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the chunks of a query hold: any of `essential`, any of the `pairs` close together.

    Between those of a pair stand at most `pair_window` others, whichever comes first. The more of
    `tokens`, which include the essential ones, the better. Where there are `phrases`, each has to
    stand in the chunk as it is. `home_ids` restricts to contents that these repositories brought
    first: None searches all, an empty one finds nothing (a repository without a text).
    """

    tokens: Sequence[str]
    essential: Sequence[str]
    pairs: Sequence[tuple[str, str]] = ()
    phrases: Sequence[Sequence[str]] = ()
    home_ids: Sequence[int] | None = None
    pair_window: int = 2


class ChunkHit(NamedTuple):
    """A chunk that a query found, its content and heading, and how well it fits: more is better."""

    chunk_id: int
    content_id: int
    heading: str
    score: float


class SearchBackend(Protocol):
    """Writing is for `web.library.indexing`, reading for `web.library.search` only.

    Tokens are those of `web.library.search.tokens`. What a query finds may be garbage or belong to
    other refs: the caller checks each content against what its refs show.
    """

    def add_content(self, *, is_document: bool, home_id: int, chunks: Iterable[ChunkText]) -> None:
        """Make the chunks of a content findable, once a ref shows it."""
        ...

    def remove_content(
        self, *, is_document: bool, home_id: int, chunks: Iterable[ChunkText]
    ) -> None:
        """Forget chunks; they are given with the very text they were added with."""
        ...

    def add_symbol_names(self, names: Sequence[tuple[int, str]]) -> None:
        """Make new `SymbolName` rows (id, folded) findable by their parts."""
        ...

    def optimize(self) -> None:
        """Merge what many small writes left behind; called once at the end of a large sync."""
        ...

    def text_count(self, *, is_document: bool) -> int:
        """Return how many texts there are: the scale for document frequencies."""
        ...

    def document_frequencies(self, *, is_document: bool, tokens: Sequence[str]) -> dict[str, int]:
        """Return in how many texts each token stands, as stemmed."""
        ...

    def chunks_matching(self, wanted: Wanted, *, is_document: bool) -> Iterator[ChunkHit]:
        """Yield the chunks that are wanted, best first, lazily."""
        ...

    def chunks_holding(self, wanted: Wanted, *, is_document: bool) -> Iterator[ChunkHit]:
        """Yield the chunks with any of the wanted pairs or phrases, in no order, lazily."""
        ...

    def chunks_holding_most(
        self, wanted: Wanted, *, is_document: bool, max_texts: int
    ) -> Iterator[ChunkHit]:
        """Yield the chunks with any of the wanted pairs, those with most of them first, lazily.

        The score is how many. Of each pair only the first `max_texts` texts are looked at.
        """
        ...

    def symbol_name_ids_containing(self, *, part: str, limit: int) -> list[int]:
        """Return ids of symbol names that contain `part` (folded, at least three characters)."""
        ...
