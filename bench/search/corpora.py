"""The sources that the search benchmark indexes, fetched once and imported into git.

Python projects come from PyPI as source distributions, others from Debian as source packages; both
by the ordinary clients, into a cache outside of the checkout.
"""

import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_IDENTITY = ("-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "gc.auto=0")
_DEBIAN = "http://deb.debian.org/debian bookworm main"
_KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


@dataclass(frozen=True, slots=True)
class Source:
    """A source release: a project on PyPI with its version, or without one a Debian package."""

    project: str
    version: str = ""

    @property
    def repository(self) -> str:
        """The name of the repository that it becomes."""
        return self.project.lower()


DJANGO = Source("django", "5.2")
DJANGO_LATER = Source("django", "5.2.8")
DJANGO_TAGS = tuple(Source("django", f"5.2.{number}") for number in range(1, 10))
# By size of the run: each adds to the ones before. With Django and Wagtail medium has about
# 107 MB of indexed files, large some 350.
SMALL = (Source("wagtail", "7.2"),)
MEDIUM = (Source("python3.11"),)
LARGE = tuple(
    map(Source, ("postgresql-15", "git", "sympy", "rails", "redis", "vim", "curl", "nginx"))
)


def cache_folder() -> Path:
    """Return where downloads are kept: PORTOLAN_BENCH_CACHE, else the user's cache folder."""
    if chosen := os.environ.get("PORTOLAN_BENCH_CACHE"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "portolan-bench"


def unpacked(source: Source) -> Path:
    """Return the folder of a source release, downloaded and unpacked at its first use."""
    name = f"{source.project}-{source.version or 'debian'}"
    target = cache_folder() / "sources" / name
    if target.exists():
        return target
    downloads = cache_folder() / "downloads" / name
    downloads.mkdir(parents=True, exist_ok=True)
    archives = _from_pypi(source, downloads) if source.version else _from_debian(source, downloads)
    working = target.with_suffix(".part")
    shutil.rmtree(working, ignore_errors=True)
    for archive in archives:
        with tarfile.open(archive) as tar:
            tar.extractall(working, filter=_without_dangers)  # noqa: S202 - it is filtered
    folders = [child for child in working.iterdir() if child.is_dir()]
    (folders[0] if len(folders) == 1 else working).rename(target)
    shutil.rmtree(working, ignore_errors=True)
    return target


def _from_pypi(source: Source, downloads: Path) -> list[Path]:
    if not (found := list(downloads.glob("*.tar.gz"))):
        _quietly(
            *(sys.executable, "-m", "pip", "download", "-qq", "--no-binary", ":all:"),
            *("--no-deps", f"{source.project}=={source.version}", "--dest", str(downloads)),
        )
        found = list(downloads.glob("*.tar.gz"))
    return found


def _from_debian(source: Source, downloads: Path) -> list[Path]:
    """Download with apt, its lists and sources in the cache: the system's stay as they are."""
    if not (found := sorted(downloads.glob("*.orig*.tar.*[!c]"))):
        apt = cache_folder() / "apt"
        for folder in ("lists/partial", "archives/partial"):
            (apt / folder).mkdir(parents=True, exist_ok=True)
        (apt / "sources.list").write_text(f"deb-src [signed-by={_KEYRING}] {_DEBIAN}\n")
        settings = {
            "Dir::Etc::SourceList": apt / "sources.list",
            "Dir::Etc::SourceParts": "/dev/null",
            "Dir::State::Lists": apt / "lists",
            "Dir::Cache": apt,
            "Dir::Cache::Archives": apt / "archives",
            "APT::Sandbox::User": "",
        }
        options = [f"-o{name}={value}" for name, value in settings.items()]
        if not list((apt / "lists").glob("*Sources*")):
            _quietly("apt-get", *options, "-qq", "update")
        _quietly(
            "apt-get", *options, "-qq", "source", "--download-only", source.project, cwd=downloads
        )
        found = sorted(downloads.glob("*.orig*.tar.*[!c]"))
    return found


def _without_dangers(member: tarfile.TarInfo, target: str) -> tarfile.TarInfo | None:
    """Leave out the members that Python's data filter refuses, such as absolute links."""
    try:
        return tarfile.data_filter(member, target)
    except tarfile.FilterError:
        return None


def commit(repository: Path, source: Path, *, tag: str = "") -> None:
    """Make the tree of a repository, created where missing, that of a folder, and commit it."""
    if not repository.exists():
        repository.mkdir(parents=True)
        _git(repository, "init", "-q", "-b", "main")
    for child in repository.iterdir():
        if child.name != ".git":
            shutil.rmtree(child) if child.is_dir() else child.unlink()
    shutil.copytree(source, repository, dirs_exist_ok=True, symlinks=True)
    _commit_all(repository, source.name)
    if tag:
        _git(repository, "tag", tag)


def commit_files(repository: Path, source: Path, paths: Iterable[str], *, ending: str = "") -> None:
    """Give a repository's tree these files as a release has them, with an ending; commit it."""
    for path in paths:
        (repository / path).write_bytes((source / path).read_bytes() + ending.encode())
    _commit_all(repository, f"some files of {source.name}")


def changed_files(old: Path, new: Path) -> list[str]:
    """Return the files that both releases have and that differ, without compiled messages."""
    return sorted(
        str(path.relative_to(new))
        for path in new.rglob("*")
        if path.is_file()
        and path.suffix not in {".po", ".mo"}
        and (before := old / path.relative_to(new)).is_file()
        and before.read_bytes() != path.read_bytes()
    )


def _commit_all(repository: Path, message: str) -> None:
    _git(repository, "add", "--all", "--force", ".")
    _git(repository, *_IDENTITY, "commit", "-q", "-m", message)


def _git(repository: Path, *arguments: str) -> None:
    """Run git on this repository alone, never on one that its folder lies in."""
    git_dir = ("--git-dir", str(repository / ".git"), "--work-tree", str(repository))
    _quietly("git", *git_dir, *arguments, cwd=repository)


def _quietly(*command: str, cwd: Path | None = None) -> None:
    subprocess.run(command, check=True, cwd=cwd, stdout=subprocess.DEVNULL)
