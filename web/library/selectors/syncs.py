"""What a sync of a repository does now, for pages and for staff."""

from web.accounts.principals import Principal
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
    """Return why the last sync failed and what to do: for staff, who know the machine."""
    return f"{repository.sync_error} {repository.sync_hint}".strip()


def sync_failures(*, principal: Principal) -> dict[str, str]:
    """Return the `sync_failure` of each stale repository by its name. Raises NotAllowed."""
    principal.require_staff()
    stale = Repository.objects.filter(stale_since__isnull=False)
    return {each.name: sync_failure(each) for each in stale}


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
