"""Posts as they are shown: where one comes from, and which feeds cannot be read."""

from collections.abc import Iterable
from datetime import datetime

from mcp_sidecar.contract.base import Result
from mcp_sidecar.contract.rendering.freshness import instant
from mcp_sidecar.contract.text import link, span

MAX_TAGS = 20
MAX_STALE_FEEDS = 5
# A scheduled post appears without any change of the index that a cache would see at once.
POST_CACHE_SECONDS = 60


class PostItem(Result):
    """A post in a list; see the record of the same name."""

    slug: str
    title: str
    summary: str
    author: str
    published_at: datetime
    updated_at: datetime
    tags: tuple[str, ...]
    url: str
    source: str = ""
    source_url: str = ""


class StaleFeed(Result):
    """A feed that cannot be read; see the record of the same name."""

    title: str
    since: datetime
    reason: str


def origin_line(post: PostItem) -> str:
    """Return when and by whom a post was published, its tags, and where it comes from."""
    parts = [f"published {instant(post.published_at)}"]
    if post.author:
        parts[0] += f" by {span(post.author, 100)}"
    if post.updated_at > post.published_at:
        parts.append(f"updated {instant(post.updated_at)}")
    if post.tags:
        parts.append("tags " + " ".join(span(tag, 50) for tag in post.tags[:MAX_TAGS]))
    if post.source:
        parts.append(f"imported from {span(post.source, 200)}")
    return ", ".join([*parts, link(post.source_url or post.url)])


def stale_lines(feeds: Iterable[StaleFeed]) -> list[str]:
    """Return one line per feed that cannot be read, a handful at most."""
    stale = list(feeds)
    lines = [
        f"STALE: the feed {span(feed.title, 200)} cannot be read since {instant(feed.since)}"
        f" because {span(feed.reason, 300)}; newer posts of it may be missing."
        for feed in stale[:MAX_STALE_FEEDS]
    ]
    if len(stale) > MAX_STALE_FEEDS:
        lines.append(f"STALE: and {len(stale) - MAX_STALE_FEEDS} more feeds.")
    return lines
