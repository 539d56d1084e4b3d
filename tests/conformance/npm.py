"""The public programs from npm: the conformance suite, the TypeScript SDK, the Inspector."""

import json
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).resolve().parent
NODE: Final = FOLDER / "node_modules" / ".bin" / "node"
SUITE: Final = FOLDER / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
INSPECTOR: Final = FOLDER / "node_modules/.bin/mcp-inspector"
INSTALL_SECONDS: Final = 600
INSPECTOR_PAGE: Final = "@modelcontextprotocol/inspector-client@1.0.3"
INSPECTOR_PAGE_INTEGRITY: Final = (
    "sha512-94xOP+Cwf7rMbT5qt7guEAN9T9aDGv90cI8QVg2MmsFoUX1jmo6cQ"
    "y3KQ11UnTenssBFYRK0GwXz27AwZ3w2qg=="
)


def install() -> None:
    """Install what package-lock.json names, unless this very lock file is installed already.

    Raises AssertionError where npm is missing or fails.
    """
    npm = shutil.which("npm")
    assert npm, "npm is not installed: make services"
    lock = (FOLDER / "package-lock.json").read_bytes()
    stamp = FOLDER / "node_modules" / ".installed-lock"
    if stamp.exists() and stamp.read_bytes() == lock:
        return
    done = subprocess.run(
        # `npm ci` refuses the lock file over an optional package of another platform.
        [npm, "install", "--no-save", "--no-audit", "--no-fund"],
        cwd=FOLDER,
        check=False,
        capture_output=True,
        text=True,
        timeout=INSTALL_SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    stamp.write_bytes(lock)


def run(*command: str | Path, timeout_seconds: float = 120) -> subprocess.CompletedProcess[str]:
    """Run a program under this folder's Node and return what it printed."""
    return subprocess.run(
        [str(NODE), *map(str, command)],
        cwd=FOLDER,
        check=False,
        capture_output=True,
        text=True,
        timeout=timeout_seconds,
    )


def inspector_page() -> Path:
    """Return the folder of the Inspector's page, which calls a server from the browser itself.

    That of version 2 leaves the calls to a process beside it. The package holds the finished page;
    what it depends on is only needed to make it, so it is unpacked and not installed.
    """
    folder = FOLDER / "node_modules" / ".inspector-page"
    if not (folder / "package").exists():
        npm = shutil.which("npm")
        assert npm, "npm is not installed: make services"
        folder.mkdir(parents=True, exist_ok=True)
        command = [npm, "pack", "--json", INSPECTOR_PAGE]
        done = subprocess.run(
            command, cwd=folder, check=True, capture_output=True, timeout=INSTALL_SECONDS
        )
        (packed,) = json.loads(done.stdout)
        assert packed["integrity"] == INSPECTOR_PAGE_INTEGRITY, packed
        with tarfile.open(folder / packed["filename"]) as archive:
            archive.extractall(folder, filter="data")
    return folder / "package" / "dist"
