"""Real git repositories for tests: written with git, in a temporary folder.

`GitRepository(tmp_path / "project").write({"a.py": "x = 1"}).commit("First")` has one commit on
main. Every commit is a minute later than the one before, so ids are the same in every run.
"""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Self

_FIRST_COMMIT_AT = 1_700_000_000
# No process is started after each commit to look for something to tidy.
_CONFIGURATION = ("-c", "protocol.file.allow=always", "-c", "maintenance.auto=false")


class GitRepository:
    """A git repository with a work tree, or a bare one."""

    def __init__(self, path: Path, *, branch: str = "main", bare: bool = False) -> None:
        self.path = path
        self._commits = 0
        path.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", f"--initial-branch={branch}", *(["--bare"] if bare else []))

    @property
    def url(self) -> str:
        """Its address as a local path."""
        return str(self.path)

    @property
    def head(self) -> str:
        """The id of the commit that HEAD stands for."""
        return self.git("rev-parse", "HEAD").decode().strip()

    def git(self, *arguments: str, stdin: bytes | None = None) -> bytes:
        """Run git in the repository and return its output; a failure fails the test."""
        at = f"{_FIRST_COMMIT_AT + 60 * self._commits} +0000"
        done = subprocess.run(
            ["git", *_CONFIGURATION, *arguments],
            cwd=self.path,
            input=stdin,
            capture_output=True,
            check=False,
            env={
                "PATH": os.environ["PATH"],
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_CONFIG_GLOBAL": "/dev/null",
                "GIT_AUTHOR_NAME": "Ada Test",
                "GIT_AUTHOR_EMAIL": "ada@example.org",
                "GIT_COMMITTER_NAME": "Ada Test",
                "GIT_COMMITTER_EMAIL": "ada@example.org",
                "GIT_AUTHOR_DATE": at,
                "GIT_COMMITTER_DATE": at,
            },
        )
        assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
        return done.stdout

    def write(self, files: Mapping[str | bytes, str | bytes]) -> Self:
        """Write files below the repository; text as UTF-8, names of any bytes."""
        for name, content in files.items():
            target = os.path.join(os.fsencode(self.path), os.fsencode(name))  # noqa: PTH118
            os.makedirs(os.path.dirname(target), exist_ok=True)  # noqa: PTH103, PTH120
            data = content.encode() if isinstance(content, str) else content
            with open(target, "wb") as file:  # noqa: PTH123
                file.write(data)
        return self

    def remove(self, *names: str) -> Self:
        """Remove files or folders from the work tree and the index."""
        self.git("rm", "-r", "--quiet", "--", *names)
        return self

    def link(self, name: str, target: str) -> Self:
        """Make a symbolic link."""
        (self.path / name).parent.mkdir(parents=True, exist_ok=True)
        (self.path / name).symlink_to(target)
        return self

    def submodule(self, name: str, commit: str) -> Self:
        """Put a commit of another repository at a path, as a submodule does."""
        self.git("update-index", "--add", "--cacheinfo", f"160000,{commit},{name}")
        return self

    def commit(self, message: str = "Change", *, stage: bool = True) -> Self:
        """Commit all changes, even none."""
        self._commits += 1
        if stage:
            self.git("add", "--all", "--force", "--", ".")
        self.git("commit", "--quiet", "--allow-empty", "--no-verify", f"--message={message}")
        return self

    def branch(self, name: str, *, at: str = "HEAD") -> Self:
        """Make a branch, or move it, without switching to it."""
        self.git("branch", "--force", name, at)
        return self

    def switch(self, name: str, *, create: bool = False) -> Self:
        """Switch to a branch."""
        self.git("switch", "--quiet", *(["--create"] if create else []), name)
        return self

    def tag(self, name: str, *, message: str = "", at: str = "HEAD") -> Self:
        """Make a tag, or move it; annotated when it has a message."""
        self.git(
            "tag", "--force", *(["--annotate", f"--message={message}"] if message else []), name, at
        )
        return self
