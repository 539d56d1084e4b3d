"""One sync of one repository: fetch, compare, index what is new, publish, collect.

Nothing is visible before `publish` commits; whatever fails before it leaves the old index as it
was. What a failure means for the repository's record is `web.library.services.sync`'s task.
"""

import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial

from django.conf import settings

from web.core.errors import Unavailable
from web.core.limits import LIMITS
from web.library.git.credentials import Credential
from web.library.git.mirrors import tidy_mirror, update_mirror
from web.library.git.objects import ObjectStore, few_pages_mapped
from web.library.git.paths import kept_path
from web.library.git.remotes import RemoteRefs, remote_refs
from web.library.git.trees import TreeChanges, changes_between, entries_of
from web.library.indexing import progress, skipping
from web.library.indexing.analysis import analyse
from web.library.indexing.blob_texts import BlobTexts
from web.library.indexing.collect import collect, forgotten_contents, has_forgotten
from web.library.indexing.confined import parser
from web.library.indexing.discover import Rules
from web.library.indexing.garbage import rare_collections
from web.library.indexing.progress import ProgressReporter
from web.library.indexing.publish import ChangedView, ContentsVanished, NewEntry, Published, publish
from web.library.indexing.reading import EntryReader, ReadEntry
from web.library.indexing.refs import WantedRef, mirrored_refs, tracked_names, wanted_refs
from web.library.indexing.replaced import Replaced
from web.library.indexing.statements import compact, index_transaction, unmapped_database
from web.library.indexing.write import Names, ReadContent, Texts, write_contents
from web.library.models import Content, Ref, Repository
from web.library.search.backends import backend
from web.library.sites.address import is_site
from web.library.sites.crawl import crawl_site

_PUBLISH_ATTEMPTS = 3
# New contents above which the full-text tables are merged at the end, if they are more than this
# share of all: merging costs in proportion to the whole index.
_LARGE_SYNC_CONTENTS = 2000
_LARGE_SYNC_SHARE = 0.1


@dataclass(slots=True)
class SyncResult:
    """What a sync did. `has_commit` is false for a repository without any commit yet."""

    has_commit: bool = True
    changed_refs: list[str] = field(default_factory=list)
    removed_refs: list[str] = field(default_factory=list)
    files_read: int = 0
    contents_written: int = 0
    contents_removed: int = 0
    bytes_read: int = 0


