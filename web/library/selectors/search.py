"""Search over code, definitions and documentation, in the refs that the caller may see.

Everything is read in one transaction, so an answer speaks of one state of the index also while a
sync writes. Bodies are read from the mirrors for the shown page only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from django.db import transaction

from web.accounts.principals import Principal
from web.core.errors import InvalidInput
from web.core.limits import LIMITS
from web.core.paging import cursor_for, offset_of
from web.library.models import IndexState, Ref, Repository, SymbolName
from web.library.records import (
    CodePlace,
    CodeSearchResult,
    DocumentSearchResult,
    Freshness,
    SectionPlace,
    SymbolPlace,
    SymbolSearchResult,
)
from web.library.search.backends import backend
from web.library.search.names import (
    SHORTEST_PART,
    SymbolRow,
    exact_score,
    part_score,
    symbols_called,
    symbols_containing,
    wanted_name,
)
from web.library.search.narrowing import Narrowing, narrowing_of
from web.library.search.places import Place, place_of
from web.library.search.priors import code_prior
from web.library.search.query import Query, parse_query
from web.library.search.ranking import RankedFile, Ranking, ranked_code, ranked_documents
from web.library.search.reading import lines_of_content
from web.library.search.scope import Occurrence, Scope, narrowed, scope_of
from web.library.search.views import SearchedRef
from web.library.selectors.links import file_url
from web.library.selectors.refs import freshness_of, ref_for, repositories_for, repository_for

EXCERPT_LINES = 12
_NEAR_NAMES = 3
_COMPARED_NAMES = 2000


def code_search(
    *,
    principal: Principal,
    repository: str | None = None,
    query: str,
    path: str | None = None,
    language: str | None = None,
    ref: str | None = None,
    limit: int = LIMITS.default_search_limit,
    cursor: str | None = None,
) -> CodeSearchResult:
    """Return a page of the best places in code, one per file.

    The query is literal, with the filters of `web.library.search.query`. Raises InvalidInput for a
    query, filter, ref or cursor that cannot be used, NotFound for a repository that may not be
    seen.
    """
    parsed = parse_query(query)
    filters = {
        "query": query,
        "repository": repository,
        "path": path,
        "language": language,
        "ref": ref,
    }
    page = _Page.of(limit, cursor, filters)
    with transaction.atomic():
        searched = _Searched.of(principal, repository, ref, parsed)
        scope = searched.narrowed(is_document=False, path=path, language=language, query=parsed)
        ranking = ranked_code(
            parsed,
            scope,
            searched.scope(is_document=True),
            backend=backend(),
            generation=searched.generation,
        )
        shown = [(file, place_of(file, ranking.plan, scope)) for file in page.slice(ranking.files)]
        hints = _code_hints(parsed, ranking, scope)
    places = tuple(_code_place(file, place, scope) for file, place in shown)
    return CodeSearchResult(
        places=places,
        total_count=len(ranking.files),
        total_is_exact=ranking.is_exhaustive,
        next_cursor=page.next_cursor(len(ranking.files)),
        freshness=searched.freshness,
        interpretation="; ".join(parsed.interpretation),
        hints=hints,
    )


def documents_search(
    *,
    principal: Principal,
    repository: str | None = None,
    query: str,
    ref: str | None = None,
    limit: int = LIMITS.default_search_limit,
    cursor: str | None = None,
) -> DocumentSearchResult:
    """Return a page of the best sections of documentation, one per document.

    Raises as `code_search` does.
    """
    parsed = parse_query(query)
    filters = {"query": query, "repository": repository, "ref": ref}
    page = _Page.of(limit, cursor, filters)
    with transaction.atomic():
        searched = _Searched.of(principal, repository, ref, parsed)
        scope = searched.narrowed(is_document=True, path=None, language=None, query=parsed)
        ranking = ranked_documents(
            parsed,
            scope,
            searched.scope(is_document=False),
            backend=backend(),
            generation=searched.generation,
        )
        shown = [
            (file, place_of(file, ranking.plan, scope, shown_lines=EXCERPT_LINES))
            for file in page.slice(ranking.files)
        ]
    hints = list(parsed.hints)
    if not ranking.files:
        hints += [_looked_at(scope, "documents"), "search_code, if the answer is in the code"]
    return DocumentSearchResult(
        sections=tuple(_section_place(file, place, scope) for file, place in shown),
        total_count=len(ranking.files),
        total_is_exact=ranking.is_exhaustive,
        next_cursor=page.next_cursor(len(ranking.files)),
        freshness=searched.freshness,
        interpretation="; ".join(parsed.interpretation),
        hints=tuple(hints),
    )


def symbols_named(
    *,
    principal: Principal,
    repository: str | None = None,
    name: str,
    kind: str | None = None,
    ref: str | None = None,
    limit: int = LIMITS.default_search_limit,
) -> SymbolSearchResult:
    """Return the definitions with a name: exact before prefix before part of it.

    `name` may be dotted (`Owner.name`). Raises as `code_search` does.
    """
    parsed = parse_query(name)
    page = _Page.of(limit, None, {})
    with transaction.atomic():
        searched = _Searched.of(principal, repository, ref, parsed)
        scope = searched.scope(is_document=False)
        found = _definitions(name.strip(), scope)
        if kind:
            found = [each for each in found if each.row.kind == kind.strip().casefold()]
        symbols = tuple(_symbol_place(each, scope) for each in page.slice(found))
        hints = () if found else _near_names(name, kind, scope)
    return SymbolSearchResult(
        symbols=symbols,
        total_count=len(found),
        total_is_exact=True,
        freshness=searched.freshness,
        hints=hints,
    )


@dataclass(frozen=True, slots=True)
class _Page:
    """Which rows of a ranking are wanted."""

    start: int
    limit: int
    filters: dict[str, str | None]

    @classmethod
    def of(cls, limit: int, cursor: str | None, filters: dict[str, str | None]) -> "_Page":
        if not 1 <= limit <= LIMITS.max_search_limit:
            raise InvalidInput(
                f"limit must be from 1 to {LIMITS.max_search_limit}.",
                fields={"limit": f"Input should be from 1 to {LIMITS.max_search_limit}"},
            )
        return cls(offset_of(cursor, filters=filters), limit, filters)

    def slice[Row](self, rows: Sequence[Row]) -> Sequence[Row]:
        return rows[self.start : self.start + self.limit]

    def next_cursor(self, total: int) -> str | None:
        end = self.start + self.limit
        return cursor_for(offset=end, filters=self.filters) if end < total else None


@dataclass(frozen=True, slots=True)
class _Searched:
    """The refs of one search, in one state of the index."""

    refs: tuple[SearchedRef, ...]
    generation: int
    all_homes: bool

    @classmethod
    def of(
        cls, principal: Principal, repository: str | None, ref: str | None, query: Query
    ) -> "_Searched":
        """Read the refs that are meant; call it first in the transaction."""
        generation = IndexState.objects.values_list("generation", flat=True).first() or 0
        if repository is None and len(named := query.filters.repositories) == 1:
            repository = named[0]
        if repository is not None:
            one = repository_for(principal, repository)
            at = ref_for(one, ref)
            refs = [_searched_ref(one, at)] if at else []
            return cls(tuple(refs), generation, all_homes=False)
        if ref:
            raise InvalidInput(
                "A ref belongs to one repository.",
                hint="Name the repository as well, or leave ref out for the default branches.",
                fields={"ref": "needs a repository"},
            )
        excluded = set(query.filters.excluded_repositories)
        named_set = set(query.filters.repositories)
        visible = [
            each
            for each in repositories_for(principal)
            if each.name not in excluded and (not named_set or each.name in named_set)
        ]
        defaults = {
            each.repository_id: each
            for each in Ref.objects.filter(repository__in=visible, is_default=True)
        }
        return cls(
            tuple(
                _searched_ref(each, defaults[each.pk]) for each in visible if each.pk in defaults
            ),
            generation,
            all_homes=True,
        )

    @property
    def freshness(self) -> tuple[Freshness, ...]:
        """What an answer says of each searched ref."""
        return tuple(each.freshness for each in self.refs)

    def scope(self, *, is_document: bool) -> Scope:
        """Return all code or all documents of the refs."""
        return scope_of(self.refs, is_document=is_document, all_homes=self.all_homes)

    def narrowed(
        self, *, is_document: bool, path: str | None, language: str | None, query: Query
    ) -> Scope:
        """Return what passes the arguments and the query's own filters."""
        whole = self.scope(is_document=is_document)
        narrowing = narrowing_of(
            query.filters, path=path, language=language, present=whole.languages()
        )
        if narrowing == Narrowing():
            return whole
        return narrowed(whole, narrowing.passes(), key=narrowing)


