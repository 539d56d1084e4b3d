"""Making a sync visible: one transaction changes the entries of all its refs and the generation."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import batched

from django.db.models import F, Value
from django.db.models.functions import Greatest

from web.core import clock
from web.library.indexing.counts import counts_after, counts_at, counts_of
from web.library.indexing.discover import Verdict
from web.library.indexing.entries import Entries, Revision
from web.library.indexing.refs import WantedRef
from web.library.indexing.statements import index_transaction
from web.library.indexing.write import ContentKey, Paths, existing_content_ids
from web.library.models import IndexState, Ref


class ContentsVanished(Exception):
    """A content that was to be shown has been collected by another sync; read it again."""


@dataclass(frozen=True, slots=True)
class NewEntry:
    """An entry that a ref is to have at a path."""

    oid: str
    verdict: Verdict
    content_key: ContentKey | None


@dataclass(slots=True)
class ChangedView:
    """What a ref is to show: `base` and the changes to it.

    `base` is the ref whose present entries are the start: itself, another that is published
    before it, or None for an empty start. `removed` are paths that go or change.
    """

    ref: WantedRef
    base: tuple[str, str] | None = None  # kind and name
    removed: list[str] = field(default_factory=list)
    written: dict[str, NewEntry] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str]:
        """Kind and name, which tell a repository's refs apart."""
        return (str(self.ref.kind), self.ref.name)


@dataclass(frozen=True, slots=True)
class Published:
    """What a publication changed; `dropped` are contents of revisions that are gone."""

    generation: int
    removed_refs: tuple[str, ...]
    dropped: frozenset[int]


def publish(
    repository_id: int,
    *,
    views: Sequence[ChangedView],
    kept: Iterable[WantedRef],
    rules: str,
    content_ids: Mapping[ContentKey, int],
) -> Published:
    """Make the changed views visible, remove refs that are neither changed nor kept.

    Raises ContentsVanished, with nothing changed, when a content is not there any more.
    """
    path_ids = _path_ids(views)
    with index_transaction():
        _check_contents(views, content_ids)
        refs = Ref.objects.filter(repository=repository_id)
        known = {(kind, name): pk for kind, name, pk in refs.values_list("kind", "name", "pk")}
        entries = Entries(repository_id)
        writer = _Writer(repository_id, rules, content_ids, path_ids, dict(known), entries)
        staying = {view.key for view in views} | {(str(ref.kind), ref.name) for ref in kept}
        _mark_default(repository_id, [*(view.ref for view in views), *kept])
        for view in views:
            writer.write(view)
        gone = [key for key in known if key not in staying]
        for key in gone:
            entries.remove_ref(known[key])
        return Published(
            generation=raise_generation(),
            removed_refs=tuple(name for _, name in gone),
            dropped=frozenset(entries.forget_unshown()),
        )


def raise_generation() -> int:
    """Raise the index generation, inside the transaction that makes a change visible; return it.

    It is the time in microseconds. Counted up it would come to the same numbers again from a backup
    that was put back, and what caches keep from before would be taken for the present.
    """
    now = int(clock.now().timestamp() * 1_000_000)
    raised = Greatest(F("generation") + 1, Value(now))
    if not IndexState.objects.filter(pk=1).update(generation=raised):
        IndexState.objects.create(pk=1, generation=now)
    return int(IndexState.objects.values_list("generation", flat=True).get(pk=1))


def _path_ids(views: Sequence[ChangedView]) -> Mapping[str, int]:
    """Return the ids of all paths; new ones are made in short transactions, no view shows them."""
    paths = Paths()
    for some in batched((path for view in views for path in view.written), 5000):
        paths.add(some)
    return paths.ids


def _check_contents(views: Sequence[ChangedView], content_ids: Mapping[ContentKey, int]) -> None:
    keys = {entry.content_key for view in views for entry in view.written.values()} - {None}
    wanted = {content_ids.get(key) for key in keys if key is not None}
    if None in wanted or len(existing_content_ids(wanted - {None})) != len(wanted):  # type: ignore[arg-type]
        raise ContentsVanished


def _mark_default(repository_id: int, refs: Sequence[WantedRef]) -> None:
    default = next(ref for ref in refs if ref.is_default)
    of_repository = Ref.objects.filter(repository=repository_id)
    of_repository.filter(is_default=True).exclude(kind=default.kind, name=default.name).update(
        is_default=False
    )
    of_repository.filter(kind=default.kind, name=default.name).update(is_default=True)


@dataclass(frozen=True, slots=True)
class _Writer:
    """What it takes to write a view, inside the publishing transaction."""

    repository_id: int
    rules: str
    content_ids: Mapping[ContentKey, int]
    path_ids: Mapping[str, int]
    ref_ids: dict[tuple[str, str], int]
    entries: Entries

    def write(self, view: ChangedView) -> None:
        """Write one ref and its entries."""
        if view.key not in self.ref_ids:
            self.ref_ids[view.key] = self._made(view)
        ref_id = self.ref_ids[view.key]
        if view.base != view.key:
            self.entries.clear(ref_id)
            if view.base is not None:
                self.entries.copy(source=self.ref_ids[view.base], target=ref_id)
        if view.base is None:
            self._show(ref_id, view)
            counts = counts_of(ref_id)
        else:
            changed = [*view.removed, *view.written]
            less = counts_at(ref_id, changed)
            self.entries.remove(ref_id, changed)
            self._show(ref_id, view)
            before = Ref.objects.values_list("counts", flat=True).get(pk=self.ref_ids[view.base])
            counts = counts_after(before, less=less, more=counts_at(ref_id, changed))
        Ref.objects.filter(pk=ref_id).update(
            commit=view.ref.commit,
            committed_at=view.ref.committed_at,
            indexed_at=clock.now(),
            rules=self.rules,
            counts=counts,
        )

    def _show(self, ref_id: int, view: ChangedView) -> None:
        self.entries.show(ref_id, [self._revision(*written) for written in view.written.items()])

    def _made(self, view: ChangedView) -> int:
        ref = Ref.objects.create(
            repository_id=self.repository_id,
            kind=view.ref.kind,
            name=view.ref.name,
            is_default=view.ref.is_default,
        )
        return int(ref.pk)

    def _revision(self, path: str, entry: NewEntry) -> Revision:
        verdict = entry.verdict
        return Revision(
            path_id=self.path_ids[path],
            oid=entry.oid,
            kind=str(verdict.kind),
            size=verdict.size,
            language=verdict.language,
            content_id=self.content_ids[entry.content_key] if entry.content_key else None,
            skip_reason=verdict.skip_reason,
        )
