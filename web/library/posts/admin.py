"""Posts and feeds in the admin. Saving, publishing, importing and removing go through services."""

import zoneinfo
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import ObjectDoesNotExist
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from web.accounts.audited_admin import AuditedAdmin
from web.core.errors import InvalidInput
from web.core.limits import LIMITS
from web.core.markup import markdown_html
from web.core.service_admin import ServiceAdmin
from web.library.posts.forms import FROM_THE_FEED, FeedForm, PostForm
from web.library.posts.models import Feed, Post
from web.library.posts.slugs import checked_slug
from web.library.selectors.feeds import feed_summary
from web.library.services.feeds import (
    feed_add,
    feed_change,
    feed_import_enqueue,
    feed_remove,
)
from web.library.services.posts import (
    post_save,
    posts_publish,
    posts_remove,
    posts_withdraw,
)


@admin.register(Post)
class PostAdmin(AuditedAdmin, ServiceAdmin[Post]):
    """Posts: write with a preview, publish, withdraw, remove."""

    form = PostForm
    list_display = ("title", "status", "published_at", "is_seen", "author", "feed")
    list_filter = ("status", "feed", "tags")
    list_select_related = ("feed",)
    search_fields = ("title", "body")
    date_hierarchy = "published_at"
    actions = ("publish", "withdraw")
    readonly_fields = ("source",)
    fieldsets = (
        (None, {"fields": ("title", "body", "summary", "tag_names")}),
        ("Publication", {"fields": ("status", "published_at", "author", "slug", "source")}),
    )

    class Media:
        js = ["posts/preview.js"]
        css = {"all": ["posts/preview.css"]}

    def get_readonly_fields(self, request: HttpRequest, obj: Post | None = None) -> Any:
        """Keep what comes from a feed as the feed has it."""
        if obj is not None and obj.guid:
            return (*self.readonly_fields, *FROM_THE_FEED)
        return self.readonly_fields

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Begin with the name of who writes."""
        return {"author": str(request.user.get_full_name() or request.user.get_username())}  # type: ignore[union-attr]

    def get_urls(self) -> list[URLPattern]:
        """Add the preview."""
        view = self.admin_site.admin_view(require_POST(self.preview))
        return [path("preview/", view, name="posts_post_preview"), *super().get_urls()]

    def preview(self, request: HttpRequest) -> HttpResponse:
        """Return a body as HTML, as its page will show it."""
        if not (self.has_add_permission(request) or self.has_change_permission(request)):
            return HttpResponse(status=403)
        body = request.POST.get("body", "")
        if len(body) > LIMITS.max_post_characters:
            return HttpResponse("<p>The post is too long.</p>")
        page = _page_of(request.POST.get("slug", ""))
        return HttpResponse(markdown_html(body, base_url=page, outermost_level=2))

    @admin.display(description="Seen", boolean=True)
    def is_seen(self, post: Post) -> bool:
        """Return whether everyone can see the post now."""
        return post.released_at is not None

    @admin.display(description="Source")
    def source(self, post: Post) -> str:
        """Return where the post comes from."""
        return f"{post.feed}: {post.source_url}" if post.guid else "written here"

    def view_on_site(self, obj: Post) -> str:
        """Return the address of the post's page, which shows drafts to editors."""
        # As it is stored: a form that is shown again may hold a slug that leads nowhere.
        return reverse("posts:post", args=[Post.objects.values_list("slug").get(pk=obj.pk)[0]])

    @admin.action(description="Publish the selected posts", permissions=["change"])
    def publish(self, request: HttpRequest, queryset: QuerySet[Post]) -> None:
        """Publish drafts; those with a date to come appear then."""
        count = posts_publish(ids=list(queryset.values_list("pk", flat=True)))
        self.message_user(request, f"Published: {count}.")

    @admin.action(description="Withdraw the selected posts (draft)", permissions=["change"])
    def withdraw(self, request: HttpRequest, queryset: QuerySet[Post]) -> None:
        """Make drafts of published posts."""
        count = posts_withdraw(ids=list(queryset.values_list("pk", flat=True)))
        self.message_user(request, f"Withdrawn: {count}.")

    def changeform_view(self, request: HttpRequest, *args: Any, **options: Any) -> Any:
        """Read and show dates in the time zone of who edits."""
        with timezone.override(_zone_of(request)):
            return _rendered(super().changeform_view(request, *args, **options))

    def changelist_view(self, request: HttpRequest, *args: Any, **options: Any) -> Any:
        """List dates, and look for them, in the time zone of who edits."""
        with timezone.override(_zone_of(request)):
            return _rendered(super().changelist_view(request, *args, **options))

    def save_model(self, request: HttpRequest, obj: Post, form: Any, change: bool) -> None:
        """Save through the service."""
        saved = post_save(post_id=obj.pk, fields=form.values())
        obj.pk, obj.slug = saved.id, saved.slug
        if not saved.is_visible:
            messages.info(request, "Not to be seen yet; View on site shows it to editors.")

    def delete_model(self, request: HttpRequest, obj: Post) -> None:
        """Remove through the service."""
        posts_remove(ids=[obj.pk])

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Post]) -> None:
        """Remove through the service."""
        posts_remove(ids=list(queryset.values_list("pk", flat=True)))

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """List the posts alone, not their sections."""
        names = [f"Post: {post}" for post in objs]
        return names, {"posts": len(names)}, set(), []


