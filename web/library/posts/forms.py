"""The forms of the admin: posts and feeds as people edit them, checked by the services."""

from typing import Any

from django import forms
from django.urls import reverse
from django.utils import timezone

from web.core import clock
from web.core.errors import PortolanError
from web.library.posts.models import Feed, Post, PostStatus
from web.library.posts.slugs import LONGEST_SLUG
from web.library.services.feeds import feed_check
from web.library.services.posts import PostFields, post_check

FROM_THE_FEED = ("title", "summary", "body", "author")


class TagsField(forms.CharField):
    """Tags as words separated by commas."""

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, help_text="Separated by commas.", **options)

    def prepare_value(self, value: Any) -> Any:
        """Show a list as words."""
        return ", ".join(value) if isinstance(value, list | tuple) else value

    def clean(self, value: Any) -> list[str]:
        """Return the words."""
        return [name.strip() for name in (super().clean(value) or "").split(",") if name.strip()]

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Compare as lists."""
        return list(initial or []) != self.clean(data)


class _CheckedForm(forms.ModelForm):  # type: ignore[type-arg]
    """A form that a service checks before anything is written."""

    def check(self) -> None:
        """Raise what the service would raise."""
        raise NotImplementedError

    def clean(self) -> dict[str, Any]:
        """Put what the service refuses at the field it names."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors:
            try:
                self.check()
            except PortolanError as error:
                named = {"tags": "tag_names"}
                for field in error.fields or {"": ""}:
                    name = named.get(field, field)
                    self.add_error(name if name in self.fields else None, str(error))
        return cleaned


class PostForm(_CheckedForm):
    """A post as its author edits it."""

    title = forms.CharField(max_length=300, widget=forms.TextInput(attrs={"size": 80}))
    slug = forms.CharField(
        max_length=LONGEST_SLUG,
        required=False,
        help_text="Part of the address; empty: from the title. A change breaks links to the post.",
    )
    tag_names = TagsField(label="Tags", widget=forms.TextInput(attrs={"size": 80}))

    class Meta:
        model = Post
        fields = ["title", "slug", "summary", "body", "author", "status", "published_at"]
        widgets = {
            "summary": forms.Textarea(attrs={"rows": 2, "cols": 80}),
            "body": forms.Textarea(attrs={"rows": 24, "cols": 80}),
        }
        help_texts = {"body": "Markdown.", "summary": "Shown in lists; empty: the beginning."}

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if self.instance.pk:
            names = self.instance.tags.values_list("name", flat=True)
            self.initial["tag_names"] = list(names)
        if "body" in self.fields:
            preview = reverse("admin:posts_post_preview")
            self.fields["body"].widget.attrs["data-preview-url"] = preview
        if "published_at" in self.fields:
            self.fields["published_at"].help_text = (
                f"In the time zone {timezone.get_current_timezone_name()}. A post with a date to "
                "come appears then; a published one without a date appears now."
            )

    def values(self) -> PostFields:
        """Return what the form says; what cannot be edited as it is stored."""
        names = (*FROM_THE_FEED, "slug", "status", "published_at")
        given = {name: self.cleaned_data.get(name, getattr(self.instance, name)) for name in names}
        return PostFields(**given, tags=self.cleaned_data.get("tag_names", ()))

    def clean(self) -> dict[str, Any]:
        """Date a post that is published now; one whose date is left as it is keeps its instant."""
        if "published_at" in self.fields and "published_at" not in self.changed_data:
            # Where clocks are set back an hour comes twice, and its times could be read as either.
            self.errors.pop("published_at", None)
            self.cleaned_data["published_at"] = self.instance.published_at
        cleaned = super().clean()
        is_published = cleaned.get("status", self.instance.status) == PostStatus.PUBLISHED
        if is_published and not cleaned.get("published_at"):
            cleaned["published_at"] = clock.now()
        return cleaned

    def check(self) -> None:
        """Ask the service."""
        post_check(post_id=self.instance.pk, fields=self.values())


class FeedForm(_CheckedForm):
    """A feed as an operator edits it."""

    title = forms.CharField(required=False, help_text="Empty: the title that it gives itself.")
    tag_names = TagsField(label="Tags of its posts")

    class Meta:
        model = Feed
        fields = ["url", "title", "interval_minutes", "is_active"]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if self.instance.pk:
            self.initial["tag_names"] = list(self.instance.tags)

    def check(self) -> None:
        """Ask the service."""
        feed_check(
            url=self.cleaned_data.get("url", self.instance.url),
            tags=self.cleaned_data["tag_names"],
            interval_minutes=self.cleaned_data["interval_minutes"],
        )
