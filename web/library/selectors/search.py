"""Search over code, definitions and documentation, in the refs that the caller may see.

Everything is read in one transaction, so an answer speaks of one state of the index also while a
sync writes. Bodies are read from the mirrors for the shown page only.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from web.accounts.principals import Principal
from web.core.limits import LIMITS
from web.core.paging import check_limit, cursor_for, offset_of
from web.core.transactions import read_transaction
from web.library.records.code import CodePlace, CodeSearchResult, SymbolPlace, SymbolSearchResult
from web.library.records.documents import DocumentSearchResult, SectionPlace
from web.library.search.backends import backend
from web.library.search.definitions import Definition, definitions_named, names_like
from web.library.search.evidence import RankedFile
from web.library.search.places import (
    CodeLines,
    SectionLines,
    code_lines,
    section_lines,
)
from web.library.search.query import parse_query
from web.library.search.ranking import ranked_code, ranked_documents
from web.library.search.reading import WordsOfQuery, line_at, lines_of_contents
from web.library.search.scope import Occurrence, Scope
from web.library.selectors.links import file_url
from web.library.selectors.search_hints import code_hints, document_hints, symbol_hints
from web.library.selectors.search_refs import SearchedRefs, searched_refs


def code_search(
    *,
    principal: Principal,
    repository: str | None = None,
    query: str,
    path: str | None = None,
    language: str | None = None,
    ref: str | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> CodeSearchResult:
    """Return a page of the best places in code, one per file.

    The query is literal, with the filters of `web.library.search.query`. `path` is a folder, a
    file, the beginning of a path or a glob. Raises InvalidInput for a query, filter, ref or cursor
    that cannot be used, NotFound for a repository that may not be seen.
    """
    parsed = parse_query(query)
    with read_transaction():
        refs = searched_refs(principal, repository, ref, parsed.filters)
        page = _page(
            limit, cursor, refs, query=query, repository=repository, path=path, language=language
        )
        scope = refs.narrowed(parsed.filters, is_document=False, path=path, language=language)
        ranking = ranked_code(
            parsed,
            scope,
            refs.scope(is_document=True),
            backend=backend(),
            generation=refs.generation,
        )
        shown = page.of(ranking.files)
        places = tuple(
            _code_place(file, found, scope)
            for file, found in zip(
                shown, code_lines(shown, parsed, ranking.plan, scope), strict=True
            )
        )
        hints = code_hints(
            parsed,
            ranking,
            scope,
            whole=refs.scope(is_document=False),
            shown=("\n".join((place.path, *place.lines)) for place in places),
        )
    return CodeSearchResult(
        places=places,
        total_count=len(ranking.files),
        total_is_exact=ranking.is_exhaustive,
        next_cursor=page.next_cursor(len(ranking.files)),
        freshness=refs.freshness,
        interpretation=ranking.interpretation(parsed),
        hints=hints,
    )


def documents_search(
    *,
    principal: Principal,
    repository: str | None = None,
    query: str,
    ref: str | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> DocumentSearchResult:
    """Return a page of the best sections of documentation, one per document.

    Raises as `code_search` does.
    """
    parsed = parse_query(query)
    with read_transaction():
        refs = searched_refs(principal, repository, ref, parsed.filters)
        page = _page(limit, cursor, refs, query=query, repository=repository, kind="documents")
        scope = refs.narrowed(parsed.filters, is_document=True)
        ranking = ranked_documents(
            parsed,
            scope,
            refs.scope(is_document=False),
            backend=backend(),
            generation=refs.generation,
        )
        words = WordsOfQuery(ranking.plan.all_weights)
        shown = page.of(ranking.files)
        sections = tuple(
            _section_place(file, found, scope)
            for file, found in zip(shown, section_lines(shown, words, scope), strict=True)
        )
        hints = document_hints(
            parsed,
            ranking,
            scope,
            whole=refs.scope(is_document=True),
            shown=("\n".join((each.path, each.heading, each.excerpt)) for each in sections),
        )
    return DocumentSearchResult(
        sections=sections,
        total_count=len(ranking.files),
        total_is_exact=ranking.is_exhaustive,
        next_cursor=page.next_cursor(len(ranking.files)),
        freshness=refs.freshness,
        interpretation=ranking.interpretation(parsed),
        hints=hints,
    )


def symbols_named(
    *,
    principal: Principal,
    repository: str | None = None,
    name: str,
    kind: str | None = None,
    ref: str | None = None,
    limit: int | None = None,
) -> SymbolSearchResult:
    """Return the definitions with a name: exact before beginning with it before holding it.

    `name` may be dotted (`Owner.name`), which narrows it to that owner where there is one. Raises
    as `code_search` does.
    """
    parsed = parse_query(name, argument="name")
    wanted = (parsed.symbols or (parsed.text.strip("*"),))[0]
    with read_transaction():
        refs = searched_refs(principal, repository, ref, parsed.filters)
        page = _page(limit, None, refs)
        scope = refs.narrowed(parsed.filters, is_document=False)
        found = definitions_named(wanted, scope, kind=kind, backend=backend())
        shown = page.of(found.definitions)
        lines = lines_of_contents([each.row.content_id for each in shown], scope)
        symbols = tuple(
            _symbol_place(each, lines.get(each.row.content_id, []), scope) for each in shown
        )
        near = () if found.definitions else names_like(wanted, scope, backend=backend())
        hints = symbol_hints(wanted, found, near, scope)
    return SymbolSearchResult(
        symbols=symbols,
        total_count=len(found.definitions),
        total_is_exact=found.is_exhaustive,
        freshness=refs.freshness,
        hints=(*parsed.hints, *hints),
    )


@dataclass(frozen=True, slots=True)
class _Page:
    """Which rows of a ranking are wanted."""

    start: int
    limit: int
    filters: dict[str, object]

    def of[Row](self, rows: Sequence[Row]) -> Sequence[Row]:
        """Return the wanted rows."""
        return rows[self.start : self.start + self.limit]

    def next_cursor(self, total: int) -> str | None:
        """Return the cursor of the rows that follow, None after the last."""
        end = self.start + self.limit
        return cursor_for(offset=end, filters=self.filters) if end < total else None


def _page(limit: int | None, cursor: str | None, refs: SearchedRefs, **filters: object) -> _Page:
    """Return the page that is asked for. Cursors hold as long as the refs stay at their commits."""
    wanted = LIMITS.default_search_limit if limit is None else limit
    check_limit(wanted, most=LIMITS.max_search_limit)
    states = [(each.freshness.repository, each.freshness.commit) for each in refs.refs]
    bound: dict[str, object] = {**filters, "states": states}
    return _Page(offset_of(cursor, filters=bound), wanted, bound)


def _code_place(file: RankedFile, found: CodeLines, scope: Scope) -> CodePlace:
    at = scope.refs[file.occurrence.ref_number]
    end = found.start_line + max(len(found.lines) - 1, 0)
    return CodePlace(
        repository=at.freshness.repository,
        ref=at.freshness.ref,
        commit=at.freshness.commit,
        path=file.occurrence.path,
        language=file.occurrence.language,
        start_line=found.start_line,
        lines=tuple(map(_bounded, found.lines)),
        matched_lines=found.matched_lines,
        definition=found.symbol.dotted if found.symbol else "",
        kind=found.symbol.kind if found.symbol else "",
        url=_url(file.occurrence, scope, found.start_line, end),
        other_line_numbers=found.other_line_numbers,
        copies=file.copies,
    )


def _section_place(file: RankedFile, found: SectionLines, scope: Scope) -> SectionPlace:
    at = scope.refs[file.occurrence.ref_number]
    chunk = found.chunk
    return SectionPlace(
        repository=at.freshness.repository,
        ref=at.freshness.ref,
        commit=at.freshness.commit,
        path=file.occurrence.path,
        title=found.title or file.occurrence.path.rpartition("/")[2],
        trail=chunk.trail if chunk else (),
        heading=chunk.heading if chunk else "",
        anchor=chunk.anchor if chunk else "",
        start_line=chunk.start_line if chunk else 1,
        end_line=chunk.end_line if chunk else 1,
        excerpt="\n".join(map(_bounded, found.lines)),
        url=_url(file.occurrence, scope, chunk.start_line if chunk else None, None),
        copies=file.copies,
    )


def _symbol_place(found: Definition, lines: Sequence[str], scope: Scope) -> SymbolPlace:
    row, where = found.row, found.occurrence
    at = scope.refs[where.ref_number]
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
        signature=_bounded(line_at(lines, row.line)),
        url=_url(where, scope, row.line, row.end_line),
    )


def _bounded(line: str) -> str:
    """Return a line, of a very long one its start and how much more there is."""
    left = len(line) - LIMITS.max_line_characters
    if left <= 0:
        return line
    return f"{line[: LIMITS.max_line_characters]}… ({left} more characters)"


def _url(where: Occurrence, scope: Scope, start: int | None, end: int | None) -> str:
    at = scope.refs[where.ref_number]
    return file_url(
        at.url, commit=at.freshness.commit, path=where.path, start_line=start, end_line=end
    )
