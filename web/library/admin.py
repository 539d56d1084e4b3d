"""The catalogue in the admin. Saving, syncing and removing go through the services."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.decorators import method_decorator
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.views.decorators.debug import sensitive_post_parameters

from web.accounts.services.audit import audit_write
from web.accounts.views.sign_in import actor_of
from web.core.service_admin import ServiceAdmin
from web.core.text import printable
from web.library.admin_forms import (
    CREDENTIAL_FIELDS,
    SERVICE_FIELDS,
    RepositoryForm,
    fields_of,
)
from web.library.models import Ref, Repository, WebhookSecret
from web.library.selectors.refs import unmatched_patterns_of
from web.library.selectors.syncs import sync_activity, sync_failure, was_interrupted
from web.library.services.credentials import (
    credential_generate,
    credential_remove,
    credential_set,
    credential_shown,
)
from web.library.services.repositories import (
    repository_add,
    repository_remove,
    repository_update,
)
from web.library.services.sync import repository_sync_enqueue
from web.library.services.webhooks import webhook_secret_make, webhook_secret_remove

# How long a page waits for a running sync before it says so.
_WAIT_SECONDS = 5.0


@method_decorator(sensitive_post_parameters("new_token", "new_key"), name="changeform_view")
@admin.register(Repository)
class RepositoryAdmin(ServiceAdmin[Repository]):
    """Repositories: add, change, remove, and sync now."""

    form = RepositoryForm
    list_display = ("name", "state_in_list", "branch", "files", "visibility", "position")
    list_filter = ("visibility",)
    search_fields = ("name", "title", "url")
    actions = ("sync_now", "make_webhook_secret", "remove_webhook_secret", "make_key")
    readonly_fields = (
        "state",
        "webhook",
        "signing_in",
        "indexed_refs",
        "not_indexed",
        "created_at",
        "synced_at",
    )
    fieldsets = (
        (None, {"fields": ("name", "url", "title", "description", "visibility", "position")}),
        ("What is indexed", {"fields": SERVICE_FIELDS[4:]}),
        (
            "Signing in to the remote",
            {"fields": ("signing_in", *CREDENTIAL_FIELDS)},
        ),
        (
            "State",
            {
                "fields": (
                    "state",
                    "webhook",
                    "indexed_refs",
                    "not_indexed",
                    "created_at",
                    "synced_at",
                )
            },
        ),
    )

    def get_readonly_fields(self, request: HttpRequest, obj: Repository | None = None) -> Any:
        """Keep the name of a repository, which addresses and tool calls hold."""
        return (*self.readonly_fields, "name") if obj is not None else self.readonly_fields

    @admin.display(description="Branch")
    def branch(self, repository: Repository) -> str:
        """Return the default branch and its commit."""
        ref = repository.refs.filter(is_default=True).first()
        return f"{printable(ref.name)} @ {ref.commit[:12]}" if ref else "—"

    @admin.display(description="Files (indexed)")
    def files(self, repository: Repository) -> str:
        """Return the counts of the default branch."""
        ref = repository.refs.filter(is_default=True).first()
        counts = ref.counts if ref else {}
        return f"{counts.get('files', 0):,} ({counts.get('indexed', 0):,})"

    @admin.display(description="State")
    def state(self, repository: Repository) -> str:
        """Return how fresh the index is, and where it is not why and what to do."""
        return ": ".join(filter(None, _standing(repository)))

    @admin.display(description="State")
    def state_in_list(self, repository: Repository) -> str:
        """Return how fresh the index is."""
        return _standing(repository)[0]

    @admin.display(description="Webhook")
    def webhook(self, repository: Repository) -> str:
        """Return whether pushes are taken, and how to have them taken."""
        found = WebhookSecret.objects.filter(repository=repository.pk).first()
        if found is None:
            return "No pushes are taken. The action “Make a webhook secret” of the list begins it."
        return f"Pushes are taken; the secret was made {found.made_at:%Y-%m-%d %H:%M} UTC."

    @admin.display(description="Stored credential")
    def signing_in(self, repository: Repository) -> str:
        """Return what the remote is signed in to with, without its secret."""
        found = credential_shown(name=repository.name) if repository.pk else None
        if found is None:
            return "none"
        used = "" if found.is_of_this_remote else "; not used, since the address leads elsewhere"
        of = found.public_key or f"user name {found.username}"
        return f"{found.kind} for {found.remote}, set {found.set_at:%Y-%m-%d}{used}; {of}"

    @admin.display(description="Indexed refs")
    def indexed_refs(self, repository: Repository) -> SafeString | str:
        """Return the refs with their commits and counts."""
        refs: QuerySet[Ref] = repository.refs.order_by("-is_default", "-committed_at")
        rows = format_html_join(
            "",
            "<li>{} {} @ {}: {} files, {} indexed</li>",
            (
                (ref.kind, printable(ref.name), ref.commit[:12], ref.counts.get("files", 0),
                 ref.counts.get("indexed", 0))
                for ref in refs
            ),
        )  # fmt: skip
        if not rows:
            return "none yet"
        unmatched = printable(", ".join(unmatched_patterns_of(repository)))
        warning = f"No tag or branch matches {unmatched}." if unmatched else ""
        return format_html("<ul>{}</ul>{}", rows, warning)

    @admin.display(description="Not indexed")
    def not_indexed(self, repository: Repository) -> SafeString | str:
        """Return the files of the default branch that are not indexed, counted by reason."""
        ref = repository.refs.filter(is_default=True).first()
        skipped = ref.counts.get("skipped", {}) if ref else {}
        by_count = sorted(skipped.items(), key=lambda item: (-item[1], item[0]))
        rows = format_html_join("", "<li>{} {}</li>", by_count)
        return format_html("<ul>{}</ul>", rows) if rows else "nothing"

    @admin.action(description="Sync the selected repositories now", permissions=["change"])
    def sync_now(self, request: HttpRequest, queryset: QuerySet[Repository]) -> None:
        """Queue a sync of each."""
        for repository in queryset:
            repository_sync_enqueue(name=repository.name)
        self.message_user(request, "Queued. The worker syncs them one after the other.")

    @admin.action(description="Make a webhook secret, or a new one", permissions=["change"])
    def make_webhook_secret(self, request: HttpRequest, queryset: QuerySet[Repository]) -> None:
        """Make a secret for each and show it once."""
        for repository in queryset:
            made = webhook_secret_make(actor=actor_of(request), name=repository.name)
            until = made.previous_until
            more = f" The one before works until {until:%Y-%m-%d %H:%M} UTC." if until else ""
            self.message_user(
                request,
                f"The webhook secret of {made.repository}, shown once: {made.secret}{more}",
            )

    @admin.action(description="Remove the webhook secret", permissions=["change"])
    def remove_webhook_secret(self, request: HttpRequest, queryset: QuerySet[Repository]) -> None:
        """Refuse the pushes of each from now on."""
        for repository in queryset.filter(webhook_secret__isnull=False):
            webhook_secret_remove(actor=actor_of(request), name=repository.name)
            self.message_user(request, f"{repository.name} takes no pushes any more.")

    @admin.action(description="Make an ssh key, in place of what is stored", permissions=["change"])
    def make_key(self, request: HttpRequest, queryset: QuerySet[Repository]) -> None:
        """Make a key for each, in place of what was stored, and show its public half."""
        for repository in queryset:
            made = credential_generate(actor=actor_of(request), name=repository.name)
            self.message_user(
                request,
                f"Give {made.remote} this deploy key of {made.repository}: {made.public_key}",
            )

    def save_model(self, request: HttpRequest, obj: Repository, form: Any, change: bool) -> None:
        """Save through the services, then queue a sync where what is indexed may change."""
        fields = fields_of(form.cleaned_data)
        if change:
            repository_update(name=obj.name, url=form.cleaned_data["url"], fields=fields)
        else:
            repository_add(name=obj.name, url=form.cleaned_data["url"], fields=fields)
            obj.pk = Repository.objects.get(name=obj.name).pk
        self._audit(
            request,
            "repository.changed" if change else "repository.added",
            obj,
            fields=sorted(set(form.changed_data).difference(CREDENTIAL_FIELDS)),
            visibility=form.cleaned_data["visibility"],
        )
        self._save_credential(request, obj.name, form.cleaned_data)
        indexed = {"url", *SERVICE_FIELDS[4:], *CREDENTIAL_FIELDS}
        if not change or indexed.intersection(form.changed_data):
            repository_sync_enqueue(name=obj.name)
            messages.info(request, "A sync is queued.")

    def _audit(
        self, request: HttpRequest, action: str, repository: Repository, **detail: Any
    ) -> None:
        target = f"repository:{repository.pk} {repository.name}"
        audit_write(
            actor=actor_of(request),
            action=action,
            target=target,
            reason="in the admin",
            detail=detail,
        )

    def _save_credential(self, request: HttpRequest, name: str, given: dict[str, Any]) -> None:
        actor = actor_of(request)
        if secret := given["new_key"] or given["new_token"]:
            username = given["token_username"] if given["new_token"] else ""
            credential_set(actor=actor, name=name, secret=secret, username=username)
        elif given["forget_credential"] and credential_shown(name=name) is not None:
            credential_remove(actor=actor, name=name)

    def delete_model(self, request: HttpRequest, obj: Repository) -> None:
        """Remove the repository with its index and its mirror."""
        repository_remove(name=obj.name, wait_seconds=_WAIT_SECONDS)
        self._audit(request, "repository.removed", obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Repository]) -> None:
        """Remove each with its index and its mirror."""
        for repository in list(queryset):
            self.delete_model(request, repository)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """List the repositories alone: their rows in the index are too many to show."""
        names = [f"Repository {repository.name}, its index and its mirror" for repository in objs]
        return names, {"repositories": len(names)}, set(), []


def _standing(repository: Repository) -> tuple[str, str]:
    """Return how fresh the index is, or what a sync is doing; and the reason of what is stale."""
    if activity := sync_activity(repository):
        return activity, ""
    if was_interrupted(repository):
        began = f"{repository.sync_started_at:%Y-%m-%d %H:%M} UTC"
        return f"the sync that began at {began} was interrupted: sync again to complete it", ""
    if repository.stale_since:
        since = f"{repository.stale_since:%Y-%m-%d %H:%M} UTC"
        return f"stale since {since}", sync_failure(repository)
    if repository.synced_at:
        return f"up to date at {repository.synced_at:%Y-%m-%d %H:%M} UTC", ""
    return "not indexed yet", ""
