"""Repositories as the outside sees them: names, summaries, and an overview of one."""

from collections.abc import Iterable

from django.db.models import Count, F, Value
from django.db.models.functions import Left, StrIndex

from web.accounts.principals import Principal
from web.core.errors import TooLarge, Unavailable
from web.core.transactions import read_transaction
from web.library.git.objects import ObjectStore
from web.library.indexing.decode import decoded_as
from web.library.indexing.progress import progress_text
from web.library.models import Entry, Ref, Repository
from web.library.records.history import CommitSummary
from web.library.records.repositories import RepositoryOverview, RepositorySummary
from web.library.selectors.refs import freshness_of, repositories_for, repository_for
from web.library.selectors.syncs import is_syncing

README_CHARACTERS = 4000
_LAYOUT_FOLDERS = 40
_DOCUMENTS = 15
_COMMITS = 5
_TAGS = 10
_README_ORDER = ("md", "rst", "adoc", "mdx", "txt", "")


def repository_names_visible_to(*, principal: Principal) -> tuple[str, ...]:
    """Return the names of the repositories that the caller may see, in the order of lists."""
    return tuple(repositories_for(principal).values_list("name", flat=True))


@read_transaction()
def repositories_visible_to(*, principal: Principal) -> tuple[RepositorySummary, ...]:
    """Return what to know of each repository that the caller may see, in the order of lists."""
    repositories = list(repositories_for(principal).prefetch_related("refs"))
    return tuple(_summary(repository) for repository in repositories)


def syncs_visible_to(*, principal: Principal) -> dict[str, str]:
    """Return what each sync that runs now does, in one line, by the name of its repository."""
    begun = repositories_for(principal).exclude(sync_started_at=None)
    return {
        each.name: progress_text(each.sync_progress) or "started"
        for each in begun
        if is_syncing(each)
    }


@read_transaction()
def repository_overview(*, principal: Principal, repository: str) -> RepositoryOverview:
    """Return what to know first about a repository; its README's start in at most 4,000 characters.

    Raises NotFound for one that does not exist or may not be seen. What cannot be read from the
    mirror now, such as commits, is left empty.
    """
    found = repository_for(principal, repository)
    ref = Ref.objects.filter(repository=found, is_default=True).first()
    store = ObjectStore(found.pk)
    readme_path, readme = _readme(store, ref) if ref else ("", "")
    return RepositoryOverview(
        summary=_summary(found),
        readme_path=readme_path,
        readme=readme[:README_CHARACTERS],
        readme_is_truncated=len(readme) > README_CHARACTERS,
        layout=_layout(ref) if ref else (),
        documents=_documents(ref) if ref else (),
        recent_commits=_commits(store, ref) if ref else (),
        recent_tags=_tags(store),
    )


def _summary(repository: Repository) -> RepositorySummary:
    refs = sorted(
        repository.refs.all(),
        key=lambda ref: (
            not ref.is_default,
            -ref.committed_at.timestamp() if ref.committed_at else 0,
        ),
    )
    default = refs[0] if refs and refs[0].is_default else None
    counts = default.counts if default else {}
    return RepositorySummary(
        name=repository.name,
        title=repository.title or repository.name,
        description=repository.description,
        visibility=repository.visibility,
        default_branch=default.name if default else "",
        refs=tuple(ref.name for ref in refs),
        freshness=freshness_of(repository, default),
        file_count=counts.get("files", 0),
        indexed_file_count=counts.get("indexed", 0),
        document_count=counts.get("documents", 0),
        languages=_by_count(counts.get("languages", {})),
        skipped=_by_count(counts.get("skipped", {})),
    )


def _by_count(counts: dict[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _readme(store: ObjectStore, ref: Ref) -> tuple[str, str]:
    """Return the path and text of the README in the top folder, Markdown before other formats."""
    found = Entry.objects.filter(
        ref=ref, revision__content__isnull=False, path__path__istartswith="readme"
    ).exclude(path__path__contains="/")
    ranked = sorted(
        found.values_list("path__path", "revision__oid", "revision__content__encoding"),
        key=lambda row: _readme_rank(row[0]),
    )
    for path, oid, encoding in ranked:
        try:
            return path, decoded_as(store.blob(oid), encoding)
        except (Unavailable, TooLarge):
            continue
    return "", ""


def _readme_rank(path: str) -> tuple[int, str]:
    extension = path.lower().partition(".")[2]
    known = extension in _README_ORDER
    return (_README_ORDER.index(extension) if known else len(_README_ORDER), path)


def _layout(ref: Ref) -> tuple[tuple[str, int], ...]:
    """Return the top folders with their file counts, largest first; files of the top are "."."""
    folders = (
        Entry.objects.filter(ref=ref)
        .annotate(folder=Left("path__path", StrIndex("path__path", Value("/"))))
        .values("folder")
        .annotate(files=Count("path"))
        .order_by("-files", "folder")
    )
    counted: Iterable[tuple[str, int]] = folders.values_list("folder", "files")[:_LAYOUT_FOLDERS]
    return tuple((folder or ".", files) for folder, files in counted)


def _documents(ref: Ref) -> tuple[tuple[str, str], ...]:
    """Return the documents nearest to the top, shortest paths first."""
    shown = (
        Entry.objects.filter(ref=ref, revision__content__is_document=True)
        .values_list("path__path", "revision__content__title")
        .order_by(F("path__path"))
    )
    nearest = sorted(shown, key=lambda row: (row[0].count("/"), row[0]))
    return tuple(nearest[:_DOCUMENTS])


def _commits(store: ObjectStore, ref: Ref) -> tuple[CommitSummary, ...]:
    try:
        return store.commits(commit=ref.commit, limit=_COMMITS)
    except Unavailable:
        return ()


def _tags(store: ObjectStore) -> tuple[str, ...]:
    """Return the names of the newest tags of a mirror, newest first; none when it is missing."""
    try:
        return store.newest_tags(limit=_TAGS)
    except Unavailable:
        return ()