def _searched_ref(repository: Repository, ref: Ref) -> SearchedRef:
    return SearchedRef(
        ref_id=ref.pk,
        repository_id=repository.pk,
        rules=ref.rules,
        file_count=ref.counts.get("indexed", 0),
        url=repository.url,
        freshness=freshness_of(repository, ref),
    )


def _looked_at(scope: Scope, noun: str) -> str:
    return (
        f"{scope.file_count():,} {noun} of {len(scope.refs)} repositories were searched: fewer "
        "or other words, without filters"
    )


def _code_hints(query: Query, ranking: Ranking, scope: Scope) -> tuple[str, ...]:
    hints = list(query.hints)
    if not ranking.files:
        hints.append(_looked_at(scope, "files"))
        for name in query.names[:1]:
            hints += _near_names(name, None, scope)
        hints.append("search_docs, if it may be explained in the documentation")
    return tuple(hints)


def _code_place(file: RankedFile, place: Place, scope: Scope) -> CodePlace:
    at = scope.refs[file.occurrence.ref_number]
    end = place.start_line + max(len(place.lines) - 1, 0)
    return CodePlace(
        repository=at.freshness.repository,
        ref=at.freshness.ref,
        commit=at.freshness.commit,
        path=file.occurrence.path,
        language=file.occurrence.language,
        start_line=place.start_line,
        lines=tuple(_bounded(line) for line in place.lines),
        matched_lines=place.matched_lines,
        definition=place.symbol.dotted if place.symbol else "",
        kind=place.symbol.kind if place.symbol else "",
        url=_url(at, file.occurrence, place.start_line, end),
        other_line_numbers=place.other_lines,
    )


