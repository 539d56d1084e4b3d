"""Reading posts: search, one post, lists. Posts are public; drafts and later ones are not there."""

from collections.abc import Sequence
from datetime import datetime
from difflib import get_close_matches
from urllib.parse import urlsplit

from django.db.models import Count, Q, QuerySet

from web.accounts.principals import Principal
from web.core import clock
from web.core.errors import InvalidInput, NotFound
from web.core.limits import LIMITS
from web.core.paging import check_limit, cursor_for, offset_of
from web.core.transactions import read_transaction
from web.library.indexing.decode import lines_of
from web.library.posts.excerpts import excerpt
from web.library.posts.fulltext import SectionHit, matching_sections
from web.library.posts.items import (
    beginning,
    item_of,
    items_of,
    stale_feed_of,
    stale_feeds,
    text_of,
    visible_posts,
)
from web.library.posts.models import Post, PostSection, Tag
from web.library.posts.query import PostQuery, parsed_query
from web.library.posts.records import (
    PostItem,
    PostList,
    PostPage,
    PostPlace,
    PostSearchResult,
    PostText,
)
from web.library.posts.slugs import post_address, slug_meant
from web.library.records.documents import SectionItem

# Sections looked at by one search; far more than a blog has of any but its commonest words.
_MOST_SECTIONS = 5_000
_FRAME_CHARACTERS = 8_000
_LISTED_TAGS = 20


@read_transaction()
def posts_search(
    *,
    principal: Principal,  # noqa: ARG001 - posts are public, but every selector is told who asks
    query: str = "",
    tag: str | None = None,
    since: datetime | None = None,
    limit: int = LIMITS.default_search_limit,
    cursor: str | None = None,
) -> PostSearchResult:
    """Return the posts that fit a query best, each with its best section; without one the newest.

    `query` knows "quoted phrases" and `tag:`; `tag` is one tag, `since` the instant, with a time
    zone, that posts are not older than. Raises InvalidInput that names the
    argument, also for a cursor of other arguments.
    """
    check_limit(limit, most=LIMITS.max_search_limit)
    read = parsed_query(query or "")
    filters = {"query": query or "", "tag": tag, "since": since}
    start = offset_of(cursor, filters=filters)
    tags = [*read.tags, *([tag.strip().lower()] if tag and tag.strip() else [])]
    posts = _filtered(tags, since)
    published = {pk: at for pk, at in posts.values_list("pk", "published_at") if at is not None}
    hits, is_exact = _best_hits(read, set(published))
    order = sorted(
        hits or ([] if read.tokens else published),
        key=lambda pk: (-hits[pk].score if hits else 0.0, -published[pk].timestamp(), -pk),
    )
    page = order[start : start + limit]
    return PostSearchResult(
        places=_places(page, hits, read),
        total_count=len(order),
        total_is_exact=is_exact,
        next_cursor=(
            cursor_for(offset=start + len(page), filters=filters)
            if start + len(page) < len(order)
            else None
        ),
        searched_count=len(published),
        newest_at=max(published.values(), default=None),
        stale_feeds=stale_feeds(),
        interpretation=read.interpretation,
        hints=(*read.hints, *(() if order else _hints(read, tags, since, len(published)))),
    )


@read_transaction()
def post_text(
    *,
    principal: Principal,  # noqa: ARG001 - posts are public, but every selector is told who asks
    slug: str,
    start_line: int | None = None,
) -> PostText:
    """Return a post from a line on, whole where an answer has room for it.

    The text ends at a whole line otherwise, and `next_start_line` says where to go on. Of images
    it has the text and whole addresses. Raises NotFound with the nearest slugs, InvalidInput for a
    line behind the end.
    """
    from web.core.images import markdown_with_shown_images

    post = _visible(slug)
    base_url = post.source_url or post_address(post.slug)
    lines = lines_of(markdown_with_shown_images(text_of(post), base_url=base_url))
    first = start_line or 1
    if first < 1 or first > max(len(lines), 1):
        raise InvalidInput(
            f"The post has {len(lines)} lines.",
            hint="Leave start_line out to read from the beginning.",
            fields={"start_line": f"Input should be from 1 to {max(len(lines), 1)}"},
        )
    last = _last_that_fits(lines, first)
    return PostText(
        post=item_of(post),
        text="\n".join(lines[first - 1 : last]),
        start_line=first,
        end_line=last,
        total_lines=len(lines),
        sections=_sections(post),
        next_start_line=last + 1 if last < len(lines) else None,
        stale_feed=stale_feed_of(post.feed),
    )


def posts_latest(*, limit: int) -> tuple[PostItem, ...]:
    """Return the newest posts."""
    return items_of(visible_posts()[:limit])


@read_transaction()
def posts_listed(
    *, tag: str = "", limit: int = LIMITS.default_post_list, cursor: str | None = None
) -> PostList:
    """Return a page of the posts, all or those with a tag, and all tags with their counts.

    Raises InvalidInput for a cursor of another list.
    """
    posts = _filtered([tag] if tag else [], since=None)
    filters = {"tag": tag}
    start = offset_of(cursor, filters=filters)
    total = posts.count()
    items = items_of(posts[start : start + limit])
    more = start + len(items) < total
    return PostList(
        posts=items,
        total_count=total,
        next_cursor=cursor_for(offset=start + len(items), filters=filters) if more else None,
        tags=_tags(),
    )