@admin.register(Feed)
class FeedAdmin(AuditedAdmin, ServiceAdmin[Feed]):
    """Feeds: add, change, import now, remove."""

    form = FeedForm
    list_display = ("__str__", "state_in_list", "next_fetch_at", "is_active", "url")
    list_filter = ("is_active",)
    search_fields = ("title", "feed_title", "url")
    actions = ("import_now",)
    readonly_fields = ("state", "fetched_at", "next_fetch_at")
    fieldsets = (
        (None, {"fields": ("url", "title", "tag_names", "interval_minutes", "is_active")}),
        ("State", {"fields": ("state", "fetched_at", "next_fetch_at")}),
    )

    def get_readonly_fields(self, request: HttpRequest, obj: Feed | None = None) -> Any:
        """Keep the address of a feed, by which its posts are known."""
        return (*self.readonly_fields, "url") if obj is not None else self.readonly_fields

    @admin.display(description="State")
    def state(self, feed: Feed) -> str:
        """Return how fresh the posts are, and why they are not and what to do."""
        return feed_summary(feed, post_count=0).state

    @admin.display(description="State")
    def state_in_list(self, feed: Feed) -> str:
        """Return how fresh the posts are."""
        return feed_summary(feed, post_count=0).standing

    @admin.action(description="Import the selected feeds now", permissions=["change"])
    def import_now(self, request: HttpRequest, queryset: QuerySet[Feed]) -> None:
        """Queue an import of each."""
        for feed_id in queryset.values_list("pk", flat=True):
            feed_import_enqueue(feed_id=feed_id)
        self.message_user(request, "Queued. The worker imports them one after the other.")

    def save_model(self, request: HttpRequest, obj: Feed, form: Any, change: bool) -> None:
        """Save through the services; a new feed is imported at once."""
        cleaned = form.cleaned_data
        if change:
            feed_change(
                feed_id=obj.pk,
                title=cleaned["title"],
                tags=cleaned["tag_names"],
                interval_minutes=cleaned["interval_minutes"],
                is_active=cleaned["is_active"],
            )
        else:
            obj.pk = feed_add(
                url=cleaned["url"],
                title=cleaned["title"],
                tags=cleaned["tag_names"],
                interval_minutes=cleaned["interval_minutes"],
            )
        if cleaned["is_active"]:
            feed_import_enqueue(feed_id=obj.pk)
            messages.info(request, "An import is queued.")

    def delete_model(self, request: HttpRequest, obj: Feed) -> None:
        """Remove the feed; its posts stay."""
        feed_remove(feed_id=obj.pk)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Feed]) -> None:
        """Remove the feeds; their posts stay."""
        for feed_id in list(queryset.values_list("pk", flat=True)):
            feed_remove(feed_id=feed_id)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Say that posts stay."""
        names = [f"Feed {feed}; its posts stay" for feed in objs]
        return names, {"feeds": len(names)}, set(), []


def _rendered(response: Any) -> Any:
    """Return a response that is rendered now, while the time zone is set."""
    return response.render() if hasattr(response, "render") else response


def _page_of(slug: str) -> str:
    """Return where the page of a post will be; for a slug still to be made one beside it."""
    try:
        return reverse("posts:post", args=[checked_slug(slug)])
    except InvalidInput:
        return reverse("posts:post", args=["post"])


def _zone_of(request: HttpRequest) -> zoneinfo.ZoneInfo:
    """Return the time zone that the user has chosen, UTC without one."""
    try:
        return zoneinfo.ZoneInfo(request.user.profile.time_zone)  # type: ignore[union-attr]
    except (ObjectDoesNotExist, AttributeError, zoneinfo.ZoneInfoNotFoundError):
        return zoneinfo.ZoneInfo("UTC")
