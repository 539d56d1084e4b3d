"""Storing a post with all that follows: tags, sections, full text, and the index generation.

For the services of posts and feeds only; everything runs inside their transaction.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from web.core import clock
from web.core.errors import InvalidInput
from web.core.limits import LIMITS
from web.library.indexing.analysis import AnalysedChunk, analyse
from web.library.indexing.publish import raise_generation
from web.library.posts.fulltext import SectionText, add_sections, remove_post
from web.library.posts.items import text_of
from web.library.posts.models import Post, PostSection, PostStatus, Tag
from web.library.posts.tasks import release_at

MAX_TAGS = 20
_LONGEST_TAG = 50


def store(post: Post, *, tags: Sequence[str]) -> bool:
    """Save a post, index it, and return whether it can be seen now.

    The generation is raised when readers see a change; a post that is to appear later is released
    by the worker when its time has come.
    """
    now = clock.now()
    was_visible = is_visible(post.pk, now)
    visible = is_due(post, now)
    post.released_at = (post.released_at or now) if visible else None
    post.save()
    post.tags.set([Tag.objects.get_or_create(name=name)[0] for name in tags])
    _index(post, tags)
    if visible or was_visible:
        raise_generation()
    elif post.status == PostStatus.PUBLISHED and post.published_at is not None:
        release_at(post.published_at)
    return visible


def forget(post: Post) -> None:
    """Remove a post with its sections and full text."""
    was_visible = is_visible(post.pk, clock.now())
    remove_post(post.pk)
    post.delete()
    if was_visible:
        raise_generation()


def is_due(post: Post, now: datetime) -> bool:
    """Say whether a post may be seen at that instant."""
    return (
        post.status == PostStatus.PUBLISHED
        and post.published_at is not None
        and post.published_at <= now
    )


def is_visible(post_id: int | None, now: datetime) -> bool:
    """Say whether the post as it is stored may be seen at that instant."""
    if post_id is None:
        return False
    return Post.objects.filter(
        pk=post_id, status=PostStatus.PUBLISHED, published_at__lte=now
    ).exists()


def checked_tags(names: Iterable[str]) -> tuple[str, ...]:
    """Return tags in lowercase, each once, in order.

    Raises InvalidInput for one that is too long or holds a comma, and for too many.
    """
    tags = tuple(dict.fromkeys(tag for name in names if (tag := " ".join(name.lower().split()))))
    for tag in tags:
        if not is_tag(tag):
            raise _wrong("tags", f"A tag has {_LONGEST_TAG} characters at most, without commas.")
    if len(tags) > MAX_TAGS:
        raise _wrong("tags", f"A post has {MAX_TAGS} tags at most.")
    return tags


def is_tag(name: str) -> bool:
    """Say whether a name, cleaned already, can be a tag."""
    return 0 < len(name) <= _LONGEST_TAG and "," not in name and name.isprintable()


def checked_text(text: str, field: str, *, max_characters: int) -> str:
    """Return text with line feeds only. Raises InvalidInput for NUL and beyond the bound."""
    if "\0" in text:
        raise _wrong(field, "The text holds a NUL character.")
    text = text.replace("\r\n", "\n").strip()
    if len(text) > max_characters:
        raise _wrong(field, f"The text is longer than {max_characters:,} characters.")
    return text


def checked_body(text: str) -> str:
    """Return the body of a post, ending in a line feed. Raises InvalidInput as `checked_text`."""
    body = checked_text(text, "body", max_characters=LIMITS.max_post_characters)
    return f"{body}\n" if body else ""


def _index(post: Post, tags: Sequence[str]) -> None:
    """Cut the post into sections and make them findable; a draft has none."""
    remove_post(post.pk)
    post.sections.all().delete()
    if post.status != PostStatus.PUBLISHED:
        return
    text = text_of(post)
    analysis = analyse(text, format="markdown", is_document=True)
    # A post without text is still found by its title.
    chunks = analysis.chunks or (AnalysedChunk(1, 1),)
    sections = PostSection.objects.bulk_create(
        PostSection(
            post=post,
            start_line=chunk.start_line,
            end_line=chunk.end_line,
            heading=chunk.heading,
            trail=list(chunk.trail),
            anchor=chunk.anchor,
            level=chunk.level,
        )
        for chunk in chunks
    )
    title = " ".join([post.title, *tags])
    texts = [
        SectionText(
            section_id=section.pk,
            title=title,
            heading=" ".join([*section.trail, section.heading]),
            body="\n".join(analysis.lines[section.start_line - 1 : section.end_line]),
        )
        for section in sections
    ]
    first = texts[0]
    summarised = f"{post.summary}\n{first.body}"
    add_sections([SectionText(first.section_id, title, first.heading, summarised), *texts[1:]])


def _wrong(field: str, message: str) -> InvalidInput:
    return InvalidInput(message, fields={field: message})
