"""The catalogue: adding, changing and removing repositories."""

import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db import DatabaseError, IntegrityError

from web.core.errors import Conflict, InvalidInput, NotFound
from web.core.limits import LIMITS
from web.library.git.locks import mirror_lock
from web.library.git.mirrors import mirrored_ids, remove_mirror
from web.library.git.remotes import check_address
from web.library.globs import refuse_classes
from web.library.indexing.collect import collect, forgotten_contents
from web.library.indexing.discover import checked_globs
from web.library.indexing.entries import Entries
from web.library.indexing.progress import COLLECTING, ProgressReporter, SyncProgress
from web.library.indexing.publish import raise_generation
from web.library.indexing.statements import index_transaction
from web.library.models import NAME_PATTERN, Ref, Repository, Visibility

logger = logging.getLogger(__name__)

_MAX_TITLE = 200
_MAX_PATTERNS = 200
_MAX_PATTERN_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class RepositoryFields:
    """What an operator says of a repository; None where a change leaves it as it is."""

    title: str | None = None
    description: str | None = None
    visibility: str | None = None
    position: int | None = None
    documentation_globs: Sequence[str] | None = None
    exclude_globs: Sequence[str] | None = None
    tracked_refs: Sequence[str] | None = None
    tracked_refs_newest: int | None = None


def repository_add(*, name: str, url: str, fields: RepositoryFields = RepositoryFields()) -> None:
    """Add a repository to the catalogue; it is indexed by its first sync.

    Raises InvalidInput, its `fields` naming each wrong value, and Conflict for a name in use.
    """
    name, url = name.strip(), url.strip()
    if not re.fullmatch(NAME_PATTERN, name):
        raise InvalidInput(
            f"{name!r} is not a valid name.",
            hint="Use 1 to 63 lowercase letters, digits, dots, hyphens and underscores, "
            "beginning with a letter or a digit.",
            fields={"name": "not a valid name"},
        )
    check_address(url)
    values = _checked(fields)
    if Repository.objects.filter(name=name).exists():
        raise _name_in_use(name)
    try:
        with index_transaction():
            Repository.objects.create(name=name, url=url, **values)
            raise_generation()
    except IntegrityError as error:
        raise _name_in_use(name) from error


def repository_update(
    *,
    name: str,
    url: str | None = None,
    fields: RepositoryFields = RepositoryFields(),
) -> None:
    """Change what is given of a repository. Changed globs take effect at its next sync.

    A remote that refused the sign-in is asked at the next round where the address is another one.
    Raises NotFound for an unknown name, InvalidInput naming each wrong value.
    """
    values = _checked(fields)
    if url is not None:
        check_address(url)
        values["url"] = url.strip()
    with index_transaction():
        repository = Repository.objects.filter(name=name).only("url").first()
        if repository is None:
            raise _unknown(name)
        if url is not None and values["url"] != repository.url:
            end_pause(repository.pk)
        Repository.objects.filter(pk=repository.pk).update(**values or {"name": name})
        raise_generation()


def repository_remove(
    *,
    name: str,
    progress: Callable[[SyncProgress], None] | None = None,
    wait_seconds: float = LIMITS.git_timeout_seconds,
    on_wait: Callable[[], None] | None = None,
) -> None:
    """Remove a repository, what only it has in the index, and its mirror.

    It disappears from all answers at once; its contents go in short transactions after that.
    Raises NotFound for an unknown name, Conflict while a sync of it goes on for longer than
    `wait_seconds`.
    """
    repository_id = repository_named(name).pk
    with mirror_lock(repository_id, wait_seconds=wait_seconds, on_wait=on_wait):
        with index_transaction():
            entries = Entries(repository_id)
            for ref_id in Ref.objects.filter(repository=repository_id).values_list("pk", flat=True):
                entries.remove_ref(ref_id)
            shown = entries.forget_unshown()
            if not Repository.objects.filter(pk=repository_id).delete()[0]:
                raise _unknown(name)
            raise_generation()
        dropped = shown | forgotten_contents(repository_id)
        reporter = ProgressReporter(repository_id, progress)
        reporter.begin(COLLECTING, total=len(dropped))
        collect(dropped, repository_id=repository_id, on_progress=reporter.advance)
        remove_mirror(repository_id)