def _section_place(file: RankedFile, place: Place, scope: Scope) -> SectionPlace:
    at = scope.refs[file.occurrence.ref_number]
    chunk = place.chunk
    trail = chunk.trail if chunk else ()
    return SectionPlace(
        repository=at.freshness.repository,
        ref=at.freshness.ref,
        commit=at.freshness.commit,
        path=file.occurrence.path,
        title=trail[0] if trail else (chunk.heading if chunk else file.occurrence.path),
        trail=trail,
        heading=chunk.heading if chunk else "",
        anchor=chunk.anchor if chunk else "",
        start_line=chunk.start_line if chunk else 1,
        end_line=chunk.end_line if chunk else 1,
        excerpt="\n".join(_bounded(line) for line in place.lines),
        url=_url(at, file.occurrence, chunk.start_line if chunk else None, None),
    )


def _bounded(line: str) -> str:
    """Return a line, of a very long one its start and how much more there is."""
    left = len(line) - LIMITS.max_line_characters
    if left <= 0:
        return line
    return f"{line[: LIMITS.max_line_characters]}… ({left} more characters)"


def _url(at: SearchedRef, where: Occurrence, start: int | None, end: int | None) -> str:
    return file_url(
        at.url, commit=at.freshness.commit, path=where.path, start_line=start, end_line=end
    )


@dataclass(frozen=True, slots=True)
class _Definition:
    row: SymbolRow
    occurrence: Occurrence
    rank: tuple[int, float, str, int]


def _definitions(name: str, scope: Scope) -> list[_Definition]:
    """Return the definitions that a name means, best first."""
    wanted = wanted_name(name)
    rows = [(0, row) for row in symbols_called([wanted.folded], scope)]
    if len(wanted.name) >= SHORTEST_PART:
        exact = {(row.content_id, row.line, row.folded) for _, row in rows}
        rows += [
            (1 if row.folded.startswith(wanted.folded) else 2, row)
            for row in symbols_containing(wanted.folded, scope, backend=backend())
            if (row.content_id, row.line, row.folded) not in exact
        ]
    found = []
    for group, row in rows:
        for occurrence in scope.occurrences_of(row.content_id):
            prior = code_prior(occurrence.path, frozenset())
            score = (
                exact_score(row, wanted, occurrence.path)
                if group == 0
                else part_score(row, wanted.folded)
            )
            found.append(
                _Definition(row, occurrence, (group, -score * prior, occurrence.path, row.line))
            )
    found.sort(key=lambda each: (*each.rank[:2], each.occurrence.ref_number, *each.rank[2:]))
    return found


def _symbol_place(found: _Definition, scope: Scope) -> SymbolPlace:
    row, where = found.row, found.occurrence
    at = scope.refs[where.ref_number]
    lines = lines_of_content(row.content_id, scope) or []
    signature = lines[row.line - 1] if row.line <= len(lines) else ""
    return SymbolPlace(
        repository=at.freshness.repository,
        ref=at.freshness.ref,
        commit=at.freshness.commit,
        path=where.path,
        name=row.name,
        kind=row.kind,
        scope=row.scope,
        line=row.line,
        end_line=row.end_line,
        signature=_bounded(signature),
        url=_url(at, where, row.line, row.end_line),
    )


def _near_names(name: str, kind: str | None, scope: Scope) -> tuple[str, ...]:
    """Return a hint that names definitions that are called nearly so."""
    folded = wanted_name(name).folded
    hints = []
    if kind:
        hints.append("leave kind out: the definition may be of another kind")
    if len(folded) >= SHORTEST_PART:
        known = SymbolName.objects.filter(folded__startswith=folded[:2])
        candidates = dict(known.values_list("folded", "name")[:_COMPARED_NAMES])
        near = get_close_matches(folded, list(candidates), n=_NEAR_NAMES * 3, cutoff=0.75)
        visible = {row.folded for row in symbols_called(near, scope)} if near else set()
        names = [candidates[each] for each in near if each in visible][:_NEAR_NAMES]
        if names:
            hints.append(f"a definition with a similar name: {', '.join(names)}")
    return tuple(hints)
