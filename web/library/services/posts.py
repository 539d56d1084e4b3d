"""Posts: writing, publishing, releasing, removing. A change is seen and found at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError
from django.utils import timezone

from web.core import clock
from web.core.errors import Conflict, InvalidInput, NotFound
from web.library.indexing.publish import raise_generation
from web.library.indexing.statements import index_transaction
from web.library.posts.models import Post, PostStatus
from web.library.posts.records import SavedPost
from web.library.posts.slugs import checked_slug, free_slug
from web.library.posts.tasks import release_at
from web.library.posts.writing import (
    checked_body,
    checked_tags,
    checked_text,
    forget,
    store,
)

_LONGEST_TITLE = 300
_LONGEST_SUMMARY = 2000
_LONGEST_AUTHOR = 200


@dataclass(frozen=True, slots=True)
class PostFields:
    """What an author says of a post.

    An empty `slug` is made from the title, and kept afterwards. `published_at` may lie in the
    future: the post appears then. A published post without one appears now.
    """

    title: str
    body: str
    summary: str = ""
    tags: Sequence[str] = ()
    author: str = ""
    slug: str = ""
    status: str = PostStatus.DRAFT
    published_at: datetime | None = None


def post_save(*, post_id: int | None = None, fields: PostFields) -> SavedPost:
    """Write a new post, or a present one anew.

    What an imported post says comes from its feed; only its slug, status and date can be changed.
    Raises InvalidInput that names the field, NotFound for an unknown id, and Conflict for a slug
    that another post has.
    """
    tags = checked_tags(fields.tags)
    try:
        with index_transaction():
            post = _post(post_id)
            if post.guid:
                tags = tuple(post.tags.values_list("name", flat=True))
            else:
                _write(post, fields)
            _name(post, fields)
            _schedule(post, fields)
            visible = store(post, tags=tags)
            return SavedPost(id=post.pk, slug=post.slug, is_visible=visible)
    except IntegrityError:
        raise _slug_in_use() from None


def post_check(*, post_id: int | None = None, fields: PostFields) -> None:
    """Raise InvalidInput or Conflict, naming the field, where `post_save` would; write nothing."""
    checked_tags(fields.tags)
    post = _post(post_id)
    if not post.guid:
        _write(post, fields)
    _name(post, fields)
    _schedule(post, fields)
    if Post.objects.filter(slug=post.slug).exclude(pk=post.pk or 0).exists():
        raise _slug_in_use()


def posts_publish(*, ids: Sequence[int]) -> int:
    """Publish drafts; return how many. One without a date appears now, others at their date."""
    return _set_status(ids, PostStatus.PUBLISHED)


def posts_withdraw(*, ids: Sequence[int]) -> int:
    """Make drafts of published posts, which disappear at once; return how many."""
    return _set_status(ids, PostStatus.DRAFT)


def posts_remove(*, ids: Sequence[int]) -> int:
    """Remove posts for good; return how many.

    One that is still in its feed comes back with the next import: withdraw it instead.
    """
    with index_transaction():
        posts = list(Post.objects.filter(pk__in=ids))
        for post in posts:
            forget(post)
    return len(posts)


def posts_index_again() -> int:
    """Make every post findable anew, as after rows were copied into another database.

    Return how many posts there are.
    """
    with index_transaction():
        posts = list(Post.objects.prefetch_related("tags"))
        for post in posts:
            store(post, tags=[tag.name for tag in post.tags.all()])
    return len(posts)


def posts_release_due() -> int:
    """Raise the index generation for posts whose time has come since; return how many.

    The next scheduled post is put into the worker's queue.
    """
    with index_transaction():
        waiting = Post.objects.filter(status=PostStatus.PUBLISHED, released_at=None)
        now = clock.now()
        released = waiting.filter(published_at__lte=now).update(released_at=now)
        if released:
            raise_generation()
        following = waiting.order_by("published_at").first()
        if following is not None and following.published_at is not None:
            release_at(following.published_at)
    return released


def _set_status(ids: Sequence[int], status: str) -> int:
    with index_transaction():
        posts = list(Post.objects.filter(pk__in=ids).exclude(status=status))
        for post in posts:
            post.status = status
            post.published_at = post.published_at or clock.now()
            store(post, tags=tuple(post.tags.values_list("name", flat=True)))
    return len(posts)


def _post(post_id: int | None) -> Post:
    if post_id is None:
        return Post()
    try:
        return Post.objects.get(pk=post_id)
    except Post.DoesNotExist:
        raise NotFound("There is no such post.", hint="It may have been removed.") from None


def _write(post: Post, fields: PostFields) -> None:
    title = checked_text(fields.title, "title", max_characters=_LONGEST_TITLE)
    if not title:
        raise InvalidInput("A post needs a title.", fields={"title": "is empty"})
    post.title = " ".join(title.split())
    post.body = checked_body(fields.body)
    post.summary = checked_text(fields.summary, "summary", max_characters=_LONGEST_SUMMARY)
    post.author = checked_text(fields.author, "author", max_characters=_LONGEST_AUTHOR)
    post.updated_at = clock.now()


def _name(post: Post, fields: PostFields) -> None:
    if fields.slug:
        post.slug = checked_slug(fields.slug)
    post.slug = post.slug or free_slug(post.title)


def _slug_in_use() -> Conflict:
    return Conflict(
        "Another post has this slug.",
        hint="Choose another, or leave it empty to have one made.",
        fields={"slug": "belongs to another post"},
    )


def _schedule(post: Post, fields: PostFields) -> None:
    if fields.status not in PostStatus.values:
        raise InvalidInput(
            f"The status is one of {', '.join(PostStatus.values)}.",
            fields={"status": "is unknown"},
        )
    if fields.published_at is not None and timezone.is_naive(fields.published_at):
        raise InvalidInput(
            "The date needs a time zone.",
            hint="Write an offset behind it, as in 2026-11-30T09:00+01:00.",
            fields={"published_at": "has no time zone"},
        )
    post.status = fields.status
    post.published_at = fields.published_at
    if post.status == PostStatus.PUBLISHED and post.published_at is None:
        post.published_at = clock.now()
