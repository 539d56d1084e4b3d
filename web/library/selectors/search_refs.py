"""Which refs one search is over, in one state of the index."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import connection

from web.accounts.principals import Principal
from web.core.errors import InvalidInput
from web.library.models import Ref, Repository, Visibility
from web.library.records.freshness import Freshness
from web.library.search.filters import entry_test
from web.library.search.query import Filters
from web.library.search.scope import Scope, narrowed, scope_of
from web.library.search.views import SearchedRef
from web.library.selectors.generation import index_generation
from web.library.selectors.refs import (
    freshness_of,
    ref_for,
    repository_for,
    sees_every_repository,
)


@dataclass(frozen=True, slots=True)
class SearchedRefs:
    """The refs of a search, at most one per repository, in the order of lists.

    `unindexed` are the repositories that it would be over as well, were anything of them indexed.
    """

    refs: tuple[SearchedRef, ...]
    generation: int
    is_over_all: bool
    unindexed: tuple[Freshness, ...] = ()

    @property
    def freshness(self) -> tuple[Freshness, ...]:
        """What an answer says of each ref, and then of what is not indexed yet."""
        return (*(each.freshness for each in self.refs), *self.unindexed)

    def scope(self, *, is_document: bool) -> Scope:
        """Return all code or all documents of the refs."""
        return scope_of(self.refs, is_document=is_document, all_homes=self.is_over_all)

    def narrowed(
        self,
        filters: Filters,
        *,
        is_document: bool,
        path: str | None = None,
        language: str | None = None,
    ) -> Scope:
        """Return what passes the arguments and the query's own filters."""
        whole = self.scope(is_document=is_document)
        test = entry_test(
            path=path, language=language, filters=filters, known_languages=whole.languages
        )
        if test is None:
            return whole
        return narrowed(whole, test, key=(path, language, filters))


def searched_refs(
    principal: Principal, repository: str | None, ref: str | None, filters: Filters
) -> SearchedRefs:
    """Return the refs that a call and the `repo:` filters of its query mean.

    Called first in the transaction of a search. Raises NotFound for a repository that may not be
    seen, InvalidInput for a ref that is not indexed and for a ref without a repository.
    """
    generation = index_generation()
    names = _names(repository, filters)
    if ref and len(names) == 1:
        found = repository_for(principal, names[0])
        at = ref_for(found, ref)
        one = (_searched(found, at),) if at else ()
        return SearchedRefs(one, generation, is_over_all=False)
    if ref:
        raise InvalidInput(
            "A ref belongs to one repository.",
            hint="Name the repository as well, or leave ref out for the default branches.",
            fields={"ref": "needs a repository"},
        )
    states = _default_refs(principal, names, filters.excluded_repositories)
    for name in set(names) - {each.freshness.repository for each in states}:
        repository_for(principal, name)  # refuses it
    return SearchedRefs(
        tuple(each for each in states if each.freshness.commit),
        generation,
        is_over_all=not names,
        unindexed=tuple(each.freshness for each in states if not each.freshness.commit),
    )


def _names(repository: str | None, filters: Filters) -> list[str]:
    """Return the repositories that are named; none means all. Names may have an owner."""
    wanted = [name.rpartition("/")[2].lower() for name in filters.repositories]
    if repository:
        if wanted and repository.lower() not in wanted:
            raise InvalidInput(
                f"The query names another repository than {repository}.",
                hint="Leave repo: out of the query, or name that repository in the call.",
                fields={"query": f"repo: is not {repository}"},
            )
        return [repository]
    return list(dict.fromkeys(wanted))


def _default_refs(
    principal: Principal, names: Sequence[str], excluded: Sequence[str]
) -> tuple[SearchedRef, ...]:
    """Return the default refs of the named or of all visible repositories, in the order of lists.

    One of which nothing is indexed yet has no commit. A statement of its own: it runs in every
    search, and building it anew takes longer than it.
    """
    conditions = ["1 = 1"]
    parameters: list[str] = []
    if not sees_every_repository(principal):
        conditions.append("repository.visibility = %s")
        parameters.append(Visibility.PUBLIC.value)
    for test, listed in (("IN", names), ("NOT IN", excluded)):
        if listed:
            conditions.append(f"repository.name {test} ({', '.join(['%s'] * len(listed))})")
            parameters += listed
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT ref.id, repository.id, ref.rules, repository.url, repository.name,"
            ' ref.name, ref."commit", ref.committed_at, ref.indexed_at, repository.stale_since,'
            " repository.sync_error FROM library_repository AS repository LEFT JOIN library_ref"
            " AS ref ON ref.repository_id = repository.id AND ref.is_default"
            f" WHERE {' AND '.join(conditions)} ORDER BY repository.position, repository.name",
            parameters,
        )
        return tuple(_searched_row(row) for row in cursor.fetchall())


def _searched_row(row: tuple[Any, ...]) -> SearchedRef:
    stale_since = _instant(row[9])
    return SearchedRef(
        ref_id=row[0],
        repository_id=row[1],
        rules=row[2],
        url=row[3],
        freshness=Freshness(
            repository=row[4],
            ref=row[5] or "",
            commit=row[6] or "",
            committed_at=_instant(row[7]),
            indexed_at=_instant(row[8]),
            stale_since=stale_since,
            stale_reason=row[10] if stale_since else "",
        ),
    )


def _instant(value: datetime | str | None) -> datetime | None:
    """Return a column's instant; SQLite has it as text, in UTC without saying so."""
    if not isinstance(value, str):
        return value
    instant = datetime.fromisoformat(value)
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)


def _searched(repository: Repository, ref: Ref) -> SearchedRef:
    return SearchedRef(
        ref_id=ref.pk,
        repository_id=repository.pk,
        rules=ref.rules,
        url=repository.url,
        freshness=freshness_of(repository, ref),
    )
