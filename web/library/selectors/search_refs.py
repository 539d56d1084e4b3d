"""Which refs one search is over, in one state of the index."""

from dataclasses import dataclass

from web.accounts.principals import Principal
from web.core.errors import InvalidInput
from web.library.models import Ref, Repository
from web.library.records import Freshness
from web.library.search.filters import entry_test
from web.library.search.query import Filters
from web.library.search.scope import Scope, narrowed, scope_of
from web.library.search.views import SearchedRef
from web.library.selectors.generation import index_generation
from web.library.selectors.refs import freshness_of, ref_for, repositories_for, repository_for


@dataclass(frozen=True, slots=True)
class SearchedRefs:
    """The refs of a search, at most one per repository, in the order of lists."""

    refs: tuple[SearchedRef, ...]
    generation: int
    is_over_all: bool

    @property
    def freshness(self) -> tuple[Freshness, ...]:
        """What an answer says of each ref."""
        return tuple(each.freshness for each in self.refs)

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
    named = _named(principal, repository, filters)
    if len(named) == 1:
        at = ref_for(named[0], ref)
        one = (_searched(named[0], at),) if at else ()
        return SearchedRefs(one, generation, is_over_all=False)
    if ref:
        raise InvalidInput(
            "A ref belongs to one repository.",
            hint="Name the repository as well, or leave ref out for the default branches.",
            fields={"ref": "needs a repository"},
        )
    defaults = (
        Ref.objects.filter(is_default=True, repository__in=named or repositories_for(principal))
        .exclude(repository__name__in=filters.excluded_repositories)
        .select_related("repository")
        .defer("counts", "repository__sync_progress")
        .order_by("repository__position", "repository__name")
    )
    refs = tuple(_searched(each.repository, each) for each in defaults)
    return SearchedRefs(refs, generation, is_over_all=not named)


def _named(principal: Principal, repository: str | None, filters: Filters) -> list[Repository]:
    """Return the repositories that are named; none named means all. Names may have an owner."""
    wanted = [name.rpartition("/")[2].lower() for name in filters.repositories]
    if repository:
        if wanted and repository.lower() not in wanted:
            raise InvalidInput(
                f"The query names another repository than {repository}.",
                hint="Leave repo: out of the query, or name that repository in the call.",
                fields={"query": f"repo: is not {repository}"},
            )
        wanted = [repository]
    return [repository_for(principal, name) for name in dict.fromkeys(wanted)]


def _searched(repository: Repository, ref: Ref) -> SearchedRef:
    return SearchedRef(
        ref_id=ref.pk,
        repository_id=repository.pk,
        rules=ref.rules,
        url=repository.url,
        freshness=freshness_of(repository, ref),
    )
