"""A real sshd on loopback for tests: it lets in whoever has a key that it was told of."""

import getpass
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.services import free_port, program

# What a session sees, before it does what it was asked to.
_SESSION = """#!/bin/sh
for file in /proc/[0-9]*/cmdline; do tr '\\0' ' ' < "$file"; echo; done > "{seen}" 2>/dev/null
exec sh -c "$SSH_ORIGINAL_COMMAND"
"""


@dataclass(frozen=True)
class SshServer:
    """`host_key` is the server's public key; `seen` the command lines during the last session."""

    folder: Path
    port: int

    @property
    def host_key(self) -> str:
        """The key as it stands in known_hosts."""
        kind, key, *_ = (self.folder / "host.pub").read_text().split()
        return f"[127.0.0.1]:{self.port} {kind} {key}\n"

    @property
    def seen(self) -> str:
        """Every command line of the machine while the last session ran."""
        return (self.folder / "seen").read_text(errors="replace")

    def url(self, path: Path) -> str:
        """Return the address of a repository of this machine."""
        return f"ssh://{getpass.getuser()}@127.0.0.1:{self.port}{path}"

    def let_in(self, public_key: str) -> None:
        """Let in who has the private half of the key."""
        options = f'command="sh {self.folder}/session",restrict'
        (self.folder / "authorized").write_text(f"{options} {public_key}\n")


@contextmanager
def serving_ssh(folder: Path) -> Iterator[SshServer]:
    """Run sshd on a free port until the block ends. Fails where it is not installed."""
    sshd = program("sshd")
    assert sshd, "sshd is not installed: make services"
    folder.mkdir(mode=0o700)
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # what it separates privileges in
    make_key(folder / "host")
    server = SshServer(folder, free_port())
    (folder / "session").write_text(_SESSION.format(seen=folder / "seen"))
    configuration = {
        "ListenAddress": f"127.0.0.1:{server.port}",
        "HostKey": folder / "host",
        "AuthorizedKeysFile": folder / "authorized",
        "PidFile": "none",
        "StrictModes": "no",
        "UsePAM": "no",
        "PasswordAuthentication": "no",
        "PermitRootLogin": "prohibit-password",
    }
    lines = "".join(f"{name} {value}\n" for name, value in configuration.items())
    (folder / "sshd_config").write_text(lines)
    process = subprocess.Popen(
        [sshd, "-D", "-e", "-f", str(folder / "sshd_config")],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        assert "Server listening" in line, line
        yield server
    finally:
        process.terminate()
        process.communicate()


def make_key(path: Path, *options: str) -> str:
    """Make a key with ssh-keygen and return its public half."""
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path), *options]
    subprocess.run(command, check=True)
    return path.with_name(f"{path.name}.pub").read_text().strip()
