"""What the selectors and services of posts return: frozen records. Instants are aware, in UTC."""

from dataclasses import dataclass
from datetime import datetime

from web.library.records.documents import SectionItem


@dataclass(frozen=True, slots=True)
class PostItem:
    """A post in a list. `url` is its page here, `source_url` where it was first published.

    `source` is the title of the feed it came from; both are empty for a post written here.
    """

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


@dataclass(frozen=True, slots=True)
class PostPlace:
    """A post that a search found, with its best section. `trail` are the headings above it.

    Without a query `heading` is empty and `excerpt` the beginning.
    """

    post: PostItem
    heading: str
    trail: tuple[str, ...]
    anchor: str
    start_line: int
    end_line: int
    excerpt: str


@dataclass(frozen=True, slots=True)
class StaleFeed:
    """A feed that cannot be read: its posts are those of before `since`."""

    title: str
    since: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class PostSearchResult:
    """One page of posts, best first; newest first without a query.

    `searched_count` is the number of posts that the filters leave, `newest_at` the newest of all.
    `interpretation` says how the query was read where that is not literal (`tag:`), `hints` what
    to try when nothing was found.
    """

    places: tuple[PostPlace, ...]
    total_count: int
    total_is_exact: bool
    next_cursor: str | None
    searched_count: int
    newest_at: datetime | None
    stale_feeds: tuple[StaleFeed, ...] = ()
    interpretation: str = ""
    hints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PostText:
    """A post from `start_line` on; `sections` are all of it.

    `next_start_line` is where to go on when the text met the bound, else None.
    """

    post: PostItem
    text: str
    start_line: int
    end_line: int
    total_lines: int
    sections: tuple[SectionItem, ...]
    next_start_line: int | None
    stale_feed: StaleFeed | None = None


@dataclass(frozen=True, slots=True)
class PostPage:
    """A post as its page shows it: `html` is safe to be put into a page."""

    post: PostItem
    html: str
    is_draft: bool


@dataclass(frozen=True, slots=True)
class PostList:
    """One page of a list of posts, newest first."""

    posts: tuple[PostItem, ...]
    total_count: int
    next_cursor: str | None
    tags: tuple[tuple[str, int], ...]  # most used first


@dataclass(frozen=True, slots=True)
class SavedPost:
    """A post as saved: its id, slug, and whether it can be seen now."""

    id: int
    slug: str
    is_visible: bool


@dataclass(frozen=True, slots=True)
class FeedSummary:
    """A feed as staff see it; `error` says why it cannot be read and what to do."""

    id: int
    url: str
    title: str
    is_active: bool
    post_count: int
    fetched_at: datetime | None
    next_fetch_at: datetime
    stale_since: datetime | None
    error: str

    @property
    def state(self) -> str:
        """How fresh its posts are and what is wrong, in one line."""
        return f"{self.standing}: {self.error}" if self.stale_since else self.standing

    @property
    def standing(self) -> str:
        """How fresh its posts are, in a few words."""
        paused = "" if self.is_active else "paused, "
        if self.stale_since:
            return f"{paused}stale since {self.stale_since:%Y-%m-%d %H:%M} UTC"
        if self.fetched_at is None:
            return f"{paused}not imported yet"
        return f"{paused}imported {self.fetched_at:%Y-%m-%d %H:%M} UTC"


@dataclass(frozen=True, slots=True)
class FeedReport:
    """What one import of a feed did. `is_unchanged` when the server had nothing new.

    `skipped` are entries left out, as reason and count.
    """

    feed: str
    is_unchanged: bool = False
    created: int = 0
    updated: int = 0
    kept: int = 0
    skipped: tuple[tuple[str, int], ...] = ()
