"""What staff ask of sources: a sync now, written into the audit."""

from django.conf import settings
from django_tasks_db.models import DBTaskResult

from web.accounts.records import Actor
from web.accounts.services.audit import audit_write
from web.accounts.services.staff import check_acts_as_staff
from web.core.transactions import write_transaction
from web.library.records.sources import SyncRequested
from web.library.selectors.syncs import is_syncing


def source_sync(*, actor: Actor, name: str, reason: str) -> SyncRequested:
    """Queue a sync of a repository or site, unless it waits already, and say where to watch it.

    Written into the audit where it was queued. Raises NotFound that lists the names, NotAllowed
    for who is not staff.
    """
    # All of indexing comes with these: the sidecar would take half as long again to start.
    from web.library.services.repositories import repository_named
    from web.library.services.sync import repository_sync_enqueue

    repository = repository_named(name)
    with write_transaction("accounts"):
        check_acts_as_staff(actor)
        is_new = repository_sync_enqueue(name=name)
        if is_new:
            audit_write(
                actor=actor,
                action="source.sync_asked_for",
                target=f"repository:{repository.pk} {name}",
                reason=reason,
            )
    return SyncRequested(
        repository=name,
        is_new=is_new,
        waiting_count=DBTaskResult.objects.ready().count(),
        running_since=repository.sync_started_at if is_syncing(repository) else None,
        # Written out, because the sidecar has no admin whose addresses could be asked for.
        page=f"{settings.PUBLIC_URL}/admin/library/repository/{repository.pk}/change/",
    )
