"""Removing contents that no revision of a file has any more, with their full-text rows."""

from collections.abc import Callable, Iterable, Sequence
from itertools import batched

from web.core.limits import LIMITS
from web.library.git.objects import ObjectStore
from web.library.indexing import discover
from web.library.indexing.blob_texts import BlobTexts
from web.library.indexing.decode import lines_of
from web.library.indexing.statements import changed, index_transaction, marks, rows
from web.library.indexing.write import chunk_body
from web.library.models import IndexState, Repository
from web.library.search.backends import backend
from web.library.search.backends.base import ChunkText

# Above every version of the rules.
_FIRST_RETIRED_VERSION = 10_000


def collect(
    content_ids: Iterable[int],
    *,
    repository_id: int,
    texts: BlobTexts | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> int:
    """Remove those of the contents that no revision has; return how many.

    Each batch is one short transaction, which looks again for revisions: another repository may
    show a content meanwhile. The search backend is given the text back that it was given, read
    from this repository's mirror or that of the content's home, in the encoding of that time.
    Where the blob is gone the full-text row stays as a tombstone: its id is never used again, so
    nothing finds it. `texts` may have some of this repository's already.
    `on_progress` gets how many each batch looked at.
    """
    read = {repository_id: texts or BlobTexts(ObjectStore(repository_id))}
    removed = 0
    for some in batched(sorted(content_ids), LIMITS.index_batch_files):
        with index_transaction():
            unseen = _without_revision(some)
            own = _own_texts([row[0] for row in unseen])
            gone: dict[tuple[bool, int], list[ChunkText]] = {}
            for content_id, oid, encoding, is_document, home_id in unseen:
                if content_id not in own:
                    continue
                if home_id not in read:
                    read[home_id] = BlobTexts(ObjectStore(home_id))
                text = read[repository_id].text(oid, encoding)
                if text is None:
                    text = read[home_id].text(oid, encoding)
                if text is not None:
                    chunks = _chunk_texts(text, own[content_id])
                    gone.setdefault((is_document, home_id), []).extend(chunks)
            for (is_document, home_id), chunks in gone.items():
                backend().remove_content(is_document=is_document, home_id=home_id, chunks=chunks)
            removed += _delete([row[0] for row in unseen])
        if on_progress is not None:
            on_progress(len(some))
    return removed


def retire_contents(repository_id: int) -> int:
    """Have what a repository shows read anew by its next sync; return how many contents that is.

    They get a version that nothing else has: they are served until a view of new ones takes their
    place, and are collected then. Inside the caller's transaction.
    """
    (version,) = next(rows("SELECT coalesce(max(version), 0) + 1 FROM library_content"))
    return changed(
        "UPDATE library_content SET version = %s WHERE version = %s AND id IN"
        " (SELECT content_id FROM library_filerevision WHERE id IN"
        " (SELECT revision_id FROM library_entry WHERE ref_id IN"
        " (SELECT id FROM library_ref WHERE repository_id = %s)))",
        [max(version, _FIRST_RETIRED_VERSION), discover.RULES_VERSION, repository_id],
    )


def forgotten_contents(repository_id: int) -> set[int]:
    """Return the contents that no revision has and that no other repository's next sync may use.

    A sync or a removal that died leaves such: what it wrote, and what it ceased to show, which may
    be what another repository brought. Left out is what others bring whose last sync failed, and
    what others bring that sync now; after these, `has_forgotten` has the next sync look again. To
    look takes a pass over all contents.
    """
    with index_transaction():
        found = list(
            rows(
                "SELECT id, home_id FROM library_content AS content WHERE NOT EXISTS"
                " (SELECT 1 FROM library_filerevision WHERE content_id = content.id)"
            )
        )
        others = Repository.objects.exclude(pk=repository_id)
        syncing = set(others.exclude(sync_started_at=None).values_list("pk", flat=True))
        failed = set(others.exclude(stale_since=None).values_list("pk", flat=True))
        IndexState.objects.update(has_forgotten=any(home_id in syncing for _, home_id in found))
    return {content_id for content_id, home_id in found if home_id not in syncing | failed}


def has_forgotten() -> bool:
    """Say whether contents that nothing shows were left out while others synced."""
    return IndexState.objects.filter(has_forgotten=True).exists()


def _without_revision(content_ids: Sequence[int]) -> list[tuple[int, str, str, bool, int]]:
    """Return id, blob, encoding, whether a document, and home of those that no revision has."""
    found = rows(
        "SELECT content.id, content.oid, content.encoding, content.is_document, content.home_id"
        f" FROM library_content AS content WHERE content.id IN ({marks(content_ids)})"
        " AND NOT EXISTS (SELECT 1 FROM library_filerevision WHERE content_id = content.id)",
        content_ids,
    )
    return [(row[0], row[1], row[2], bool(row[3]), row[4]) for row in found]


def _own_texts(content_ids: Sequence[int]) -> dict[int, list[tuple[int, str, int, int]]]:
    """Return the full-text rows that no chunk of other contents shares, by content.

    Each is its id, the heading, and the first and last line of its text.
    """
    if not content_ids:
        return {}
    holes = marks(content_ids)
    texts: dict[int, list[tuple[int, str, int, int]]] = {}
    seen: set[int] = set()
    for content_id, text_id, heading, start, end in rows(
        "SELECT content_id, text_id, heading, start_line, end_line FROM library_chunk AS chunk"
        f" WHERE content_id IN ({holes}) AND NOT EXISTS (SELECT 1 FROM library_chunk AS other"
        f" WHERE other.text_id = chunk.text_id AND other.content_id NOT IN ({holes}))",
        [*content_ids, *content_ids],
    ):
        if text_id not in seen:
            seen.add(text_id)
            texts.setdefault(content_id, []).append((text_id, heading, start, end))
    return texts


def _chunk_texts(text: str, places: Iterable[tuple[int, str, int, int]]) -> list[ChunkText]:
    lines = lines_of(text)
    return [
        ChunkText(text_id, heading, chunk_body(lines, start, end))
        for text_id, heading, start, end in places
    ]


def _delete(content_ids: Sequence[int]) -> int:
    if not content_ids:
        return 0
    holes = marks(content_ids)
    changed(f"DELETE FROM library_symbol WHERE content_id IN ({holes})", content_ids)
    changed(f"DELETE FROM library_chunk WHERE content_id IN ({holes})", content_ids)
    return changed(f"DELETE FROM library_content WHERE id IN ({holes})", content_ids)
