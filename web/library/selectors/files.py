"""Files of a repository: a folder or a glob of them, and the lines of one."""

from configparser import ConfigParser
from configparser import Error as ConfigError
from dataclasses import replace

from django.db.models import CharField, Count, F, IntegerField, Value
from django.db.models.functions import Left, StrIndex, Substr

from web.accounts.principals import Principal
from web.core.errors import InvalidInput, NotFound, TooLarge, Unavailable
from web.core.limits import LIMITS
from web.core.paging import check_limit, cursor_for, offset_of
from web.core.transactions import read_transaction
from web.library.git.objects import ObjectStore
from web.library.globs import glob_of, is_glob
from web.library.indexing import skipping
from web.library.indexing.decode import Decoded, decode, decoded_as, lines_of
from web.library.models import Entry, EntryKind, FileRevision, Ref, Repository
from web.library.records.files import FileItem, FileLines, FileListing
from web.library.selectors.entries import (
    entries_below,
    folder_of,
    nearest_folders,
    refuse_below_unopened,
    revision_at,
)
from web.library.selectors.links import file_url
from web.library.selectors.refs import freshness_of, ref_for, repository_for

_LINK_BYTES = 4096
_ROWS_READ = 2000


@read_transaction()
def files_listed(
    *,
    principal: Principal,
    repository: str,
    path: str | None = None,
    pattern: str | None = None,
    ref: str | None = None,
    limit: int = LIMITS.default_list_limit,
    cursor: str | None = None,
) -> FileListing:
    """Return a page of the folder `path`: its folders, then its files, both by name.

    With `pattern`, a glob in the syntax of .gitignore over whole paths, the page is of all files
    below the folder that match. Raises NotFound for a folder that is not there, InvalidInput for a
    ref that is not indexed, a pattern that is none and a cursor of other arguments.
    """
    found = repository_for(principal, repository)
    at = ref_for(found, ref)
    folder = folder_of(path)
    filters = {
        "repository": repository,
        "path": folder,
        "pattern": pattern,
        "commit": at.commit if at else "",
    }
    start = offset_of(cursor, filters=filters)
    check_limit(limit, most=LIMITS.max_list_limit)
    freshness = freshness_of(found, at)
    if at is None:
        return FileListing((), 0, None, freshness)
    if pattern:
        items, total = _matching(found, at, folder, pattern, start=start, limit=limit)
    else:
        items, total = _children(found, at, folder, start, limit)
    if folder and not total and not entries_below(at, folder).exists():
        items, total = _alone(found, at, folder), 1
    more = start + len(items) < total
    return FileListing(
        items=tuple(items),
        total_count=total,
        next_cursor=cursor_for(offset=start + len(items), filters=filters) if more else None,
        freshness=freshness,
    )


@read_transaction()
def file_lines(
    *,
    principal: Principal,
    repository: str,
    path: str,
    ref: str | None = None,
    start_line: int = 1,
    line_count: int = LIMITS.max_read_lines,
) -> FileLines:
    """Return at most `line_count` lines of a file from `start_line` on.

    What has no lines (a symbolic link, a Git LFS pointer, a binary or very large file) is told as
    such, from its size alone. Raises NotFound, InvalidInput for a submodule, for lines past the
    end and for a ref that is not indexed, Unavailable when the mirror lacks the file.
    """
    found = repository_for(principal, repository)
    at = ref_for(found, ref)
    if not 1 <= line_count <= LIMITS.max_read_lines:
        raise InvalidInput(
            f"line_count must be from 1 to {LIMITS.max_read_lines}.",
            fields={"line_count": f"Input should be from 1 to {LIMITS.max_read_lines}"},
        )
    if start_line < 1:
        raise InvalidInput(
            "Lines count from 1.", fields={"start_line": "Input should be greater than 0"}
        )
    revision = revision_at(found, at, path)
    store = ObjectStore(found.pk)
    if revision.kind == EntryKind.SUBMODULE:
        raise _is_submodule(store, at, revision)
    without_lines = FileLines(
        path=revision.path.path,
        kind=revision.kind,
        size=revision.size,
        language=revision.language,
        encoding="",
        start_line=1,
        lines=(),
        total_lines=0,
        cut_lines=(),
        note=_note(store, revision),
        url=_url(found, at, revision),
        freshness=freshness_of(found, at),
    )
    if revision.kind != EntryKind.FILE:
        return without_lines
    try:
        decoded = _decoded(store.blob(revision.oid), revision)
    except TooLarge as error:
        return replace(without_lines, note=error.words)
    if decoded is None:
        return replace(without_lines, kind=EntryKind.BINARY.value, note="binary file")
    return _read(without_lines, decoded.text, decoded.encoding, start_line, line_count)


def _decoded(data: bytes, revision: FileRevision) -> Decoded | None:
    """Return the text of a file, an indexed one's as it was indexed; None for binary."""
    if revision.content is None:
        return decode(data)
    encoding = revision.content.encoding
    return Decoded(decoded_as(data, encoding), encoding)


def _url(repository: Repository, ref: Ref | None, revision: FileRevision) -> str:
    if ref is None or revision.skip_reason == skipping.LONG_PATH:
        return ""  # a path that is kept shortened leads nowhere
    return file_url(repository.url, commit=ref.commit, path=revision.path.path)


