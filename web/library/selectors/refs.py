"""Which repositories a caller may see, and which of their refs a call means: for other selectors.

A ref that a caller names is looked up among the indexed ones; it never reaches git.
"""

from collections.abc import Sequence
from difflib import get_close_matches

from django.db.models import Q, QuerySet

from web.accounts.principals import Principal
from web.core.errors import InvalidInput, NotFound
from web.library.git.objects import ObjectStore
from web.library.indexing.refs import unmatched_patterns
from web.library.models import Ref, RefKind, Repository, Visibility
from web.library.records.freshness import Freshness

_PREFIXES = {
    "refs/heads/": RefKind.BRANCH,
    "heads/": RefKind.BRANCH,
    "refs/tags/": RefKind.TAG,
    "tags/": RefKind.TAG,
}
_LISTED = 30
_LONGEST_NAME = 100


def sees_every_repository(principal: Principal) -> bool:
    """Say whether the caller may see repositories that are not public."""
    return principal.is_member or principal.is_staff


def repositories_for(principal: Principal) -> QuerySet[Repository]:
    """Return the repositories that the caller may see, in the order of lists."""
    if sees_every_repository(principal):
        return Repository.objects.all()
    return Repository.objects.filter(visibility=Visibility.PUBLIC)


def repository_for(principal: Principal, name: str) -> Repository:
    """Return a repository by name. Raises NotFound, alike for one that may not be seen."""
    found = repositories_for(principal).filter(name=name).first() if "\0" not in name else None
    if found is None:
        names = list(repositories_for(principal).values_list("name", flat=True))
        raise NotFound(
            f"There is no repository {name[:_LONGEST_NAME]!r}.",
            hint=f"{_near(name, names)}Repositories: {_listed(names)}.",
        )
    return found


def ref_for(repository: Repository, name: str | None) -> Ref | None:
    """Return the indexed ref that a call means: the default branch without a name, and for HEAD.

    None for a repository that has nothing indexed, when no ref was named. Raises InvalidInput, with
    the list of indexed refs, for a name that is none of them.
    """
    found = ref_named(repository, name or "HEAD")
    if found is None and name and name != "HEAD":
        raise InvalidInput(
            f"The ref {name[:_LONGEST_NAME]!r} is not indexed.",
            hint=f"{refs_hint(repository, name)} Leave ref out for the default branch.",
            fields={"ref": "not an indexed ref"},
        )
    return found


def ref_named(repository: Repository, name: str) -> Ref | None:
    """Return the indexed ref of a name, the default branch for HEAD; None where there is none.

    A tag wins over a branch of the same name; heads/… and tags/… tell them apart.
    """
    refs = Ref.objects.filter(repository=repository)
    if name == "HEAD":
        return refs.filter(is_default=True).first()
    matches = Q(name=name)
    for prefix, kind in _PREFIXES.items():
        if name.startswith(prefix):
            matches |= Q(name=name.removeprefix(prefix), kind=kind)
    return refs.filter(matches).order_by("-kind").first() if "\0" not in name else None


def refs_hint(repository: Repository, name: str) -> str:
    """Return what to write instead of a name that is no indexed ref: near names, then all."""
    refs = Ref.objects.filter(repository=repository)
    known = list(
        refs.order_by("-is_default", "-committed_at", "name").values_list("name", flat=True)
    )
    return f"{_near(name, known)}Indexed refs of {repository.name}: {_listed(known)}."


def _near(name: str, names: Sequence[str]) -> str:
    near = get_close_matches(name[:_LONGEST_NAME], names)
    return f"Did you mean: {', '.join(near)}? " if near else ""


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return f"{', '.join(names[:_LISTED]) or 'none yet'}{more}"


def unmatched_patterns_of(repository: Repository) -> tuple[str, ...]:
    """Return the patterns of tracked refs that no tag or branch matches, as far as it is copied."""
    return unmatched_patterns(ObjectStore(repository.pk), patterns=repository.tracked_refs)


def freshness_of(repository: Repository, ref: Ref | None) -> Freshness:
    """Return which state of a repository an answer speaks of."""
    return Freshness(
        repository=repository.name,
        ref=ref.name if ref else "",
        commit=ref.commit if ref else "",
        committed_at=ref.committed_at if ref else None,
        indexed_at=ref.indexed_at if ref else None,
        stale_since=repository.stale_since,
        stale_reason=repository.sync_error if repository.stale_since else "",
    )
