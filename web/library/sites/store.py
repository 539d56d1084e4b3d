"""The mirror of a site: pages as blobs, a commit per crawl that changed something, and the memory.

The memory (validators of the pages for conditional requests) is a blob under a ref of its own,
which no reader of the repository sees.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

import pygit2
from pygit2.enums import FileMode

from web.core.errors import Unavailable
from web.library.git.mirrors import mirror_path
from web.library.git.remotes import RemoteRefs

BRANCH = "refs/heads/site"
_MEMORY = "refs/portolan/site"
_MEMORY_VERSION = 1
_FILE_MODE = FileMode.BLOB


@dataclass(frozen=True, slots=True)
class KnownPage:
    """What is remembered of a page: where its text is, and what makes the next request cheap."""

    path: str
    oid: str
    etag: str = ""
    last_modified: str = ""
    changed: str = ""  # what the sitemap said
    fetched_at: float = 0.0  # seconds since the epoch


@dataclass(frozen=True, slots=True)
class Memory:
    """The state after the last crawl: pages by address."""

    listing: str = ""
    crawled_at: float = 0.0
    pages: Mapping[str, KnownPage] = field(default_factory=dict)


class SiteStore:
    """The bare repository of one site, made when it is not there. Needs the mirror's lock."""

    def __init__(self, repository_id: int) -> None:
        path = mirror_path(repository_id)
        try:
            if (path / "HEAD").exists():
                self._git = pygit2.Repository(str(path))
            else:
                self._git = pygit2.init_repository(str(path), bare=True)
                self._git.set_head(BRANCH)
        except pygit2.GitError:
            raise Unavailable(
                "The mirror of the site cannot be opened.", hint="Remove the site and add it anew."
            ) from None

    def memory(self) -> Memory:
        """Return what the last crawl left; an empty one after none, or one of another version."""
        reference = self._git.references.get(_MEMORY)
        blob = self._git.get(reference.target) if reference is not None else None
        if not isinstance(blob, pygit2.Blob):
            return Memory()
        kept = json.loads(blob.data)
        if kept["version"] != _MEMORY_VERSION:
            return Memory()
        pages = {url: KnownPage(**page) for url, page in kept["pages"].items()}
        held = {url: page for url, page in pages.items() if page.oid in self._git}
        return Memory(kept["listing"], kept["crawled_at"], held)

    def remember(self, memory: Memory) -> None:
        """Keep what the next crawl needs."""
        kept: dict[str, Any] = {
            "version": _MEMORY_VERSION,
            "listing": memory.listing,
            "crawled_at": memory.crawled_at,
            "pages": {url: asdict(page) for url, page in memory.pages.items()},
        }
        oid = self._git.create_blob(json.dumps(kept, sort_keys=True).encode())
        self._git.references.create(_MEMORY, oid, force=True)

    def add(self, text: str) -> str:
        """Keep a text; return its id."""
        return str(self._git.create_blob(text.encode("utf-8", "replace")))

    def commit(self, files: Mapping[str, str], *, message: str, at: datetime) -> None:
        """Make these files (ids by path) the newest state, unless they are it already."""
        index = pygit2.Index()
        for path, oid in files.items():
            index.add(pygit2.IndexEntry(path, pygit2.Oid(hex=oid), _FILE_MODE))
        tree = index.write_tree(self._git)
        branch = self._git.references.get(BRANCH)
        parent = branch.peel(pygit2.Commit) if branch is not None else None
        if parent is not None and parent.tree_id == tree:
            return
        author = pygit2.Signature("Portolan", "portolan@localhost", int(at.timestamp()), 0)
        parents = [parent.id] if parent is not None else []
        commit = self._git.create_commit(None, author, author, message, tree, parents)
        self._git.references.create(BRANCH, commit, force=True)

    def refs(self) -> RemoteRefs:
        """Return the branch as a remote would list it."""
        branch = self._git.references.get(BRANCH)
        if branch is None:
            return RemoteRefs(objects={}, head="", head_branch="")
        commit = str(branch.target)
        return RemoteRefs(objects={BRANCH: commit}, head=commit, head_branch=BRANCH)
