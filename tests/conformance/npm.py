"""The public programs from npm: the conformance suite, the TypeScript SDK, the Inspector."""

import shutil
import subprocess
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).resolve().parent
NODE: Final = FOLDER / "node_modules" / ".bin" / "node"
SUITE: Final = FOLDER / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
INSPECTOR: Final = FOLDER / "node_modules/.bin/mcp-inspector"
INSTALL_SECONDS: Final = 600


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
