"""Files that a caller means and that are not indexed: which, and why."""

from collections.abc import Callable, Sequence

from web.library.models import Entry

_LOOKED_AT = 20_000
_LONGEST_PATH = 120


def skipped_hint(ref_ids: Sequence[int], passes: Callable[[str, str], bool]) -> str:
    """Return a sentence on the files of these refs that pass and are not indexed.

    `passes` says so of a path and a language. Empty when there are none among the first
    20,000 that are not indexed.
    """
    rows = (
        Entry.objects.filter(ref_id__in=ref_ids, revision__content__isnull=True)
        .order_by("path__path")
        .values_list("path__path", "revision__language", "revision__skip_reason")[:_LOOKED_AT]
    )
    found = [(path, reason) for path, language, reason in rows if passes(path, language)]
    return not_indexed(found) if found else ""


def not_indexed(files: Sequence[tuple[str, str]]) -> str:
    """Return a sentence on files, as paths with the reason why each is not indexed."""
    path, reason = files[0]
    others = f", and {len(files) - 1:,} more files here are not either" if files[1:] else ""
    return (
        f"{path[:_LONGEST_PATH]} is not indexed, because: {reason}{others}. "
        "read_file shows what it is."
    )
