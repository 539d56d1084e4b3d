"""Running several programs as one: their output side by side, and all of them ended together."""

import asyncio
import contextlib
import ctypes
import os
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

GRACE_SECONDS = 25  # above the servers' own 20
_PR_SET_PDEATHSIG = 1
_LONGEST_LINE = 2**20


@dataclass(frozen=True, slots=True)
class Program:
    """A program to run: `setting` names the variable of its port, empty where it has none."""

    name: str
    command: tuple[str, ...]
    port: int = 0
    setting: str = ""


def taken_port(programs: Sequence[Program]) -> Program | None:
    """Return the first program whose port somebody else listens on, None if all are free."""
    for program in programs:
        if not program.port:
            continue
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", program.port))
            except OSError:
                return program
    return None


def _die_with_parent() -> None:
    """Ask Linux to end this process when its parent does, even if that is killed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def say(text: str = "") -> bool:
    """Print a line for the person at the terminal; return whether anybody still reads."""
    try:
        print(text, flush=True)  # noqa: T201
    except OSError:
        return False
    return True


class Supervisor:
    """Starts programs, each in a process group of its own, and ends all groups together.

    `ended` is done as soon as a program ended, with its name and exit code, or as soon as
    `ask_to_stop` was called, with None.
    """

    def __init__(self, *, environment: Mapping[str, str], width: int) -> None:
        self.environment = dict(environment)
        self.width = width
        self.ended: asyncio.Future[tuple[str, int] | None] = asyncio.Future()
        self._running: list[asyncio.subprocess.Process] = []
        self._tasks: list[asyncio.Task[None]] = []

    def ask_to_stop(self) -> None:
        """Note that the user wants an end; asked again, kill what still runs."""
        if not self.ended.done():
            self.ended.set_result(None)
        else:
            self._signal(signal.SIGKILL)

    async def start(self, program: Program) -> None:
        """Start the program; its output appears line by line behind its name."""
        process = await asyncio.create_subprocess_exec(
            *program.command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=self.environment,
            start_new_session=True,
            preexec_fn=_die_with_parent,
            limit=_LONGEST_LINE,
        )
        self._running.append(process)
        self._tasks.append(asyncio.create_task(self._copy_output(program.name, process)))
        self._tasks.append(asyncio.create_task(self._report_end(program.name, process)))

    async def _copy_output(self, name: str, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None  # noqa: S101 - a pipe was asked for
        while True:
            try:
                line = await process.stdout.readline()
            except ValueError:
                line = b"(a line of more than 1 MiB is left out)"
            if not line:
                return
            text = line.decode("utf-8", "replace").rstrip("\r\n")
            if not say(f"{name:<{self.width}} | {text}") and not self.ended.done():
                self.ended.set_result(None)

    async def _report_end(self, name: str, process: asyncio.subprocess.Process) -> None:
        code = await process.wait()
        if not self.ended.done():
            self.ended.set_result((name, code))

    def _signal(self, number: signal.Signals) -> None:
        for process in self._running:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, number)

    async def stop(self) -> None:
        """End every program and its children: SIGTERM, then SIGKILL for what does not go."""
        self._signal(signal.SIGTERM)
        waits = [asyncio.create_task(process.wait()) for process in self._running]
        if waits:
            await asyncio.wait(waits, timeout=GRACE_SECONDS)
        self._signal(signal.SIGKILL)
        await asyncio.gather(*waits, *self._tasks)
