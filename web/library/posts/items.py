"""Posts as records: what is visible, and how rows of the tables are told."""

from django.db.models import QuerySet

from web.core import clock
from web.core.text import visible_line
from web.library.posts.models import Feed, Post, PostStatus
from web.library.posts.records import PostItem, StaleFeed
from web.library.posts.slugs import post_address

_SUMMARY_CHARACTERS = 280


def visible_posts() -> QuerySet[Post]:
    """Return the posts that everyone may see now."""
    return Post.objects.filter(status=PostStatus.PUBLISHED, published_at__lte=clock.now())


def item_of(post: Post) -> PostItem:
    """Return a post as an item of a list; asks for tags and feed unless they are prefetched."""
    return PostItem(
        slug=post.slug,
        title=post.title,
        summary=post.summary or beginning(post.body),
        author=post.author,
        published_at=post.published_at or post.created_at,
        updated_at=post.updated_at,
        tags=tuple(sorted(tag.name for tag in post.tags.all())),
        url=post_address(post.slug),
        source=str(post.feed) if post.feed is not None else "",
        source_url=post.source_url,
    )


def items_of(posts: QuerySet[Post]) -> tuple[PostItem, ...]:
    """Return the posts of a query in its order."""
    return tuple(map(item_of, posts.select_related("feed").prefetch_related("tags")))


def stale_feed_of(feed: Feed | None) -> StaleFeed | None:
    """Return what to say of a feed that cannot be read now; None for one that can."""
    if feed is None or feed.stale_since is None:
        return None
    return StaleFeed(title=str(feed), since=feed.stale_since, reason=feed.error)


def stale_feeds() -> tuple[StaleFeed, ...]:
    """Return the active feeds that cannot be read any more; what was never read misses nothing."""
    found = Feed.objects.filter(is_active=True, stale_since__isnull=False, fetched_at__isnull=False)
    return tuple(stale for feed in found if (stale := stale_feed_of(feed)) is not None)


def text_of(post: Post) -> str:
    """Return the body by the lines that sections and readers count."""
    from web.core.markup import soft_wrapped  # the parser of Markdown comes with it

    return soft_wrapped(post.body)


def beginning(body: str) -> str:
    """Return the first words of a Markdown text, without headings and marks, on one line."""
    from web.core.markup import markdown_words  # the parser of Markdown comes with it

    lines: list[str] = []
    for line in body.split("\n"):
        if line.startswith(("#", "```", "![", "<", "|", "---", "===")):
            if lines:
                break
            continue
        lines.append(line)
        if sum(map(len, lines)) > _SUMMARY_CHARACTERS:
            break
    words = visible_line(markdown_words("\n".join(lines)))
    if len(words) <= _SUMMARY_CHARACTERS:
        return words
    return words[:_SUMMARY_CHARACTERS].rsplit(" ", 1)[0] + " …"
