"""Which ref shows what at which path: entries, and the revisions of files that they share.

The refs of one repository share a revision where they have the same at a path, so a further one
costs little more than a row of three numbers per file. All of it runs inside the transaction that
makes the change visible.
"""

from collections.abc import Iterable, Sequence
from itertools import batched
from typing import Any, NamedTuple

from web.library.indexing.statements import (
    IDS_PER_QUERY,
    changed,
    insert,
    marks,
    reserved_ids,
    rows,
)
from web.library.models import Ref


class Revision(NamedTuple):
    """What stands at a path, as the columns of its row; see `FileRevision`."""

    path_id: int
    oid: str
    kind: str
    size: int
    language: str
    content_id: int | None
    skip_reason: str


_COLUMNS = Revision._fields


class Entries:
    """The entries of all refs of a repository, while they are changed."""

    def __init__(self, repository_id: int) -> None:
        refs = Ref.objects.filter(repository=repository_id)
        self._ref_ids = set(refs.values_list("pk", flat=True))
        self._left: set[int] = set()  # revisions that an entry was taken from

    def show(self, ref_id: int, revisions: Sequence[Revision]) -> None:
        """Add entries to a ref, at paths where it has none."""
        others = sorted(self._ref_ids - {ref_id})
        known = _known_revisions(others, [revision.path_id for revision in revisions])
        new = [revision for revision in revisions if revision not in known]
        made = list(zip(reserved_ids("library_filerevision", len(new)), new, strict=True))
        insert(
            "library_filerevision", ("id", *_COLUMNS), [(pk, *revision) for pk, revision in made]
        )
        known.update((revision, pk) for pk, revision in made)
        insert(
            "library_entry",
            ("ref_id", "path_id", "revision_id"),
            [(ref_id, revision.path_id, known[revision]) for revision in revisions],
        )
        self._ref_ids.add(ref_id)

    def copy(self, *, source: int, target: int) -> None:
        """Have a ref that shows nothing show what another one does."""
        changed(
            "INSERT INTO library_entry (ref_id, path_id, revision_id)"
            " SELECT %s, path_id, revision_id FROM library_entry WHERE ref_id = %s",
            [target, source],
        )
        self._ref_ids.add(target)

    def clear(self, ref_id: int) -> None:
        """Remove all entries of a ref."""
        self._remove("ref_id = %s", [ref_id])

    def remove(self, ref_id: int, paths: Iterable[str]) -> None:
        """Remove the entries of a ref at those of these paths where it has one."""
        for some in batched(paths, IDS_PER_QUERY):
            path_ids = f"SELECT id FROM library_path WHERE path IN ({marks(some)})"
            self._remove(f"ref_id = %s AND path_id IN ({path_ids})", [ref_id, *some])

    def remove_ref(self, ref_id: int) -> None:
        """Remove a ref with its entries."""
        self.clear(ref_id)
        changed("DELETE FROM library_ref WHERE id = %s", [ref_id])

    def forget_unshown(self) -> set[int]:
        """Remove the revisions that have lost their last entry; return the contents they had."""
        contents: set[int | None] = set()
        ref_ids = sorted(self._ref_ids)
        for some in batched(sorted(self._left), IDS_PER_QUERY):
            unshown = dict(
                rows(
                    "SELECT id, content_id FROM library_filerevision AS revision"
                    f" WHERE id IN ({marks(some)}) AND NOT EXISTS"
                    " (SELECT 1 FROM library_entry AS entry"
                    f" WHERE entry.ref_id IN ({marks(ref_ids)})"
                    " AND entry.path_id = revision.path_id AND entry.revision_id = revision.id)",
                    [*some, *ref_ids],
                )
            )
            if unshown:
                holes = marks(list(unshown))
                changed(f"DELETE FROM library_filerevision WHERE id IN ({holes})", list(unshown))
            contents.update(unshown.values())
        self._left.clear()
        return {content_id for content_id in contents if content_id is not None}

    def _remove(self, condition: str, parameters: Sequence[Any]) -> None:
        shown = rows(f"SELECT revision_id FROM library_entry WHERE {condition}", parameters)
        self._left.update(row[0] for row in shown)
        changed(f"DELETE FROM library_entry WHERE {condition}", parameters)


def _known_revisions(ref_ids: Sequence[int], path_ids: Sequence[int]) -> dict[Revision, int]:
    """Return the revisions that these refs show at these paths, with their ids."""
    known: dict[Revision, int] = {}
    if not ref_ids:
        return known
    columns = ", ".join(f"revision.{column}" for column in _COLUMNS)
    for some in batched(path_ids, IDS_PER_QUERY):
        for pk, *row in rows(
            f"SELECT DISTINCT revision.id, {columns} FROM library_entry AS entry"
            " JOIN library_filerevision AS revision ON revision.id = entry.revision_id"
            f" WHERE entry.ref_id IN ({marks(ref_ids)}) AND entry.path_id IN ({marks(some)})",
            [*ref_ids, *some],
        ):
            known[Revision(*row)] = pk
    return known
