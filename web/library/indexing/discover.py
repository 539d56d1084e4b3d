"""Deciding about each entry of a tree: what it is, how it would be read, and why not if not.

A verdict depends on the path, the mode, the bytes and the repository's own globs, and on nothing
else: the same entry always gets the same verdict, whatever was indexed before.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pathspec import GitIgnoreSpec

from web.core.errors import InvalidInput
from web.core.limits import LIMITS
from web.library.globs import MALFORMED
from web.library.indexing import skipping
from web.library.indexing.decode import Decoded, decode
from web.library.indexing.languages import DOCUMENT_FORMATS, language_of
from web.library.models import EntryKind

# Raised whenever the rules of discovery, decoding or analysis change what an entry or a content
# is: every ref is then read anew at its next sync, and its contents are written anew beside the
# old ones, which go when nothing shows them any more. What changes the text of a chunk for the
# same encoding, or its tokens (`search.tokens`), needs a migration that empties the index: old
# texts are taken out of the full-text tables by giving them once more.
RULES_VERSION = 7
_LFS_MAX_BYTES = 1024
# Folders in which plain text is documentation.
_DOCUMENT_FOLDERS = frozenset({"doc", "docs", "documentation"})


@dataclass(frozen=True, slots=True)
class Verdict:
    """What stands at a path. `format` is empty for what is not indexed, which has a `skip_reason`.

    `needs_text` says that the language is only known from the first line.
    """

    kind: EntryKind
    size: int = 0
    language: str = ""
    format: str = ""
    is_document: bool = False
    skip_reason: str = ""
    needs_text: bool = False


class Rules:
    """The rules of one repository: its documentation globs and what it excludes.

    `fingerprint` differs where they, or the bounds on the size of a file or folder, do.
    """

    def __init__(
        self, *, documentation_globs: Sequence[str] = (), exclude_globs: Sequence[str] = ()
    ) -> None:
        self._documentation = _compiled(documentation_globs, "documentation_globs")
        self._excluded = _compiled(exclude_globs, "exclude_globs")
        globs = (list(documentation_globs), list(exclude_globs))
        bounds = (LIMITS.max_indexed_file_bytes, LIMITS.max_folder_bytes)
        recipe = repr((RULES_VERSION, *globs, *bounds))
        self.fingerprint = hashlib.sha256(recipe.encode()).hexdigest()[:16]

    def of_path(self, path: str, *, size: int) -> Verdict:
        """Return what path and size tell: a final verdict, or how the file would be read."""
        language = language_of(path)
        verdict = Verdict(kind=EntryKind.FILE, size=size, language=language)
        if self._excluded is not None and self._excluded.match_file(path):
            return replace(verdict, skip_reason=skipping.EXCLUDED)
        if reason := skipping.reason_of_path(path):
            return replace(verdict, skip_reason=reason)
        is_document = self._is_document(path, language)
        return replace(
            verdict,
            format=language or "text",
            is_document=is_document,
            needs_text=not language,
        )

    def _is_document(self, path: str, language: str) -> bool:
        if language and language not in DOCUMENT_FORMATS:
            return False
        if self._documentation is not None:
            return bool(self._documentation.match_file(path))
        *folders, name = path.lower().split("/")
        if name.startswith("readme") or language in DOCUMENT_FORMATS - {"text"}:
            return True
        return name.endswith(".txt") and not _DOCUMENT_FOLDERS.isdisjoint(folders)


def needs_blob(verdict: Verdict, path: str) -> bool:
    """Say whether the bytes are needed to know what it is; a large image is one by its name."""
    return not (skipping.has_binary_name(path) and verdict.size > _LFS_MAX_BYTES)


def binary(verdict: Verdict) -> Verdict:
    """Return the verdict over a binary file."""
    return Verdict(kind=EntryKind.BINARY, size=verdict.size, skip_reason=skipping.BINARY)


def skipped(verdict: Verdict, reason: str) -> Verdict:
    """Return the verdict over a file that is not indexed for a reason."""
    return replace(verdict, skip_reason=reason, format="", is_document=False, needs_text=False)


def of_skipped_bytes(verdict: Verdict, head: bytes) -> Verdict:
    """Complete the verdict over a file that is not indexed anyway with what its start tells."""
    if (size := skipping.lfs_size(head)) is not None:
        return lfs_pointer(verdict, size)
    return binary(verdict) if skipping.looks_binary(head) else skipped(verdict, verdict.skip_reason)


def lfs_pointer(verdict: Verdict, size: int) -> Verdict:
    """Return the verdict over a pointer; its size is the real object's."""
    return Verdict(
        kind=EntryKind.LFS_POINTER,
        size=size,
        language=verdict.language,
        skip_reason=skipping.LFS_POINTER,
    )


def of_bytes(verdict: Verdict, path: str, data: bytes) -> tuple[Verdict, Decoded | None]:
    """Return the final verdict over a file that would be indexed, with its text if it is."""
    if (size := skipping.lfs_size(data)) is not None:
        return lfs_pointer(verdict, size), None
    decoded = decode(data)
    if decoded is None:
        return binary(verdict), None
    if verdict.needs_text:
        first_line = decoded.text[:200].partition("\n")[0]
        language = language_of(path, first_line=first_line)
        is_document = verdict.is_document and (not language or language in DOCUMENT_FORMATS)
        verdict = replace(
            verdict,
            language=language,
            format=language or "text",
            is_document=is_document,
            needs_text=False,
        )
    reason = skipping.reason_of_text(
        decoded.text, language=verdict.language, is_document=verdict.is_document
    )
    if not decoded.text.strip():
        reason = skipping.EMPTY
    return (skipped(verdict, reason), None) if reason else (verdict, decoded)


def checked_globs(globs: Sequence[str], *, field: str) -> list[str]:
    """Return the patterns without blanks. Raises InvalidInput for one that git cannot read."""
    cleaned = [pattern.strip() for pattern in globs if pattern.strip()]
    _compiled(cleaned, field)
    return cleaned


def _compiled(globs: Sequence[str], field: str) -> GitIgnoreSpec | None:
    if not globs:
        return None
    try:
        return GitIgnoreSpec.from_lines(globs)
    except MALFORMED as error:
        raise InvalidInput(
            f"One of the patterns {', '.join(globs)} is malformed.",
            hint="Write them as in .gitignore, for example docs/**/*.md.",
            fields={field: "malformed pattern"},
        ) from error
