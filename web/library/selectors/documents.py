"""Documents of repositories: the table of contents, and the text of one page or section."""

from dataclasses import dataclass
from difflib import get_close_matches
from itertools import groupby

from django.db.models import Count, Q

from web.accounts.principals import Principal
from web.core.errors import InvalidInput, NotFound
from web.core.limits import LIMITS
from web.core.paging import check_limit, cursor_for, offset_of
from web.core.transactions import read_transaction
from web.library.git.objects import ObjectStore
from web.library.indexing.decode import decoded_as, lines_of
from web.library.models import Chunk, Entry, FileRevision, Ref, Repository
from web.library.records.documents import DocumentItem, DocumentListing, DocumentText, SectionItem
from web.library.records.freshness import Freshness
from web.library.selectors.entries import folder_of, revision_at
from web.library.selectors.links import file_url
from web.library.selectors.refs import freshness_of, ref_for, repositories_for, repository_for

_FRAME_CHARACTERS = 8_000
_LISTED_SECTIONS = 30
_SUGGESTED = 3
_LONGEST_COMPARED = 200


@read_transaction()
def documents_listed(
    *,
    principal: Principal,
    repository: str | None = None,
    path: str | None = None,
    ref: str | None = None,
    limit: int = LIMITS.default_list_limit,
    cursor: str | None = None,
) -> DocumentListing:
    """Return a page of the documents below the folder `path`, by repository and path.

    Without `repository` those of the default branches of all that the caller may see. Raises
    NotFound for a repository that may not be seen, InvalidInput for a ref that is not indexed or
    is named without its repository, and for a cursor of other arguments.
    """
    check_limit(limit, most=LIMITS.max_list_limit)
    folder = folder_of(path)
    refs, freshness = _searched(principal, repository, ref)
    states = [(each.repository, each.commit) for each in freshness]
    filters = {"repository": repository, "path": folder, "ref": ref, "states": states}
    start = offset_of(cursor, filters=filters)
    found = Entry.objects.filter(ref__in=refs, revision__content__is_document=True)
    if folder:
        found = found.filter(
            Q(path__path=folder) | Q(path__path__gte=f"{folder}/", path__path__lt=f"{folder}0")
        )
    total = found.count()
    ordered = found.order_by("ref__repository__position", "ref__repository__name", "path__path")
    page = list(
        ordered.values_list(
            *("ref__repository__name", "path__path", "revision__content_id"),
            *("revision__content__title", "revision__content__format"),
        )[start : start + limit]
    )
    counts = _section_counts({content_id for _, _, content_id, _, _ in page})
    more = start + len(page) < total
    return DocumentListing(
        documents=tuple(
            DocumentItem(name, file, title or file, kind, counts.get(content_id, 0))
            for name, file, content_id, title, kind in page
        ),
        total_count=total,
        next_cursor=cursor_for(offset=start + len(page), filters=filters) if more else None,
        freshness=freshness,
    )


@read_transaction()
def document_text(
    *,
    principal: Principal,
    repository: str,
    path: str,
    section: str | None = None,
    ref: str | None = None,
) -> DocumentText:
    """Return a document, or the section that an anchor or a heading names, with its subsections.

    A notebook is its cells as Markdown. The text ends at a whole line where it would pass the
    bound of an answer, and `next_start_line` says where to go on. Raises NotFound for a page or
    section that is not there, with the nearest ones, and Unavailable when the mirror lacks it.
    """
    found = repository_for(principal, repository)
    at = ref_for(found, ref)
    page = revision_at(found, at, path)
    content = page.content
    if content is None or not content.is_document:
        raise NotFound(
            f"{page.path.path!r} is not a page of the documentation.",
            hint="Use read_file for it, or list_docs to see the pages.",
        )
    sections = _sections(content.pk)
    whole = decoded_as(ObjectStore(found.pk).blob(page.oid), content.encoding)
    total = len(lines_of(whole))
    chosen = _chosen(sections, section) if section else None
    first = chosen.item.start_line if chosen else 1
    last = _last_line(sections, chosen, total) if chosen else total
    text, end = _bounded(whole, content.format, first, last)
    inside = sections if chosen is None else _inside(sections, chosen, last)
    return DocumentText(
        path=page.path.path,
        title=content.title or page.path.path,
        format=content.format,
        trail=chosen.trail if chosen else (),
        heading=chosen.item.heading if chosen else "",
        anchor=chosen.item.anchor if chosen else "",
        start_line=first,
        end_line=end,
        total_lines=total,
        text=text,
        sections=tuple(each.item for each in inside if each.item.heading),
        next_start_line=end + 1 if end < last else None,
        url=_url(found, at, page, first if chosen else None),
        freshness=freshness_of(found, at),
    )


@dataclass(frozen=True, slots=True)
class _Section:
    item: SectionItem
    trail: tuple[str, ...]


