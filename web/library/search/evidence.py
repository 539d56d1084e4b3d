"""How much each kind of evidence for a file counts, and what is known of a file that has some.

Each kind of evidence is a list of files; reciprocal rank fusion (Cormack, Clarke and Büttcher,
2009) adds up weight / (k + rank) over the lists. Lists that rarely err, exact names and whole
phrases, weigh more and fall off faster.
"""

from dataclasses import dataclass, field

from web.library.search.scope import Occurrence


@dataclass(frozen=True, slots=True)
class Weight:
    """How much a list of evidence counts, how fast it falls off, how far it is looked at.

    What a file gains by it is times the file's prior to the power of `doubt`, for a file may be
    first of a list merely because nothing else is in it.
    """

    weight: float
    k: int
    depth: int
    doubt: int = 2

    def gain(self, rank: int, prior: float) -> float:
        """Return what a file at a rank, counted from 0, gains."""
        return float(self.weight / (self.k + rank) * prior**self.doubt)


# Nearly every file is in it somewhere, where the prior has already put it.
TEXT = Weight(1.0, k=10, depth=100, doubt=0)
# A text that repeats a message or a question, as tests and release notes do, is no answer to it.
PHRASE = Weight(4.0, k=5, depth=30, doubt=4)
NAME = Weight(6.0, k=5, depth=30)
NAME_IN_PROSE = Weight(0.75, k=5, depth=30)
PART_OF_NAME = Weight(4.0, k=5, depth=30)
PART_OF_PATH = Weight(3.0, k=5, depth=20)
FILE_NAME = Weight(6.0, k=5, depth=30)
MENTIONED = 0.2
# The best file with the whole query as a phrase is at most so likely: a test, say, which has a
# message as it comes out and not as it is written, or a release note.
UNLIKELY = 0.5
# How much of a phrase may still be found where the whole is not.
PART_OF_PHRASE = 0.6
# How fast a part counts less the shorter it is.
PART_EXPONENT = 2.5
# Texts with a pair of words around what is filled in that are looked at.
MAX_GAPPED = 5000
COPY_FACTOR = 0.9


@dataclass(slots=True)
class RankedFile:
    """A file with its score, where it stands best, and how many further places have the same.

    `line` is a definition that speaks for it and `line_gain` how much, `chunk_ids` are its chunks,
    best first, and `chunk_gain` how much the first one speaks for it.
    """

    content_id: int
    occurrence: Occurrence
    prior: float
    copies: int
    score: float = 0.0
    line: int | None = None
    line_gain: float = 0.0
    chunk_ids: list[int] = field(default_factory=list)
    chunk_gain: float = 0.0

    def note_line(self, line: int, gain: float) -> None:
        """Note a definition that speaks for the file."""
        if gain > self.line_gain:
            self.line, self.line_gain = line, gain

    def note_chunk(self, chunk_id: int, gain: float) -> None:
        """Note a chunk that speaks for the file."""
        if gain > self.chunk_gain:
            self.chunk_gain = gain
            self.chunk_ids = list(dict.fromkeys([chunk_id, *self.chunk_ids]))
