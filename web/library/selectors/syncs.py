"""What a sync of a repository does now, for pages and for staff."""

from datetime import datetime

from web.accounts.principals import Principal
from web.core import clock
from web.core.refusals import is_over
from web.library.git.locks import is_locked
from web.library.indexing.progress import progress_text
from web.library.models import Repository


def sync_activity(repository: Repository) -> str:
    """Return since when a sync runs and how far it is, in one line; empty when none runs."""
    if not is_syncing(repository) or repository.sync_started_at is None:
        return ""
    text = f"syncing since {repository.sync_started_at:%Y-%m-%d %H:%M} UTC"
    doing = progress_text(repository.sync_progress)
    return f"{text}, {doing}" if doing else text


def sync_failure(repository: Repository) -> str:
    """Return why the last sync failed, what to do, and until when no round tries: for staff."""
    until = next_sync_at(repository)
    pause = (
        f"It is not asked again by itself before {until:%Y-%m-%d %H:%M} UTC, but at once by a sync "
        "that somebody asks for, a push, and after a change of its address or credential."
        if until is not None
        else ""
    )
    return f"{sync_reason(repository)} {pause}".strip()


def sync_reason(repository: Repository) -> str:
    """Return why the last sync failed and what to do: for staff, who know the machine."""
    return f"{repository.sync_error} {repository.sync_hint}".strip()


def sync_failures(*, principal: Principal) -> dict[str, str]:
    """Return the `sync_failure` of each stale repository by its name. Raises NotAllowed."""
    principal.require_staff()
    stale = Repository.objects.filter(stale_since__isnull=False)
    return {each.name: sync_failure(each) for each in stale}


def next_sync_at(repository: Repository) -> datetime | None:
    """Return until when rounds leave alone a remote that refused; None when they ask it."""
    until = repository.sync_retry_at
    is_due = is_over(until, since=repository.sync_refused_at, now=clock.now())
    return None if is_due else until


def sync_is_due(name: str) -> bool:
    """Say whether a round is to sync a repository; also one that is gone: its sync says so."""
    repository = Repository.objects.filter(name=name).first()
    return repository is None or next_sync_at(repository) is None


def is_syncing(repository: Repository) -> bool:
    """Say whether a sync runs: one whose process was killed left its beginning, but no lock."""
    return repository.sync_started_at is not None and is_locked(repository.pk)


def was_interrupted(repository: Repository) -> bool:
    """Say whether the last sync ended without a word, as when its process is killed."""
    if repository.sync_started_at is None or is_locked(repository.pk):
        return False
    # One that ended well since the row was read has noted so before it let go of the lock.
    begun = Repository.objects.filter(pk=repository.pk, sync_started_at=repository.sync_started_at)
    return begun.exists()
