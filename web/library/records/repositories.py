"""Repositories in a list, and what to know of one first."""

from dataclasses import dataclass

from web.library.records.freshness import Freshness
from web.library.records.history import CommitSummary


@dataclass(frozen=True, slots=True)
class RepositorySummary:
    """A repository in a list. `languages` are (name, files), most files first."""

    name: str
    title: str
    description: str
    visibility: str
    default_branch: str
    refs: tuple[str, ...]
    freshness: Freshness
    file_count: int
    indexed_file_count: int
    document_count: int
    languages: tuple[tuple[str, int], ...]
    skipped: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class RepositoryOverview:
    """What to know first: `readme` is its start, `layout` the top folders with file counts."""

    summary: RepositorySummary
    readme_path: str
    readme: str
    readme_is_truncated: bool
    layout: tuple[tuple[str, int], ...]
    documents: tuple[tuple[str, str], ...]  # (path, title), at most a handful
    recent_commits: tuple[CommitSummary, ...]
    recent_tags: tuple[str, ...]
