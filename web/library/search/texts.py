"""Evidence from the texts of files: what their best chunks say, what they are called."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from web.library.search.backends.base import ChunkHit, SearchBackend, Wanted
from web.library.search.plan import Plan
from web.library.search.scope import Scope
from web.library.search.tokens import index_text, stems

# Visible chunks that count, of one file, and how many are passed over where one file has more.
MAX_CHUNKS = 80
MAX_FILE_CHUNKS = 12
MAX_PASSED_CHUNKS = 4000
MAX_PHRASE_FILES = 200
# How often more a word counts in a defined name, a heading or the path, and again in the file's
# name, which says what the file is about where folders only say where it belongs.
NAME_SHARE = 0.75
PATH_SHARE = 1.5
FILE_NAME_SHARE = 2.0
# Further chunks of a file, and how much each adds to the best one.
FURTHER_CHUNKS = 3
FURTHER_SHARE = 0.15


@dataclass(slots=True)
class FileText:
    """What a file's text has of a query: its score without the path, its chunks best first."""

    score: float = 0.0
    chunks: list[tuple[float, int]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TextEvidence:
    """Files by content id. `is_exhaustive` says that there are no more."""

    files: dict[int, FileText]
    is_exhaustive: bool


def text_evidence(
    plan: Plan,
    scope: Scope,
    *,
    backend: SearchBackend,
    is_document: bool,
    phrases: Sequence[Sequence[str]] = (),
) -> TextEvidence:
    """Return the files whose chunks fit best, as far as MAX_CHUNKS visible chunks tell.

    Of one file MAX_FILE_CHUNKS count, so that a page of thousands of sections leaves room.
    """
    if not plan.tokens:
        return TextEvidence({}, is_exhaustive=True)
    wanted = Wanted(plan.tokens, plan.essential, plan.pairs, phrases, scope.home_ids)
    hits = backend.chunks_matching(wanted, is_document=is_document)
    files: dict[int, FileText] = {}
    count = passed = 0
    for hit in hits:
        if not scope.shows(hit.content_id):
            continue
        chunks = files.setdefault(hit.content_id, FileText()).chunks
        if len(chunks) == MAX_FILE_CHUNKS:
            passed += 1
        else:
            score = hit.score + NAME_SHARE * plan.weight_in(stems_of(hit.heading))
            chunks.append((score, hit.chunk_id))
            count += 1
        if count == MAX_CHUNKS or passed == MAX_PASSED_CHUNKS:
            break
    for file in files.values():
        file.chunks.sort(key=lambda chunk: (-chunk[0], chunk[1]))
        best, *others = file.chunks
        file.score = best[0] + FURTHER_SHARE * sum(score for score, _ in others[:FURTHER_CHUNKS])
    is_exhaustive = count < MAX_CHUNKS and passed < MAX_PASSED_CHUNKS
    return TextEvidence(files, is_exhaustive)


def phrase_chunks(
    phrase: Sequence[str], scope: Scope, *, backend: SearchBackend, is_document: bool
) -> dict[int, int]:
    """Return the contents that hold the tokens side by side, each with the first such chunk.

    They are at most MAX_PHRASE_FILES; one that holds them very often leaves room for others.
    """
    found: dict[int, int] = {}
    passed = 0
    wanted = Wanted((), (), phrases=[phrase], home_ids=scope.home_ids)
    for hit in backend.chunks_holding(wanted, is_document=is_document):
        if scope.shows(hit.content_id):
            passed += hit.content_id in found
            _keep_first(found, hit)
            if len(found) == MAX_PHRASE_FILES or passed == MAX_PASSED_CHUNKS:
                break
    return found


def _keep_first(found: dict[int, int], hit: ChunkHit) -> None:
    known = found.get(hit.content_id)
    if known is None or hit.chunk_id < known:
        found[hit.content_id] = hit.chunk_id


def path_score(plan: Plan, path: str) -> float:
    """Return how well a path fits."""
    in_path = plan.weight_in(stems_of(path))
    if not in_path:
        return 0.0
    in_name = plan.weight_in(stems_of(path.rpartition("/")[2]))
    return PATH_SHARE * in_path + FILE_NAME_SHARE * in_name


@lru_cache(maxsize=20_000)
def stems_of(text: str) -> frozenset[str]:
    """Return the stems of a short text such as a path or a heading."""
    return stems(index_text(text).split())
