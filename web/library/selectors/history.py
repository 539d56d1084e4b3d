"""The history of a repository: its commits, and what one of them changed."""

import re
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial

from web.accounts.principals import Principal
from web.core.errors import InvalidInput, NotFound, TooLarge, Unavailable
from web.core.limits import LIMITS
from web.core.paging import check_limit, cursor_for, offset_of
from web.core.transactions import read_transaction
from web.library.git.history import History, change_of
from web.library.git.objects import ObjectStore
from web.library.globs import is_glob
from web.library.indexing.decode import decode, decoded_as
from web.library.models import Content, Repository
from web.library.records.history import CommitDetail, CommitListing
from web.library.selectors.entries import folder_of
from web.library.selectors.links import commit_url
from web.library.selectors.refs import (
    freshness_of,
    ref_for,
    ref_named,
    refs_hint,
    repository_for,
)

_COMMIT = re.compile(r"[0-9a-fA-F]{4,64}")


@read_transaction()
def commits_listed(
    *,
    principal: Principal,
    repository: str,
    path: str | None = None,
    since: datetime | None = None,
    author: str | None = None,
    ref: str | None = None,
    limit: int = LIMITS.default_list_limit,
    cursor: str | None = None,
) -> CommitListing:
    """Return a page of the commits of a ref, newest first.

    `path` keeps those that changed a file or folder against their first parent, `since` those
    committed at or after an instant, `author` those whose author's name or address holds the text.
    Raises InvalidInput for a ref that is not indexed and for a cursor of other arguments.
    """
    found = repository_for(principal, repository)
    at = ref_for(found, ref)
    check_limit(limit, most=LIMITS.max_list_limit)
    folder = folder_of(path)
    filters = {
        "repository": repository,
        "path": folder,
        "since": since,
        "author": author,
        "commit": at.commit if at else "",
    }
    start = offset_of(cursor, filters=filters)
    freshness = freshness_of(found, at)
    if at is None or not at.commit:
        return CommitListing((), 0, True, None, freshness)
    commits = []
    walked = 0
    is_complete = False
    ends_at = time.monotonic() + LIMITS.history_seconds
    history = History(ObjectStore(found.pk), commit=at.commit, path=folder, since=since, skip=start)
    walk = iter(history)
    for commit, is_wanted in walk:
        walked += 1
        if is_wanted and (not author or author.casefold() in commit.author_line.casefold()):
            commits.append(commit.summary)
        full = len(commits) == limit or walked >= LIMITS.max_walked_commits
        if full or time.monotonic() > ends_at:
            is_complete = next(walk, None) is None
            break
    else:
        is_complete = True
    return CommitListing(
        commits=tuple(commits),
        walked_count=start + walked,
        is_complete=is_complete or len(commits) == limit,
        next_cursor=None if is_complete else cursor_for(offset=start + walked, filters=filters),
        freshness=freshness,
        lacks_history=is_complete and history.lacks_history,
    )


@read_transaction()
def commit_detail(
    *, principal: Principal, repository: str, commit: str, path: str | None = None
) -> CommitDetail:
    """Return a commit of a repository, and what it changed against its first parent.

    `commit` is an id or its first 4 characters or more, or the name of an indexed ref, or HEAD for
    the default branch; `path` keeps the changes of a file or folder. Raises NotFound for a commit
    that the repository does not have and for a path that it did not change, InvalidInput for what
    is no id.
    """
    found = repository_for(principal, repository)
    store = ObjectStore(found.pk)
    default = ref_for(found, None)
    if default is None:
        raise NotFound(
            f"Repository {found.name} has nothing indexed yet.",
            hint="Wait for the first sync, or ask staff to sync it.",
        )
    oid = _meant(found, store, commit)
    folder = folder_of(path)
    change = change_of(
        store,
        commit=oid,
        path=folder,
        max_files=LIMITS.max_diff_files,
        max_characters=LIMITS.max_diff_characters,
        reading=partial(_reading, store),
    )
    if folder and not change.matching_count and not change.lacks_parent:
        no_glob = "path is a file or a folder here, no glob. " if is_glob(folder) else ""
        raise NotFound(
            f"Commit {oid[:12]} changed nothing at {folder[:200]!r}.",
            hint=f"{no_glob}Leave path out to see which files it changed.",
        )
    return CommitDetail(
        repository=found.name,
        summary=change.commit.summary,
        message=change.message,
        parents=change.parents,
        file_count=change.file_count,
        added_lines=change.added_lines,
        deleted_lines=change.deleted_lines,
        files=change.files,
        url=commit_url(found.url, commit=oid),
        freshness=freshness_of(found, default),
        path=folder,
        matching_count=change.matching_count,
        lacks_parent=change.lacks_parent,
    )


def _reading(store: ObjectStore, oid: str) -> Callable[[bytes], str]:
    """Return what makes text of bytes of a blob: as it was indexed, else as it would be."""
    indexed = Content.objects.filter(oid=oid).order_by("-version")
    encoding = indexed.values_list("encoding", flat=True).first()
    if encoding is None:
        with suppress(Unavailable, TooLarge):  # none on this side, or too large to be looked at
            decoded = decode(store.blob(oid))
            encoding = decoded.encoding if decoded else None
    return partial(decoded_as, encoding=encoding or "utf-8")


def _meant(repository: Repository, store: ObjectStore, text: str) -> str:
    """Return the full id of the commit that a caller names; git reads nothing of the text."""
    named = ref_named(repository, text)
    if named is not None and named.commit:
        return named.commit
    if not _COMMIT.fullmatch(text):
        raise InvalidInput(
            f"{text[:100]!r} is neither the id of a commit nor an indexed tag or branch.",
            hint="Use an id from list_commits, at least its first 4 characters. "
            + refs_hint(repository, text),
            fields={"commit": "neither the id of a commit nor an indexed ref"},
        )
    found = store.commit_id(text.lower())
    if found is not None:
        return found
    raise NotFound(
        f"There is no commit {text[:64]!r} in repository {repository.name}.",
        hint="Use list_commits to see the history.",
    )