@read_transaction()
def post_page(*, slug: str, may_see_drafts: bool = False) -> PostPage:
    """Return a post as its page shows it. Raises NotFound for one that may not be seen."""
    from web.core.markup import markdown_html  # for pages alone: the sidecar shows Markdown

    post = Post.objects.filter(slug=slug_meant(slug)).first() if may_see_drafts else _visible(slug)
    if post is None:
        raise NotFound("There is no such post.", hint="The blog lists all of them.")
    is_draft = not visible_posts().filter(pk=post.pk).exists()
    anchors = dict(post.sections.exclude(anchor="").values_list("start_line", "anchor"))
    html = markdown_html(
        text_of(post),
        anchors=anchors,
        base_url=post.source_url or urlsplit(post_address(post.slug)).path,
        outermost_level=2,
    )
    return PostPage(post=item_of(post), html=html, is_draft=is_draft)


def _filtered(tags: Sequence[str], since: datetime | None) -> QuerySet[Post]:
    posts = visible_posts()
    if any("\0" in name for name in tags):
        raise InvalidInput("The tag holds a NUL character.", fields={"tag": "holds NUL"})
    for name in tags:
        posts = posts.filter(tags__name=name)
    if since is None:
        return posts
    if since.tzinfo is None:
        raise InvalidInput("since needs a time zone.", fields={"since": "has no time zone"})
    return posts.filter(published_at__gte=since)


def _best_hits(read: PostQuery, wanted: set[int]) -> tuple[dict[int, SectionHit], bool]:
    """Return the best section of each wanted post, and whether all were looked at."""
    if not read.tokens:
        return {}, True
    found = matching_sections(tokens=read.tokens, phrases=read.phrases, limit=_MOST_SECTIONS)
    best: dict[int, SectionHit] = {}
    for hit in found:
        if hit.post_id in wanted:
            best.setdefault(hit.post_id, hit)
    return best, len(found) < _MOST_SECTIONS


def _places(
    page: Sequence[int], hits: dict[int, SectionHit], read: PostQuery
) -> tuple[PostPlace, ...]:
    posts = Post.objects.select_related("feed").prefetch_related("tags").in_bulk(page)
    sections = PostSection.objects.in_bulk([hits[pk].section_id for pk in page if pk in hits])
    places = []
    for pk in page:
        hit = hits.get(pk)
        section = sections.get(hit.section_id) if hit else None
        if pk in posts:  # else it went meanwhile
            places.append(_place(posts[pk], section, read))
    return tuple(places)


def _place(post: Post, section: PostSection | None, read: PostQuery) -> PostPlace:
    lines = lines_of(text_of(post))
    if section is None:
        return PostPlace(
            item_of(post), "", (), "", 1, max(len(lines), 1), beginning(post.body) or post.summary
        )
    shown = excerpt(lines[section.start_line - 1 : section.end_line], read.stems)
    return PostPlace(
        post=item_of(post),
        heading=section.heading,
        trail=tuple(section.trail),
        anchor=section.anchor,
        start_line=section.start_line,
        end_line=section.end_line,
        excerpt=shown or post.summary,
    )


def _hints(
    read: PostQuery, tags: Sequence[str], since: datetime | None, searched: int
) -> tuple[str, ...]:
    hints = []
    known = _tags()
    names = [name for name, _ in known]
    if unknown := [name for name in tags if name not in names]:
        near = get_close_matches(unknown[0], names, n=3, cutoff=0.5) or names[:_LISTED_TAGS]
        hints.append(f"There is no tag {unknown[0]!r}. Tags: {', '.join(near) or 'none yet'}.")
    elif since and not searched:
        hints.append("An earlier since, or none: no post is that new.")
    if read.phrases:
        hints.append("The words without quotes.")
    if read.tokens and searched:
        hints.append("Fewer or other words; search_docs covers the documentation.")
    if not visible_posts().exists():
        hints = ["There are no posts yet; search_docs covers the documentation."]
    return tuple(hints)


def _tags() -> tuple[tuple[str, int], ...]:
    counted = Tag.objects.annotate(
        count=Count(
            "posts",
            filter=Q(posts__status="published", posts__published_at__lte=clock.now()),
        )
    )
    used = counted.filter(count__gt=0).order_by("-count", "name")
    return tuple(used.values_list("name", "count"))


def _visible(slug: str) -> Post:
    wanted = slug_meant(slug)
    post = visible_posts().select_related("feed").filter(slug=wanted).first()
    if post is not None:
        return post
    slugs = list(visible_posts().values_list("slug", flat=True))
    near = get_close_matches(wanted[:100], slugs, n=3, cutoff=0.5)
    raise NotFound(
        f"There is no post {wanted[:100]!r}.",
        hint=f"Near: {', '.join(near)}." if near else "Use search_posts to find its slug.",
    )


def _sections(post: Post) -> tuple[SectionItem, ...]:
    """Return the sections with a heading; the pieces of a long one are one."""
    items: list[SectionItem] = []
    for each in post.sections.order_by("start_line"):
        last = items[-1] if items else None
        if last and (last.anchor, last.heading, last.level) == (
            *(each.anchor, each.heading, each.level),
        ):
            items[-1] = SectionItem(
                last.heading, last.anchor, last.level, last.start_line, each.end_line
            )
        elif each.heading:
            items.append(
                SectionItem(each.heading, each.anchor, each.level, each.start_line, each.end_line)
            )
    return tuple(items)


def _last_that_fits(lines: Sequence[str], first: int) -> int:
    """Return the last line that an answer beginning at `first` has room for, one at least."""
    room = LIMITS.max_result_characters - _FRAME_CHARACTERS
    for number, line in enumerate(lines[first - 1 :], start=first):
        room -= len(line) + 1
        if room < 0:
            return max(number - 1, first)
    return len(lines)
