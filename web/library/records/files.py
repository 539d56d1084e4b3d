"""Folders and files, and the lines of one."""

from dataclasses import dataclass

from web.library.records.freshness import Freshness


@dataclass(frozen=True, slots=True)
class FileItem:
    """A row of a listing: a folder (`kind` "folder", `file_count` files below) or a file.

    `kind` of a file is file, symlink, submodule, lfs_pointer or binary; `note` says why it is not
    indexed or where a link points, empty otherwise. A folder with a note has nothing indexed below.
    """

    path: str
    kind: str
    size: int
    language: str
    note: str
    file_count: int = 0


@dataclass(frozen=True, slots=True)
class FileListing:
    """One page of a folder or of the files that match a glob, folders first, then by path."""

    items: tuple[FileItem, ...]
    total_count: int
    next_cursor: str | None
    freshness: Freshness


@dataclass(frozen=True, slots=True)
class FileLines:
    """Lines of a file. `total_lines` agrees with `git grep -c ''`.

    For what has no lines (`kind` symlink, submodule, lfs_pointer, binary, folder) `lines` is empty
    and `note` says what it is. Lines over the bound are cut and listed in `cut_lines`.
    """

    path: str
    kind: str
    size: int
    language: str
    encoding: str
    start_line: int
    lines: tuple[str, ...]
    total_lines: int
    cut_lines: tuple[int, ...]
    note: str
    url: str
    freshness: Freshness
