"""What a ref shows, counted as `Ref.counts` holds it, and kept by what a sync changes of it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import batched
from typing import Any

from web.library.indexing.statements import IDS_PER_QUERY, marks, rows

type Counts = dict[str, Any]
type _Flat = Counter[tuple[str, str]]  # by group, empty for the totals, and name


def counts_of(ref_id: int) -> Counts:
    """Count all entries of a ref."""
    return _stored(_counted("entry.ref_id = %s", [ref_id]))


def counts_at(ref_id: int, paths: Iterable[str]) -> Counts:
    """Count the entries of a ref at those of these paths where it has one."""
    found: _Flat = Counter()
    for some in batched(dict.fromkeys(paths), IDS_PER_QUERY):
        path_ids = f"SELECT id FROM library_path WHERE path IN ({marks(some)})"
        condition = f"entry.ref_id = %s AND entry.path_id IN ({path_ids})"
        found.update(_counted(condition, [ref_id, *some]))
    return _stored(found)


def counts_after(before: Counts, *, less: Counts, more: Counts) -> Counts:
    """Return what `before` comes to when `less` goes and `more` comes."""
    found = _flat(before)
    found.subtract(_flat(less))
    found.update(_flat(more))
    return _stored(found)


def _counted(condition: str, parameters: Sequence[Any]) -> _Flat:
    found: _Flat = Counter()
    for language, reason, is_document, files, size in rows(
        "SELECT revision.language, revision.skip_reason, content.is_document, COUNT(*),"
        " SUM(revision.size) FROM library_entry AS entry"
        " JOIN library_filerevision AS revision ON revision.id = entry.revision_id"
        " LEFT JOIN library_content AS content ON content.id = revision.content_id"
        f" WHERE {condition} GROUP BY 1, 2, 3",
        parameters,
    ):
        found["", "files"] += files
        found["", "bytes"] += int(size)
        if reason:
            found["skipped", reason] += files
            continue
        found["", "indexed"] += files
        found["", "documents"] += files if is_document else 0
        if language:
            found["languages", language] += files
    return found


def _stored(found: _Flat) -> Counts:
    """Return counts as a ref holds them: the most frequent language first, reasons by name."""

    def of_group(group: str) -> list[tuple[str, int]]:
        return sorted((name, count) for (of, name), count in found.items() if of == group and count)

    return {
        **{name: found["", name] for name in ("files", "indexed", "bytes", "documents")},
        "languages": dict(sorted(of_group("languages"), key=lambda item: -item[1])),
        "skipped": dict(of_group("skipped")),
    }


def _flat(counts: Counts) -> _Flat:
    groups = {"": counts, "languages": counts["languages"], "skipped": counts["skipped"]}
    return Counter(
        {
            (group, name): count
            for group, of_group in groups.items()
            for name, count in of_group.items()
            if isinstance(count, int)
        }
    )
