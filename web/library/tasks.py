"""What the worker does for the library."""

from django.tasks import task

from web.core.errors import NotFound, PortolanError
from web.library.services.sync import repository_sync


@task()
def sync_repository(name: str) -> str:
    """Sync a repository; return what came of it in one line.

    A failure that is recorded at the repository is a result, not a failed task; a repository that
    was removed meanwhile is nothing to do.
    """
    try:
        report = repository_sync(name=name)
    except NotFound:
        return "The repository is gone."
    except PortolanError as error:
        return f"failed: {error}"
    return f"{report.outcome}: {report.contents_written} new contents in {report.seconds:.1f} s"
