"""What tests of the library ask of an index: its whole visible state, and its leftovers."""

from typing import Any

import pytest
from django.db import connection
from django.db.models import F

from tests.gitrepos import GitRepository
from web.core.errors import PortolanError
from web.library.git.locks import mirror_lock
from web.library.git.mirrors import update_mirror
from web.library.git.objects import ObjectStore
from web.library.git.remotes import remote_refs
from web.library.models import Chunk, Content, Entry, FileRevision, Ref, Repository, Symbol
from web.library.services.repositories import repository_add, repository_remove
from web.library.services.sync import SyncReport, repository_sync

_FULL_TEXT = ("search_code", "search_documents")


def add_and_sync(name: str, url: str) -> SyncReport:
    """Add a repository and index it."""
    repository_add(name=name, url=url)
    return repository_sync(name=name)


def mirrored(origin: GitRepository) -> ObjectStore:
    """Mirror a repository as that with the id 1, and return the mirror's objects."""
    with mirror_lock(1, wait_seconds=0) as lock:
        update_mirror(
            1,
            url=origin.url,
            remote=remote_refs(origin.url),
            present=ObjectStore(1).targets(),
            lock=lock,
        )
    return ObjectStore(1)


def sync_failure(name: str) -> str:
    """Sync a repository whose remote cannot be read, and return what is said of it."""
    with pytest.raises(PortolanError) as failed:
        repository_sync(name=name)
    return str(failed.value)


def entries(name: str, *, ref: str | None = None) -> dict[str, FileRevision]:
    """Return what a repository's default branch has, or a named ref, by path."""
    refs = Ref.objects.filter(repository__name=name)
    found = refs.get(name=ref) if ref else refs.get(is_default=True)
    return _shown(found)


def index_state(name: str) -> dict[Any, Any]:
    """Return everything that the repository's refs show, without ids and times of indexing.

    On the way the index is seen to hold nothing twice, and nothing that no ref shows.
    """
    assert not FileRevision.objects.filter(entries=None).exists()
    assert not Entry.objects.exclude(path=F("revision__path")).exists()
    facts = FileRevision.objects.filter(entries__ref__repository__name=name)
    columns = ("path", "oid", "kind", "size", "language", "content", "skip_reason")
    assert facts.distinct().count() == facts.values(*columns).distinct().count()
    return {
        (ref.kind, ref.name, ref.is_default, ref.commit, ref.rules): {
            "counts": ref.counts,
            "committed_at": ref.committed_at,
            "entries": {
                path: (
                    revision.oid,
                    revision.kind,
                    revision.size,
                    revision.language,
                    revision.skip_reason,
                    _content_state(revision.content),
                )
                for path, revision in _shown(ref).items()
            },
        }
        for ref in Ref.objects.filter(repository__name=name)
    }


def fresh_state(name: str) -> dict[Any, Any]:
    """Remove the repository, see that nothing of it stays, index it anew, and return its state."""
    fields = Repository.objects.values(
        "url", "documentation_globs", "exclude_globs", "tracked_refs", "tracked_refs_newest"
    ).get(name=name)
    repository_remove(name=name)
    assert leftovers() == {}
    url = fields.pop("url")
    repository_add(name=name, url=url)
    Repository.objects.filter(name=name).update(**fields)
    repository_sync(name=name)
    return index_state(name)


def leftovers() -> dict[str, int]:
    """Return how much the index holds, by table, the full-text terms included; {} when nothing."""
    kept = (Content, Chunk, Symbol, FileRevision, Entry)
    counts = {model.__name__: model.objects.count() for model in kept}
    if connection.vendor == "sqlite":
        _check_full_text()
    else:
        counts["terms"] = len(_values("SELECT term FROM {}_terms"))
    counts["full text"] = len(full_text_rows())
    return {table: count for table, count in counts.items() if count}


def full_text_rows() -> set[int]:
    """Return the ids of the rows of the full-text tables: of every row that has a token."""
    if connection.vendor == "postgresql":
        return _values("SELECT text_id FROM {} WHERE ts_filter(vector, '{{d}}') <> ''")
    with connection.cursor() as cursor:
        for table in _FULL_TEXT:
            cursor.execute(
                f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{table}_instances"
                f" USING fts5vocab('main', '{table}', 'instance')"
            )
    return _values("SELECT DISTINCT doc FROM {}_instances")


def _check_full_text() -> None:
    with connection.cursor() as cursor:
        for table in _FULL_TEXT:
            cursor.execute(f"INSERT INTO {table}({table}) VALUES ('integrity-check')")  # noqa: S608


def _values(statement: str) -> set[Any]:
    """Return the first column of a statement over each full-text table."""
    found: set[Any] = set()
    with connection.cursor() as cursor:
        for table in _FULL_TEXT:
            cursor.execute(statement.format(table))
            found.update(row[0] for row in cursor.fetchall())
    return found


def _shown(ref: Ref) -> dict[str, FileRevision]:
    rows = Entry.objects.filter(ref=ref).select_related("revision__path", "revision__content")
    return {entry.revision.path.path: entry.revision for entry in rows}


def _content_state(content: Content | None) -> Any:
    if content is None:
        return None
    chunks = content.chunks.order_by("start_line").values_list(
        "start_line", "end_line", "heading", "trail", "anchor", "level"
    )
    symbols = content.symbols.order_by("line", "name__name").values_list(
        "name__name", "kind", "scope", "line", "end_line", "lead", "depth"
    )
    return (
        content.format,
        content.is_document,
        content.encoding,
        content.line_count,
        content.title,
        [(*row[:3], tuple(row[3]), *row[4:]) for row in chunks],
        list(symbols),
    )
