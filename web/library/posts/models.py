"""The tables of the blog: posts, their sections, their tags, and the feeds they may come from."""

from urllib.parse import urlsplit

from django.db import models

from web.core.clock import now


class PostStatus(models.TextChoices):
    """Whether a post may be seen; a published one from its `published_at` on."""

    DRAFT = "draft", "Draft"
    PUBLISHED = "published", "Published"


class Tag(models.Model):
    """A word that groups posts, in lowercase."""

    name = models.CharField(max_length=50, unique=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Feed(models.Model):
    """An RSS or Atom feed whose entries are imported as posts.

    `stale_since` is set while the feed cannot be read, `error` says why to everyone and
    `error_hint` to staff what to do; its posts stay. `refusals` counts how often its server refused
    to answer since it last did.
    """

    url = models.CharField(max_length=2000, unique=True, help_text="http or https address.")
    title = models.TextField(blank=True, help_text="Empty: the title that the feed gives itself.")
    tags = models.JSONField(
        default=list, blank=True, help_text='Further tags of its posts, such as ["news"].'
    )
    interval_minutes = models.PositiveIntegerField(
        default=60, help_text="Minutes between two looks at the feed."
    )
    is_active = models.BooleanField(default=True, help_text="Whether it is fetched regularly.")
    created_at = models.DateTimeField(auto_now_add=True)
    feed_title = models.TextField(blank=True, editable=False)
    etag = models.TextField(blank=True, editable=False)
    last_modified = models.TextField(blank=True, editable=False)
    attempted_at = models.DateTimeField(null=True, editable=False)
    fetched_at = models.DateTimeField(null=True, editable=False)
    next_fetch_at = models.DateTimeField(default=now, editable=False)
    stale_since = models.DateTimeField(null=True, editable=False)
    error = models.TextField(blank=True, editable=False)
    error_hint = models.TextField(blank=True, editable=False)
    refusals = models.PositiveIntegerField(default=0, editable=False)

    class Meta:
        ordering = ["title", "url"]

    def __str__(self) -> str:
        # Everyone may see this; the address may hold a key.
        return self.title or self.feed_title or urlsplit(self.url).hostname or "feed"


class Post(models.Model):
    """A post of the blog; `body` is Markdown.

    A post that came from a feed keeps the feed's `guid` and address, by which it is known again,
    and the digest of the entry, by which a change is noticed. `released_at` is when the index
    generation was raised for its becoming visible.
    """

    slug = models.CharField(max_length=100, unique=True)
    title = models.TextField()
    summary = models.TextField(blank=True)
    body = models.TextField(blank=True)
    tags = models.ManyToManyField(Tag, related_name="posts", blank=True)
    status = models.CharField(max_length=10, choices=PostStatus.choices, default=PostStatus.DRAFT)
    published_at = models.DateTimeField(null=True, blank=True, db_index=True)
    author = models.CharField(max_length=200, blank=True)
    feed = models.ForeignKey(
        Feed, null=True, on_delete=models.SET_NULL, related_name="posts", editable=False
    )
    guid = models.CharField(max_length=500, blank=True, editable=False)
    source_url = models.CharField(max_length=2000, blank=True, editable=False)
    source_key = models.CharField(max_length=2000, blank=True, editable=False, db_index=True)
    source_digest = models.CharField(max_length=64, blank=True, editable=False)
    released_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(default=now, editable=False)

    class Meta:
        ordering = ["-published_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["feed", "guid"],
                condition=models.Q(feed__isnull=False) & ~models.Q(guid=""),
                name="post_unique_in_feed",
            ),
            models.CheckConstraint(
                condition=models.Q(status="draft") | models.Q(published_at__isnull=False),
                name="post_published_at_some_time",
            ),
        ]

    def __str__(self) -> str:
        return self.title


class PostSection(models.Model):
    """A searchable section of a published post; lines count from 1 and include the last."""

    post = models.ForeignKey(Post, on_delete=models.CASCADE, related_name="sections")
    start_line = models.PositiveIntegerField()
    end_line = models.PositiveIntegerField()
    heading = models.TextField(blank=True)
    trail = models.JSONField(default=list)
    anchor = models.CharField(max_length=200, blank=True)
    level = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["post", "start_line"]

    def __str__(self) -> str:
        return f"{self.post_id}:{self.start_line}-{self.end_line}"