class RepositorySync:
    """The state of one sync. `lock` is the descriptor of the mirror's lock, which it needs.

    With `from_mirror` nothing is fetched and everything is read anew; with `force` the mirror is
    copied anew, a site crawled now, and every page of it asked for.
    """

    def __init__(
        self,
        repository: Repository,
        *,
        lock: int,
        reporter: ProgressReporter,
        credential: Credential | None = None,
        after_failure: bool = False,
        from_mirror: bool = False,
        force: bool = False,
    ) -> None:
        self.result = SyncResult()
        self._repository = repository
        self._lock = lock
        self._reporter = reporter
        self._credential = credential
        self._after_failure = after_failure
        self._from_mirror = from_mirror
        self._force = force
        self._has_fetched = False
        self._is_copied_anew = False
        self._store = ObjectStore(repository.pk)
        self._rules = Rules(
            documentation_globs=repository.documentation_globs,
            exclude_globs=repository.exclude_globs,
        )
        self._names = Names()
        self._old_texts = BlobTexts(self._store)

    def run(self) -> SyncResult:
        """Bring the index up to date. Raises web.core.errors; the old index stays then."""
        ensure_free_disk()
        with unmapped_database(), few_pages_mapped(), rare_collections(), parser():
            return self._run()

    def _run(self) -> SyncResult:
        remote = self._fetch()
        wanted = wanted_refs(
            self._store,
            remote,
            patterns=self._repository.tracked_refs,
            newest=self._repository.tracked_refs_newest,
        )
        if not wanted:
            self.result.has_commit = False
            return self.result
        published = self._publish(wanted)
        self._collect(published)
        if published is not None or self._has_fetched:
            tidy_mirror(self._repository.pk, lock=self._lock)
        return self.result

    def _fetch(self) -> RemoteRefs:
        if self._from_mirror:
            return mirrored_refs(self._store)
        self._reporter.begin(progress.FETCHING)
        if is_site(self._repository.url):
            return crawl_site(
                self._repository.pk,
                url=self._repository.url,
                on_progress=self._reporter.percent,
                force=self._force,
            )
        remote = remote_refs(self._repository.url, credential=self._credential)
        had_commits = Ref.objects.filter(repository=self._repository.pk).exists()
        if had_commits and not remote.objects and not remote.head:
            raise Unavailable(
                "The remote has no branch and no commit any more.",
                hint="The index stays as it was; remove the repository if it is meant to be empty.",
            )
        self._update_mirror(remote, anew=self._force)
        if self._store.is_damaged():
            self._update_mirror(remote, anew=True)
        return remote

    def _update_mirror(self, remote: RemoteRefs, *, anew: bool) -> None:
        self._is_copied_anew |= anew
        self._has_fetched |= update_mirror(
            self._repository.pk,
            url=self._repository.url,
            remote=remote,
            present=self._store.targets(),
            lock=self._lock,
            credential=self._credential,
            tracked=partial(tracked_names, remote, patterns=self._repository.tracked_refs),
            on_progress=self._reporter.percent,
            anew=anew,
        )

    def _publish(self, wanted: tuple[WantedRef, ...]) -> Published | None:
        """Index and publish what changed; None when everything is as it was."""
        for _ in range(_PUBLISH_ATTEMPTS):
            reader = EntryReader(self._store, self._rules)
            views, kept = self._views(wanted, reader)
            if not views and self._agrees_with(wanted):
                return None
            self._reporter.begin(progress.PUBLISHING)
            try:
                published = publish(
                    self._repository.pk,
                    views=views,
                    kept=kept,
                    rules=self._rules.fingerprint,
                    content_ids=reader.known,
                )
            except ContentsVanished:
                continue
            self.result.changed_refs = [view.ref.name for view in views]
            self.result.removed_refs = list(published.removed_refs)
            return published
        raise Unavailable(
            "Other syncs kept removing what this one needs.", hint="Sync the repository again."
        )

    def _agrees_with(self, wanted: tuple[WantedRef, ...]) -> bool:
        """Say whether exactly these refs are indexed, with the same default."""
        indexed = Ref.objects.filter(repository=self._repository.pk)
        return set(indexed.values_list("kind", "name", "is_default")) == {
            (str(ref.kind), ref.name, ref.is_default) for ref in wanted
        }

    def _views(
        self, wanted: tuple[WantedRef, ...], reader: EntryReader
    ) -> tuple[list[ChangedView], list[WantedRef]]:
        """Return the refs that change, their contents written, and those that stay as they are."""
        known = {
            (ref.kind, ref.name): ref for ref in Ref.objects.filter(repository=self._repository.pk)
        }
        views: list[ChangedView] = []
        kept: list[WantedRef] = []
        neighbour: WantedRef | None = None
        for ref in wanted:
            old = known.get((str(ref.kind), ref.name))
            usable = old is not None and self._is_usable(old)
            if old is not None and usable and old.commit == ref.commit:
                kept.append(ref)
            elif old is not None and usable and self._has_tree(old.commit):
                views.append(self._view(ref, base=ref, base_commit=old.commit, reader=reader))
            elif neighbour is not None:
                views.append(
                    self._view(ref, base=neighbour, base_commit=neighbour.commit, reader=reader)
                )
            else:
                views.append(self._view(ref, base=None, base_commit="", reader=reader))
            neighbour = ref
        return views, kept

    def _is_usable(self, old: Ref) -> bool:
        """Say whether what a ref shows still is what reading it anew would show."""
        may_be_mended = self._is_copied_anew and skipping.UNREADABLE in old.counts["skipped"]
        is_current = old.rules == self._rules.fingerprint
        return is_current and not self._from_mirror and not may_be_mended

    def _has_tree(self, commit: str) -> bool:
        try:
            self._store.tree(self._store.tree_of(commit))
        except Unavailable:
            return False
        return True

    def _view(
        self, ref: WantedRef, *, base: WantedRef | None, base_commit: str, reader: EntryReader
    ) -> ChangedView:
        """Compare a ref with its base, and read and write what is new."""
        self._reporter.begin(progress.COMPARING)
        tree = self._store.tree_of(ref.commit)
        if base is None:
            changes = TreeChanges(removed=(), written=tuple(entries_of(self._store, tree)))
        else:
            changes = changes_between(self._store, self._store.tree_of(base_commit), tree)
        view = ChangedView(ref=ref, base=(str(base.kind), base.name) if base else None)
        view.removed = [kept_path(entry.path) for entry in changes.removed]
        self._reporter.begin(progress.INDEXING, total=len(changes.written))
        texts = Texts(entry.oid for entry in changes.removed)
        replaced = Replaced(changes.removed, self._old_texts, self._names)
        for read in self._written(reader, reader.read(changes.written), texts, replaced):
            view.written[read.path] = NewEntry(read.oid, read.verdict, read.content_key)
        return view

    def _written(
        self,
        reader: EntryReader,
        entries: Iterable[ReadEntry],
        texts: Texts,
        replaced: Replaced,
    ) -> Iterator[ReadEntry]:
        """Pass entries on, writing the new contents among them in batches of files and bytes."""
        batch: list[ReadContent] = []
        size = 0
        for entry in entries:
            self._reporter.advance(1, size=entry.verdict.size if entry.text else 0)
            self.result.files_read += 1
            if entry.text is not None and entry.content_key is not None:
                batch.append(_analysed(entry, replaced))
                size += entry.verdict.size
            if len(batch) >= LIMITS.index_batch_files or size >= LIMITS.index_batch_bytes:
                self._write(batch, reader, size, texts)
                batch, size = [], 0
            yield entry
        self._write(batch, reader, size, texts)

    def _write(
        self, batch: list[ReadContent], reader: EntryReader, size: int, texts: Texts
    ) -> None:
        ensure_free_disk()
        self._reporter.record()
        if not batch:
            return
        with index_transaction():
            ids = write_contents(batch, home_id=self._repository.pk, names=self._names, texts=texts)
        reader.known.update(ids)
        self.result.contents_written += len(batch)
        self.result.bytes_read += size

    def _collect(self, published: Published | None) -> None:
        """Remove what nothing shows; after a failure also what failed syncs left behind."""
        candidates = set(published.dropped) if published is not None else set()
        if self._after_failure or has_forgotten():
            candidates |= forgotten_contents(self._repository.pk)
        if candidates:
            self._reporter.begin(progress.COLLECTING, total=len(candidates))
            self.result.contents_removed = collect(
                candidates,
                repository_id=self._repository.pk,
                texts=self._old_texts,
                on_progress=self._reporter.advance,
            )
        if self._was_large():
            with index_transaction():
                backend().optimize()
            compact()

    def _was_large(self) -> bool:
        written = self.result.contents_written
        return (
            written > _LARGE_SYNC_CONTENTS and written > _LARGE_SYNC_SHARE * Content.objects.count()
        )


def ensure_free_disk() -> None:
    """Raise Unavailable while there is still room to record that the disk is nearly full."""
    if shutil.disk_usage(settings.DATA_DIR).free < LIMITS.min_free_disk_bytes:
        raise Unavailable(
            "The disk is nearly full.",
            hint="Free space in the data folder, then sync again "
            "(PORTOLAN_MIN_FREE_DISK_BYTES is what a sync leaves).",
        )


def _analysed(entry: ReadEntry, replaced: Replaced) -> ReadContent:
    assert entry.text is not None  # noqa: S101 - asked by the caller
    assert entry.content_key is not None  # noqa: S101
    verdict = entry.verdict
    return ReadContent(
        key=entry.content_key,
        encoding=entry.text.encoding,
        analysis=analyse(
            entry.text.text,
            format=verdict.format,
            is_document=verdict.is_document,
            earlier=replaced.earlier(entry),
        ),
    )