def _searched(
    principal: Principal, repository: str | None, ref: str | None
) -> tuple[list[Ref], tuple[Freshness, ...]]:
    """Return the refs that are meant, and what an answer says of each."""
    if repository is None:
        if ref:
            raise InvalidInput(
                "A ref belongs to one repository.",
                hint="Name the repository as well, or leave ref out for the default branches.",
                fields={"ref": "needs a repository"},
            )
        repositories = list(repositories_for(principal))
        refs = {
            each.repository_id: each
            for each in Ref.objects.filter(repository__in=repositories, is_default=True)
        }
    else:
        repositories = [repository_for(principal, repository)]
        at = ref_for(repositories[0], ref)
        refs = {at.repository_id: at} if at else {}
    return list(refs.values()), tuple(
        freshness_of(each, refs.get(each.pk)) for each in repositories
    )


def _section_counts(content_ids: set[int]) -> dict[int, int]:
    counted = (
        Chunk.objects.filter(content__in=content_ids, level__gt=0)
        .values("content")
        .annotate(sections=Count("anchor", distinct=True))
        .order_by()
    )
    return dict(counted.values_list("content", "sections"))


def _sections(content_id: int) -> list[_Section]:
    """Return the sections of a document in order; the pieces of a long one are one."""
    chunks = Chunk.objects.filter(content=content_id).order_by("start_line")
    sections = []
    for (anchor, heading, level), group in groupby(
        chunks, key=lambda chunk: (chunk.anchor, chunk.heading, chunk.level)
    ):
        pieces = list(group)
        item = SectionItem(heading, anchor, level, pieces[0].start_line, pieces[-1].end_line)
        sections.append(_Section(item, tuple(pieces[0].trail)))
    return sections


def _chosen(sections: list[_Section], name: str) -> _Section:
    """Return the section that `name` means: its anchor, its heading, or the start of one."""
    wanted = name.strip().removeprefix("#")
    folded = wanted.casefold()
    tests = (
        lambda item: item.anchor == wanted,
        lambda item: item.anchor.casefold() == folded or item.heading.casefold() == folded,
        lambda item: item.heading.casefold().startswith(folded),
        lambda item: folded in item.heading.casefold(),
    )
    named = [each for each in sections if each.item.heading]
    for test in tests:
        if folded and (matching := [each for each in named if test(each.item)]):
            return matching[0]
    raise _no_section(named, name)


def _no_section(sections: list[_Section], name: str) -> NotFound:
    """Return the refusal, with the sections that look like the one asked for before all others."""
    names = [each.item.anchor or each.item.heading for each in sections]
    by_folded = {each.item.heading.casefold(): each.item.anchor for each in sections}
    by_folded |= {known.casefold(): known for known in names}
    wanted = name[:_LONGEST_COMPARED].strip().removeprefix("#").casefold()
    close = get_close_matches(wanted, by_folded, n=_SUGGESTED, cutoff=0.6)
    near = list(dict.fromkeys(by_folded[match] for match in close if by_folded[match]))
    left = len(names) - _LISTED_SECTIONS
    return NotFound(
        f"There is no section {name[:100]!r} on this page.",
        hint=(f"Did you mean: {', '.join(near)}? " if near else "")
        + f"Sections: {', '.join(names[:_LISTED_SECTIONS]) or 'none'}"
        + (f" and {left} more." if left > 0 else "."),
    )


def _last_line(sections: list[_Section], chosen: _Section, total: int) -> int:
    """Return the last line of a section with its subsections."""
    for each in sections:
        if each.item.start_line > chosen.item.start_line and each.item.level <= chosen.item.level:
            return each.item.start_line - 1
    return total


def _inside(sections: list[_Section], chosen: _Section, last: int) -> list[_Section]:
    return [each for each in sections if chosen.item.start_line <= each.item.start_line <= last]


def _bounded(text: str, kind: str, first: int, last: int) -> tuple[str, int]:
    """Return the lines of a document from `first` on that an answer has room for, and the last.

    At least one line is returned, however long it is.
    """
    from web.library.indexing.documents import rendered  # every parser comes with it

    room = LIMITS.max_result_characters - _FRAME_CHARACTERS
    whole = rendered(text, format=kind, start_line=first, end_line=last)
    if len(whole) <= room or last <= first:
        return whole, last
    end, size = first, 0
    for number, line in enumerate(lines_of(text)[first - 1 : last], first):
        size += len(line) + 1
        if size > room and number > first:
            break
        end = number
    return rendered(text, format=kind, start_line=first, end_line=end), end


def _url(repository: Repository, ref: Ref | None, page: FileRevision, line: int | None) -> str:
    commit = ref.commit if ref else ""
    return file_url(repository.url, commit=commit, path=page.path.path, start_line=line)
