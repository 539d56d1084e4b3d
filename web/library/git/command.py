"""The one place that starts git: without a shell, without configuration, without questions.

What a caller chose (addresses, refspecs, object ids) stands behind `--end-of-options` and can never
be an option. Configuration of the machine, of the user and of the copied repository is not read,
hooks do not run, and no transport works but https, ssh and, where allowed, local paths.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import IO

from web.core.limits import LIMITS
from web.library.git.failures import GitFailed

_CONFIGURATION = (
    "protocol.allow=never",
    "protocol.https.allow=always",
    "protocol.ssh.allow=always",
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.askPass=",
    "credential.helper=",
    "http.followRedirects=false",
    "http.lowSpeedLimit=100",
    "http.lowSpeedTime=60",
    "fetch.recurseSubmodules=false",
    "fetch.writeCommitGraph=false",
    # To keep what came as a pack takes a third of the time of unpacking it, but there should not be
    # a pack for each small change: git puts 50 of them together, and looks into all to read.
    "fetch.unpackLimit=50",
    # Otherwise what a rewritten history leaves would become a file for each object.
    "gc.cruftPacks=true",
    "gc.autoDetach=false",
    "pack.threads=1",
    "pack.window=10",
    "pack.compression=-1",
    "pack.windowMemory=64m",
    "core.bigFileThreshold=16m",
)
_INHERITED = (
    *("PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "SSH_AUTH_SOCK"),
    *("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH"),
)
_PINNED = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": str(Path(__file__).with_name("local.gitconfig")),
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_ASKPASS": "/bin/false",
    "SSH_ASKPASS": "/bin/false",
    "SSH_ASKPASS_REQUIRE": "never",
    "GIT_SSH_VARIANT": "ssh",
    "GIT_PROTOCOL_FROM_USER": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    # What a local partial clone lacks is not asked of where its configuration says.
    "GIT_NO_LAZY_FETCH": "1",
    # git takes and frees a buffer for each object. That glibc gives it back to the system each time
    # and asks for it again is an eighth of what a small fetch costs.
    "MALLOC_TRIM_THRESHOLD_": str(64 * 1024 * 1024),
    "MALLOC_MMAP_THRESHOLD_": str(32 * 1024 * 1024),
}
_ERROR_BYTES = 64 * 1024
_PIPE_BYTES = 64 * 1024  # as much as a pipe holds
_LONGEST_PROGRESS_BYTES = 1024  # a remote may never end its line


def run_git(
    *options: str,
    operands: Sequence[str] = (),
    mirror: Path | None = None,
    configuration: Sequence[str] = (),
    environment: Mapping[str, str] = MappingProxyType({}),
    local: bool = False,
    max_output_bytes: int | None = None,
    keep_open: Sequence[int] = (),
    timeout_seconds: float | None = None,
    on_progress: Callable[[str], None] | None = None,
) -> bytes:
    """Return what git writes for a subcommand with its `options`, which are literals of the code.

    `operands` may be a caller's; `configuration` are further "name=value" settings, which other
    users of the machine can see; `environment` are further variables, which they cannot. `mirror`
    is the repository to work in; `local` lets git copy from a path. `keep_open` are descriptors of
    files that git inherits, so that a lock on them outlives this process for as long as git runs.
    `on_progress` gets each line that git writes about its progress. With `max_output_bytes` git is
    ended once it wrote that much.

    Raises GitFailed when git fails or runs longer than `timeout_seconds`, by default
    LIMITS.git_timeout_seconds.
    """
    settings = [flag for value in (*_CONFIGURATION, *configuration) for flag in ("-c", value)]
    argv = ["git", *settings, *options, "--end-of-options", *operands]
    variables = {name: os.environ[name] for name in _INHERITED if name in os.environ} | _PINNED
    # Overrules every protocol.*.allow, also those in the configuration of a repository.
    variables["GIT_ALLOW_PROTOCOL"] = "https:ssh:file" if local else "https:ssh"
    if mirror is not None:
        variables["GIT_DIR"] = str(mirror)
    try:
        process = subprocess.Popen(
            argv,
            env=variables | dict(environment),
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=tuple(keep_open),
            start_new_session=True,
        )
    except FileNotFoundError as error:
        raise GitFailed("git is not installed") from error
    return _output_of(
        process, max_output_bytes, timeout_seconds or LIMITS.git_timeout_seconds, on_progress
    )


def _output_of(
    process: subprocess.Popen[bytes],
    max_output_bytes: int | None,
    timeout_seconds: float,
    on_progress: Callable[[str], None] | None,
) -> bytes:
    """Wait for git and return its output; end it, with its children, when it takes too long.

    What it says meanwhile is read here, so that `on_progress` is called by the caller's thread.
    """
    late = threading.Event()

    def end_late() -> None:
        late.set()
        _end(process)

    timer = threading.Timer(timeout_seconds, end_late)
    timer.daemon = True
    output: list[bytes] = []
    reader = threading.Thread(
        target=_read_output, args=(process, output, max_output_bytes), daemon=True
    )
    errors = bytearray()
    timer.start()
    reader.start()
    with process:
        try:
            assert process.stderr is not None  # noqa: S101 - it is a pipe
            _read_errors(process.stderr, errors, on_progress)
            reader.join()
            code = process.wait()
        except BaseException:
            _end(process)
            raise
        finally:
            timer.cancel()
    if late.is_set():
        raise GitFailed(f"timeout after {timeout_seconds:.0f} seconds")
    enough = max_output_bytes is not None and len(output[0]) == max_output_bytes
    if code and not enough:
        raise GitFailed(errors.decode("utf-8", "replace"))
    return output[0]


def _read_output(
    process: subprocess.Popen[bytes], output: list[bytes], max_bytes: int | None
) -> None:
    """Append what git writes; end git once it wrote `max_bytes`."""
    stream = process.stdout
    assert stream is not None  # noqa: S101 - it is a pipe
    # Not read(max_bytes), which takes that much memory before anything came.
    written = bytearray()
    most = sys.maxsize if max_bytes is None else max_bytes
    while chunk := stream.read1(min(_PIPE_BYTES, most - len(written))):  # type: ignore[attr-defined]
        written += chunk
    output.append(bytes(written))
    if len(written) == most:
        _end(process)


def _read_errors(
    stream: IO[bytes], kept: bytearray, on_progress: Callable[[str], None] | None
) -> None:
    """Keep the end of what git says; pass lines that end with a carriage return on as progress."""
    rest = b""
    while chunk := stream.read1(4096):  # type: ignore[attr-defined]
        kept += chunk
        del kept[:-_ERROR_BYTES]
        if on_progress is not None:
            *lines, rest = (rest + chunk).replace(b"\n", b"\r").split(b"\r")
            rest = rest[-_LONGEST_PROGRESS_BYTES:]
            for line in lines:
                on_progress(line.decode("utf-8", "replace").strip())


def _end(process: subprocess.Popen[bytes]) -> None:
    """End git and whatever it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
