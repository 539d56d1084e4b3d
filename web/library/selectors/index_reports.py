"""Why the index is as it is: what a ref has by reason, and what became of one file on each ref.

For operators. What a file's text is cut into is looked at again from its blob, so that a report
also says what the index leaves out of it.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Sum

from web.accounts.principals import Principal
from web.core.errors import NotFound, TooLarge, Unavailable
from web.library.git.objects import ObjectStore
from web.library.indexing import skipping
from web.library.indexing.analysis import analyse
from web.library.indexing.decode import decoded_as
from web.library.models import (
    Chunk,
    Content,
    Entry,
    EntryKind,
    FileRevision,
    Ref,
    Repository,
    Symbol,
)
from web.library.selectors.entries import revision_at
from web.library.selectors.refs import ref_for, repository_for

_EXAMPLES = 3
_KIND_REASONS = {
    EntryKind.SYMLINK: skipping.SYMLINK,
    EntryKind.SUBMODULE: skipping.SUBMODULE,
    EntryKind.LFS_POINTER: skipping.LFS_POINTER,
    EntryKind.BINARY: skipping.BINARY,
}


@dataclass(frozen=True, slots=True)
class SkippedFiles:
    """The files that are not indexed for one reason: how many, the first paths, what to do."""

    reason: str
    files: int
    size_bytes: int
    examples: tuple[str, ...]
    advice: str


@dataclass(frozen=True, slots=True)
class RefReport:
    """What one ref has in the index; `skipped` are all other files, most files first."""

    ref: str
    kind: str
    is_default: bool
    commit: str
    indexed_at: datetime | None
    files: int
    indexed: int
    documents: int
    chunks: int
    symbols: int
    skipped: tuple[SkippedFiles, ...]


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of a path on one ref: `state` is "indexed", "not indexed" or "absent".

    `reason` and `advice` are of what is not indexed; `left_out` says what of an indexed file's
    structure is not in the index. Sizes are bytes, of the real object for Git LFS.
    """

    ref: str
    commit: str
    path: str
    state: str
    kind: str = ""
    size_bytes: int = 0
    oid: str = ""
    language: str = ""
    reason: str = ""
    advice: str = ""
    read_as: str = ""
    is_document: bool = False
    title: str = ""
    encoding: str = ""
    lines: int = 0
    chunks: int = 0
    symbols: int = 0
    left_out: tuple[str, ...] = ()


def index_report(
    *, principal: Principal, repository: str, ref: str | None = None
) -> tuple[RefReport, ...]:
    """Return the counts of each indexed ref, the default one first, or of one that is named.

    Raises NotFound for an unknown repository, InvalidInput for a ref that is not indexed.
    """
    found = repository_for(principal, repository)
    return tuple(_ref_report(one) for one in _refs(found, ref))


def file_report(
    *, principal: Principal, repository: str, path: str, ref: str | None = None
) -> tuple[FileReport, ...]:
    """Return what became of a path on each indexed ref, or on one that is named.

    Raises NotFound, with the nearest paths, when none of the refs has it; as `index_report` else.
    """
    found = repository_for(principal, repository)
    refs = _refs(found, ref)
    shown: dict[int, FileRevision] = {}
    for one in refs:
        try:
            shown[one.pk] = revision_at(found, one, path)
        except NotFound:
            continue
    if not shown:
        revision_at(found, refs[0] if refs else None, path)  # raises, and says what is near
    store = ObjectStore(found.pk)
    return tuple(_file_report(store, one, path, shown.get(one.pk)) for one in refs)


def _refs(repository: Repository, name: str | None) -> list[Ref]:
    if name:
        found = ref_for(repository, name)
        return [found] if found else []
    return list(Ref.objects.filter(repository=repository).order_by("-is_default", "-committed_at"))


def _ref_report(ref: Ref) -> RefReport:
    shown = Entry.objects.filter(ref=ref, revision__content__isnull=False)
    contents = shown.values("revision__content")
    return RefReport(
        ref=ref.name,
        kind=ref.kind,
        is_default=ref.is_default,
        commit=ref.commit,
        indexed_at=ref.indexed_at,
        files=ref.counts.get("files", 0),
        indexed=ref.counts.get("indexed", 0),
        documents=ref.counts.get("documents", 0),
        chunks=Chunk.objects.filter(content__in=contents).count(),
        symbols=Symbol.objects.filter(content__in=contents).count(),
        skipped=tuple(
            _skipped(ref, reason, files)
            for reason, files in sorted(
                ref.counts.get("skipped", {}).items(), key=lambda item: (-item[1], item[0])
            )
        ),
    )


def _skipped(ref: Ref, reason: str, files: int) -> SkippedFiles:
    entries = Entry.objects.filter(ref=ref, revision__skip_reason=reason)
    paths = entries.order_by("path__path").values_list("path__path", flat=True)
    return SkippedFiles(
        reason=reason,
        files=files,
        size_bytes=entries.aggregate(size=Sum("revision__size"))["size"] or 0,
        examples=tuple(paths[:_EXAMPLES]),
        advice=skipping.advice_on(reason),
    )


def _file_report(
    store: ObjectStore, ref: Ref, path: str, revision: FileRevision | None
) -> FileReport:
    if revision is None:
        return FileReport(ref=ref.name, commit=ref.commit, path=path, state="absent")
    content = revision.content
    reason = revision.skip_reason or _KIND_REASONS.get(EntryKind(revision.kind), "")
    reason = "" if content else reason
    return FileReport(
        ref=ref.name,
        commit=ref.commit,
        path=revision.path.path,
        state="indexed" if content else "not indexed",
        kind=revision.kind,
        size_bytes=revision.size,
        oid=revision.oid,
        language=revision.language,
        reason=reason,
        advice=skipping.advice_on(reason),
        read_as=content.format if content else "",
        is_document=bool(content and content.is_document),
        title=content.title if content else "",
        encoding=content.encoding if content else "",
        lines=content.line_count if content else 0,
        chunks=content.chunks.count() if content else 0,
        symbols=content.symbols.count() if content else 0,
        left_out=_left_out(store, content) if content else (),
    )


def _left_out(store: ObjectStore, content: Content) -> tuple[str, ...]:
    try:
        text = decoded_as(store.blob(content.oid), content.encoding)
    except (Unavailable, TooLarge):
        return ("unknown: the file cannot be read from the mirror now",)
    analysis = analyse(text, format=content.format, is_document=content.is_document)
    return analysis.left_out