def _read(file: FileLines, text: str, encoding: str, start_line: int, line_count: int) -> FileLines:
    lines = lines_of(text)
    if start_line > max(len(lines), 1):
        raise InvalidInput(
            f"The file has {len(lines)} lines; start_line is {start_line}.",
            hint=f"Use a start_line from 1 to {max(len(lines), 1)}.",
            fields={"start_line": f"Input should be less than or equal to {max(len(lines), 1)}"},
        )
    shown = lines[start_line - 1 : start_line - 1 + line_count]
    longest = LIMITS.max_line_characters
    return replace(
        file,
        encoding=encoding,
        start_line=start_line,
        lines=tuple(line[:longest] for line in shown),
        total_lines=len(lines),
        cut_lines=tuple(
            number for number, line in enumerate(shown, start_line) if len(line) > longest
        ),
    )


def _children(
    repository: Repository, ref: Ref, folder: str, start: int, limit: int
) -> tuple[list[FileItem], int]:
    """Return a page of one folder, and how many rows it has in all."""
    first = len(folder) + 2 if folder else 1
    rows = entries_below(ref, folder).annotate(
        rest=Substr("path__path", first, output_field=CharField()),
        slash=StrIndex("rest", Value("/"), output_field=IntegerField()),
    )
    folders = (
        rows.filter(slash__gt=0)
        .annotate(folder=Left("rest", F("slash") - 1))
        .values("folder")
        .annotate(files=Count("path"))
        .order_by("folder")
        .values_list("folder", "files")
    )
    files = rows.filter(slash=0).select_related("revision__path").order_by("path__path")
    folder_total, file_total = folders.count(), files.count()
    above = f"{folder}/" if folder else ""
    items = [
        FileItem(f"{above}{name}", "folder", 0, "", "", count)
        for name, count in folders[start : start + limit]
    ]
    skipped = max(start - folder_total, 0)
    store = ObjectStore(repository.pk)
    items += [
        _item(store, entry.revision) for entry in files[skipped : skipped + limit - len(items)]
    ]
    return items, folder_total + file_total


def _matching(
    repository: Repository, ref: Ref, folder: str, pattern: str, *, start: int, limit: int
) -> tuple[list[FileItem], int]:
    """Return a page of the files that match a glob, and how many do.

    The glob becomes an automaton of re2: linear in the length of a path whatever the pattern.
    """
    spec = glob_of(pattern, argument="pattern")
    rows = entries_below(ref, folder).order_by("path__path").values_list("path", "path__path")
    matching = [pk for pk, path in rows.iterator(chunk_size=_ROWS_READ) if spec.match_file(path)]
    page = Entry.objects.filter(ref=ref, path__in=matching[start : start + limit])
    store = ObjectStore(repository.pk)
    items = page.select_related("revision__path").order_by("path__path")
    return [_item(store, entry.revision) for entry in items], len(matching)


def _alone(repository: Repository, ref: Ref, path: str) -> list[FileItem]:
    """Return the listing of what is a file and no folder. Raises NotFound where nothing is."""
    try:
        return [_item(ObjectStore(repository.pk), revision_at(repository, ref, path))]
    except NotFound:
        refuse_below_unopened(ref, path)
        near = nearest_folders(ref, path)
        hint = f"Near it: {', '.join(near)}." if near else "Leave path out to see the root."
        if is_glob(path):
            hint = "A glob belongs into pattern, which looks at all files below path."
        raise NotFound(
            f"There is no folder {path[:200]!r} in repository {repository.name} at {ref.name}.",
            hint=hint,
        ) from None


def _item(store: ObjectStore, revision: FileRevision) -> FileItem:
    return FileItem(
        path=revision.path.path,
        kind=revision.kind,
        size=revision.size,
        language=revision.language,
        note=_note(store, revision),
        file_count=0,
    )


def _note(store: ObjectStore, revision: FileRevision) -> str:
    """Return what a reader should know of a file; empty for an indexed one."""
    if revision.kind == EntryKind.SYMLINK:
        target = _link_target(store, revision)
        return f"symbolic link to {target!r}, which is not followed" if target else "symbolic link"
    if revision.kind == EntryKind.SUBMODULE:
        return f"submodule at commit {revision.oid}"
    if revision.kind == EntryKind.LFS_POINTER:
        size = f"{revision.size:,} bytes"
        return f"Git LFS pointer to an object of {size}, which is not in the repository"
    if revision.content_id is None and revision.skip_reason:
        return f"not indexed, because: {revision.skip_reason}"
    return ""


def _link_target(store: ObjectStore, revision: FileRevision) -> str:
    try:
        return store.blob(revision.oid, max_bytes=_LINK_BYTES).decode("utf-8", "backslashreplace")
    except (Unavailable, TooLarge):
        return ""


def _is_submodule(store: ObjectStore, ref: Ref | None, revision: FileRevision) -> InvalidInput:
    path = revision.path.path
    address = _submodule_address(store, ref, path)
    return InvalidInput(
        f"{path!r} is a submodule at commit {revision.oid}: "
        "its files belong to another repository.",
        hint=f"It points to {address}." if address else "",
        fields={"path": "is a submodule"},
    )


def _submodule_address(store: ObjectStore, ref: Ref | None, path: str) -> str:
    """Return the address that .gitmodules has for a submodule, empty where it has none."""
    entries = Entry.objects.filter(ref=ref, path__path=".gitmodules")
    listed = entries.select_related("revision").first()
    if listed is None:
        return ""
    modules = ConfigParser(interpolation=None, strict=False)
    try:
        modules.read_string(store.blob(listed.revision.oid).decode("utf-8", "replace"))
    except (ConfigError, Unavailable, TooLarge):
        return ""
    for section in modules.values():
        if section.get("path") == path:
            return section.get("url", "")
    return ""
