"""Entries of a feed into posts: new ones made, changed ones written anew, known ones left alone."""

from collections import Counter
from typing import NamedTuple

from web.core import clock
from web.core.errors import InvalidInput
from web.core.limits import LIMITS
from web.library.posts.entries import Entry, ParsedFeed
from web.library.posts.models import Feed, Post, PostStatus
from web.library.posts.records import FeedReport
from web.library.posts.slugs import free_slug
from web.library.posts.writing import MAX_TAGS, is_tag, store


class _Known(NamedTuple):
    post_id: int
    guid: str
    digest: str


class FeedMerge:
    """One import of a feed, inside its transaction."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._by_guid: dict[str, _Known] = {}
        self._by_link: dict[str, _Known] = {}
        self._counts: Counter[str] = Counter()
        for post in feed.posts.only("pk", "guid", "source_key", "source_digest"):
            known = _Known(post.pk, post.guid, post.source_digest)
            self._by_guid[post.guid] = known
            if post.source_key:
                self._by_link[post.source_key] = known

    def run(self, parsed: ParsedFeed) -> FeedReport:
        """Bring the posts up to date with the entries; return what was done."""
        skipped = Counter(parsed.skipped)
        shown = {entry.guid for entry in parsed.entries}
        # Oldest first, so that posts made in one import have ids in the order of their dates.
        for entry in reversed(parsed.entries):
            known = self._known(entry, shown) or _without_feed(entry)
            if known is None and self._is_elsewhere(entry):
                skipped["another feed has the same post"] += 1
                continue
            if known is not None and known.digest == entry.digest:
                self._counts["kept"] += 1
                continue
            try:
                body = _body(entry)
            except InvalidInput as error:
                skipped[error.message] += 1
                continue
            self._write(entry, body, known)
        return FeedReport(
            feed=str(self._feed),
            created=self._counts["created"],
            updated=self._counts["updated"],
            kept=self._counts["kept"],
            skipped=tuple(sorted(skipped.items())),
        )

    def _known(self, entry: Entry, shown: set[str]) -> _Known | None:
        """Return the post that an entry is.

        By its guid; else by its address, when the guid that the post had is gone from the feed:
        the site gave its posts new ones. Two entries with one address stay two.
        """
        if known := self._by_guid.get(entry.guid):
            return known
        known = self._by_link.get(entry.link_key) if entry.link_key else None
        return known if known is not None and known.guid not in shown else None

    def _is_elsewhere(self, entry: Entry) -> bool:
        """Say whether a post of another feed has the address of the entry."""
        others = Post.objects.filter(feed__isnull=False).exclude(feed=self._feed)
        return bool(entry.link_key) and others.filter(source_key=entry.link_key).exists()

    def _write(self, entry: Entry, body: str, known: _Known | None) -> None:
        now = clock.now()
        if known is not None:
            post = Post.objects.get(pk=known.post_id)
        else:
            post = Post(status=PostStatus.PUBLISHED, slug=free_slug(entry.title))
        post.feed = self._feed
        post.guid = entry.guid
        post.source_url, post.source_key = entry.link, entry.link_key
        post.source_digest = entry.digest
        post.title, post.author, post.body = entry.title, entry.author, body
        post.published_at = entry.published_at or post.published_at or entry.updated_at or now
        first_seen = post.published_at if known is None else now
        post.updated_at = min(entry.updated_at or first_seen, now)
        store(post, tags=self._tags(entry))
        self._counts["created" if known is None else "updated"] += 1
        self._by_guid[entry.guid] = _Known(post.pk, entry.guid, entry.digest)

    def _tags(self, entry: Entry) -> list[str]:
        """Return the tags of the feed and of the entry; what can be no tag is left out."""
        names = [name.lower() for name in (*self._feed.tags, *entry.tags)]
        return [name for name in dict.fromkeys(names) if is_tag(name)][:MAX_TAGS]


def _without_feed(entry: Entry) -> _Known | None:
    """Return the imported post with the address of the entry whose feed was removed since."""
    left = Post.objects.filter(feed=None, source_key=entry.link_key).first()
    return _Known(left.pk, left.guid, "") if left is not None and entry.link_key else None


def _body(entry: Entry) -> str:
    """Return the text of a post. Raises InvalidInput when it is too long or cannot be read."""
    body = entry.markdown()
    if len(body) > LIMITS.max_post_characters:
        raise InvalidInput(f"longer than {LIMITS.max_post_characters:,} characters")
    return body
