"""Mirrors: a bare copy of each repository, brought up to date from its remote.

A mirror has the remote's branches and tags and nothing else, and the remote's HEAD as a ref of its
own. Reading from mirrors is `objects`' and `trees`' task, who may change one `locks`'.
"""

import logging
import re
import shutil
from collections.abc import Callable, Collection, Mapping
from functools import partial
from pathlib import Path

from django.conf import settings

from web.library.git.command import run_git
from web.library.git.credentials import Credential, transport
from web.library.git.failures import GitFailed, explained, lacks_objects
from web.library.git.fetch import Fetch, is_as_fetched
from web.library.git.remotes import RemoteRefs
from web.library.git.urls import parse_address

logger = logging.getLogger(__name__)

_SHA1_LENGTH = 40
# Above which git's own `gc --auto` has something to do: gc.autoPackLimit, and the 256th part of
# gc.auto (6,700), which is compared with the files in one of 256 folders.
_UNTIDY_PACKS = 50
_UNTIDY_OBJECTS = 27
_STALE_LOCK = re.compile(r"\.lock'?: file exists|unable to create '.*\.lock'", re.IGNORECASE)
# What git says of a mirror that lost files or has half-written ones.
_DAMAGE = re.compile(
    r"not a git repository|bad (object|config|ref|signature|tree)|corrupt|missing|unable to read"
    r"|cannot lock ref|broken|is empty|necessary objects|does not point to a valid object",
    re.IGNORECASE,
)


def mirrors_folder() -> Path:
    """Return the folder that holds all mirrors."""
    return Path(settings.DATA_DIR) / "mirrors"


def mirror_path(repository_id: int) -> Path:
    """Return where the mirror of a repository is, or would be."""
    return mirrors_folder() / f"{repository_id}.git"


def update_mirror(
    repository_id: int,
    *,
    url: str,
    remote: RemoteRefs,
    present: Mapping[str, str],
    lock: int,
    credential: Credential | None = None,
    tracked: Callable[[], Collection[str]] = tuple,
    on_progress: Callable[[str, int], None] | None = None,
    anew: bool = False,
) -> bool:
    """Make the mirror's refs those of the remote; return whether anything had to be fetched.

    What is gone there is gone here. Of a remote that lacks objects only HEAD and the refs that
    `tracked` gives, full names of `remote.objects`, are copied, without their history where that is
    not whole; it is called for no other.

    Nothing is asked of the remote when what the mirror has at `present` (`ObjectStore.targets`)
    agrees with `remote`. A mirror that git finds damaged, and with `anew` any, is copied anew; the
    old one stays until the copy is complete. `on_progress` gets what git does and how many percent
    of it are done. Raises Unavailable in a clear sentence.
    """
    address = parse_address(url)
    folder = mirror_path(repository_id)
    if any(len(oid) != _SHA1_LENGTH for oid in remote.objects.values()):
        raise explained(GitFailed("mismatched algorithms"))

    if not anew and is_as_fetched(folder, present, remote, names=tracked):
        return False
    bring = _copy if anew or not (folder / "HEAD").exists() else _bring_up_to_date
    try:
        with transport(address, credential) as way:
            fetch = Fetch(way, remote, lock=lock, on_progress=on_progress)
            try:
                bring(folder, fetch.everything)
            except GitFailed as failure:
                if not lacks_objects(failure):
                    raise
                logger.warning("The remote of mirror %s lacks objects", repository_id)
                bring(folder, partial(fetch.what_is_there, names=tracked()))
    except GitFailed as failure:
        raise explained(failure, is_signed_in=credential is not None) from failure
    return True


def tidy_mirror(repository_id: int, *, lock: int) -> None:
    """Have git repack the mirror when it has grown many small files.

    Packed is what refs lead to, so that young objects of histories that the remote rewrote stay
    files. Where these are most, git would look for work after each of the next fetches and not do
    away with them: then everything goes into one pack, and they into another. A mirror that could
    not be tidied works as well as before: the failure is only logged.
    """
    folder = mirror_path(repository_id)
    if _packs(folder) <= _UNTIDY_PACKS and _loose_objects(folder) <= _UNTIDY_OBJECTS:
        return
    try:
        run_git("gc", "--auto", "--quiet", mirror=folder, keep_open=[lock])
        if _loose_objects(folder) > _UNTIDY_OBJECTS // 2:
            run_git("gc", "--quiet", mirror=folder, keep_open=[lock])
    except GitFailed as failure:
        logger.warning("Mirror %s could not be tidied: %s", repository_id, failure.detail)


def _packs(folder: Path) -> int:
    """Count packs; to look costs a tenth of asking git whether it has work, after each sync."""
    return sum(1 for _ in (folder / "objects" / "pack").glob("*.pack"))


def _loose_objects(folder: Path) -> int:
    """Count objects that are files in the one of their 256 folders where git counts them, too."""
    return sum(1 for _ in (folder / "objects" / "17").glob("*"))


def mirrored_ids() -> set[int]:
    """Return the repositories that have anything in the folder of mirrors."""
    names = (path.name.partition(".")[0] for path in mirrors_folder().glob("*"))
    return {int(name) for name in names if name.isdecimal()}


def remove_mirror(repository_id: int) -> None:
    """Remove the mirror and its lock; one that is not there is fine."""
    for folder in (mirror_path(repository_id), _unfinished(mirror_path(repository_id))):
        shutil.rmtree(folder, ignore_errors=True)
    (mirrors_folder() / f"{repository_id}.lock").unlink(missing_ok=True)


def blob_head(repository_id: int, oid: str, *, max_bytes: int) -> bytes:
    """Return the first bytes of a blob of any size without holding it in memory.

    Raises Unavailable when it is not there.
    """
    try:
        return run_git(
            "cat-file",
            "blob",
            operands=[oid],
            mirror=mirror_path(repository_id),
            max_output_bytes=max_bytes,
        )
    except GitFailed as failure:
        raise explained(failure) from failure


def _bring_up_to_date(folder: Path, fetch: Callable[[Path], None]) -> None:
    """Fetch into a mirror; what a killed git left in the way, and damage, are mended."""
    try:
        fetch(folder)
    except GitFailed as failure:
        if _STALE_LOCK.search(failure.detail):
            _remove_stale_locks(folder)
            fetch(folder)
        elif _DAMAGE.search(failure.detail) and not lacks_objects(failure):
            logger.warning("Mirror %s is damaged, and is copied anew", folder.stem)
            _copy(folder, fetch)
        else:
            raise


def _copy(folder: Path, fetch: Callable[[Path], None]) -> None:
    """Make a mirror beside the old one, if there is any, and put it in its place."""
    unfinished = _unfinished(folder)
    shutil.rmtree(unfinished, ignore_errors=True)
    run_git("init", "--bare", "--quiet", "--template=", operands=[str(unfinished)])
    try:
        fetch(unfinished)
    except GitFailed:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
    shutil.rmtree(folder, ignore_errors=True)
    unfinished.rename(folder)


def _unfinished(folder: Path) -> Path:
    """Return where the copy that is to become a mirror grows."""
    return folder.with_suffix(".new")


def _remove_stale_locks(folder: Path) -> None:
    """Remove what a killed git left; nobody else is at work, since we hold the mirror's lock."""
    for path in [*folder.glob("*.lock"), *(folder / "refs").rglob("*.lock")]:
        path.unlink(missing_ok=True)
