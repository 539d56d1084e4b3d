"""Paths of a ref: looked up in the index alone, so that nothing outside of a tree can be named."""

from difflib import get_close_matches

from django.db.models import CharField, F, QuerySet, Value
from django.db.models.functions import Left, StrIndex, Substr

from web.core.errors import NotFound
from web.core.limits import LIMITS
from web.library.git.paths import LARGEST_KEPT_BYTES, kept_path, path_bytes
from web.library.models import Entry, EntryKind, FileRevision, Ref, Repository

_SUGGESTED = 5
_COMPARED = 2000
_LONGEST_COMPARED = 300


def entries_below(ref: Ref, folder: str) -> QuerySet[Entry]:
    """Return the entries of a ref below a folder, of all of it for an empty one."""
    entries = Entry.objects.filter(ref=ref)
    if not folder:
        return entries
    # "0" is the character after "/": a range over the index of paths.
    return entries.filter(path__path__gte=f"{folder}/", path__path__lt=f"{folder}0")


def revision_at(repository: Repository, ref: Ref | None, path: str) -> FileRevision:
    """Return what a ref has at a path, with its path and content.

    Raises NotFound, in the same words for every path that is not there, with the nearest paths.
    """
    name = path.removeprefix("./")
    if ref is not None and "\0" not in name:
        entry = (
            Entry.objects.filter(ref=ref, path__path__in={name, _kept(name)})
            .select_related("revision__path", "revision__content")
            .first()
        )
        if entry is not None:
            return entry.revision
        refuse_below_unopened(ref, name)
    raise NotFound(
        f"There is no file {path[:200]!r} in repository {repository.name}"
        + (f" at {ref.name}." if ref else ": it has nothing indexed yet."),
        hint=_hint(ref, name) if ref else "Wait for the first sync, or ask staff to sync it.",
    )


def _kept(path: str) -> str:
    """Return how the index has a path that may be too long for it."""
    data = path_bytes(path)
    return kept_path(data) if len(data) > LARGEST_KEPT_BYTES else path


def refuse_below_unopened(ref: Ref, path: str) -> None:
    """Raise NotFound for a path below a folder that was not opened, with the reason."""
    parts = path[: LIMITS.max_path_characters].split("/")
    above = {_kept("/".join(parts[:count])) for count in range(1, len(parts))}
    unopened = (
        Entry.objects.filter(ref=ref, path__path__in=above, revision__kind=EntryKind.FOLDER)
        .values_list("path__path", "revision__skip_reason")
        .first()
    )
    if unopened:
        folder, reason = unopened
        raise NotFound(
            f"What is below the folder {folder[:200]!r} at {ref.name} is not indexed, "
            f"because: {reason}.",
            hint="Clone the repository to work with these files.",
        )


def folder_of(path: str | None) -> str:
    """Return a folder's path as entries have it: no slash at either end, empty for the root."""
    folder = (path or "").replace("\0", "\ufffd").removeprefix("./").strip("/")
    return "" if folder == "." else folder


def _hint(ref: Ref, path: str) -> str:
    general = "Use list_files or search_code to find it."
    if not path or len(path) > _LONGEST_COMPARED or "\0" in path:
        return general
    folder = path.strip("/")
    if entries_below(ref, folder).exists():
        return f"It is a folder: use list_files with path={folder!r}."
    near = nearest_paths(ref, path)
    return f"Did you mean: {', '.join(near)}?" if near else general


def nearest_paths(ref: Ref, path: str) -> list[str]:
    """Return paths of the ref that look like `path`: the same name elsewhere, or a near name."""
    folder, _, name = path.rpartition("/")
    if not name:
        return []
    paths = Entry.objects.filter(ref=ref).values_list("path__path", flat=True)
    elsewhere = list(paths.filter(path__path__iendswith=f"/{name}").order_by("path__path")[:50])
    elsewhere += list(paths.filter(path__path__iexact=name)[:1])
    if elsewhere:
        return get_close_matches(path, elsewhere, n=_SUGGESTED, cutoff=0) or elsewhere[:_SUGGESTED]
    beside = _existing(ref, folder)
    near = list(entries_below(ref, beside).values_list("path__path", flat=True)[:_COMPARED])
    return get_close_matches(path, near, n=_SUGGESTED, cutoff=0.7)


def nearest_folders(ref: Ref, path: str) -> list[str]:
    """Return folders that look like the first part of `path` that does not exist."""
    if len(path) > _LONGEST_COMPARED or "\0" in path:
        return []
    above = _existing(ref, path.rpartition("/")[0])
    first = len(above) + 2 if above else 1
    rest = Substr("path__path", first, output_field=CharField())
    names = (
        entries_below(ref, above)
        .annotate(rest=rest, slash=StrIndex("rest", Value("/")))
        .filter(slash__gt=0)
        .annotate(folder=Left("rest", F("slash") - 1))
        .values_list("folder", flat=True)
        .distinct()
    )
    folded = {name.casefold(): f"{above}/{name}".lstrip("/") for name in names[:_COMPARED]}
    missing = path[first - 1 :].partition("/")[0].casefold()
    close = get_close_matches(missing, folded, n=_SUGGESTED, cutoff=0.6)
    return [folded[match] for match in close]


def _existing(ref: Ref, folder: str) -> str:
    """Return the innermost folder of a path that the ref has."""
    while folder and not entries_below(ref, folder).exists():
        folder = folder.rpartition("/")[0]
    return folder