def finish_removals() -> None:
    """Remove the mirrors and contents that removals which died have left behind.

    What cannot be removed is logged and tried again by the next call; no sync waits for it.
    """
    mirrored = mirrored_ids()  # first: a repository that is new meanwhile is no removed one
    for repository_id in mirrored - set(Repository.objects.values_list("pk", flat=True)):
        try:
            with mirror_lock(repository_id, wait_seconds=0):
                collect(forgotten_contents(repository_id), repository_id=repository_id)
                remove_mirror(repository_id)
        except Conflict:
            continue  # its removal goes on
        except (OSError, DatabaseError):
            logger.exception("What is left of repository %s could not be removed", repository_id)


def end_pause(repository_id: int) -> None:
    """Let the next round ask a remote that refused the sign-in; for other services."""
    Repository.objects.filter(pk=repository_id).update(
        sync_refusals=0, sync_refused_at=None, sync_retry_at=None
    )


def repository_named(name: str) -> Repository:
    """Return a repository for other services. Raises NotFound that lists the names."""
    repository = Repository.objects.filter(name=name).first()
    if repository is None:
        raise _unknown(name)
    return repository


def check_fields(fields: RepositoryFields) -> None:
    """Raise InvalidInput, naming the field, for the first value that is not accepted."""
    _checked(fields)


def _checked(fields: RepositoryFields) -> dict[str, object]:
    """Return the values that are given. Raises InvalidInput for the first wrong one."""
    values: dict[str, object] = {}
    if fields.title is not None:
        if len(fields.title) > _MAX_TITLE:
            raise _wrong("title", f"The title is longer than {_MAX_TITLE} characters.")
        values["title"] = _without_nul(fields.title)
    if fields.description is not None:
        values["description"] = _without_nul(fields.description)
    if fields.visibility is not None:
        if fields.visibility not in Visibility.values:
            raise _wrong("visibility", f"The visibility is one of {', '.join(Visibility.values)}.")
        values["visibility"] = fields.visibility
    for name in ("documentation_globs", "exclude_globs"):
        globs = getattr(fields, name)
        if globs is not None:
            globs = _bounded(globs, name)
            for pattern in globs:
                refuse_classes(pattern, argument=name)
            values[name] = checked_globs(globs, field=name)
    if fields.tracked_refs is not None:
        patterns = [pattern.strip() for pattern in fields.tracked_refs if pattern.strip()]
        values["tracked_refs"] = _bounded(patterns, "tracked_refs")
    for name in ("position", "tracked_refs_newest"):
        number = getattr(fields, name)
        if number is not None:
            if number < 0:
                raise _wrong(name, f"{name} is 0 or more.")
            values[name] = number
    return values


def _bounded(patterns: Sequence[str], field: str) -> list[str]:
    if len(patterns) > _MAX_PATTERNS or any(len(p) > _MAX_PATTERN_CHARACTERS for p in patterns):
        raise _wrong(
            field,
            f"There are at most {_MAX_PATTERNS} patterns of at most "
            f"{_MAX_PATTERN_CHARACTERS} characters.",
        )
    return list(patterns)


def _without_nul(text: str) -> str:
    return text.replace("\0", "").strip()


def _wrong(field: str, message: str) -> InvalidInput:
    return InvalidInput(message, fields={field: message})


def _name_in_use(name: str) -> Conflict:
    return Conflict(
        f"There is a repository {name!r} already.",
        hint="Choose another name, or change or remove that one.",
        fields={"name": "is in use"},
    )


def _unknown(name: str) -> NotFound:
    names = ", ".join(Repository.objects.values_list("name", flat=True)) or "none yet"
    return NotFound(f"There is no repository {name!r}.", hint=f"Repositories: {names}.")
