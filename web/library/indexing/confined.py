"""Definitions of source that may be hostile: parsed in a child with bounds on memory and time.

A few patterns make a grammar take memory with the square of a source's length, within one step
that nothing can interrupt, and a fault in a grammar ends its process, or never lets that step end.
Here that process is a child, which is forked, since another interpreter would take longer than
most syncs.

The process that syncs has other threads (one writes the log), so the child keeps away from all
that one of them could have locked or that is the parent's: it only parses and walks, imports
nothing (grammars are loaded before), logs nothing, collects no garbage (a finalizer could close
the database), closes what it inherited and leaves without the interpreter's end.
"""

import gc
import json
import os
import resource
import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import NoReturn

from web.core.errors import Unavailable
from web.core.limits import LIMITS
from web.library.indexing.analysis import Definition
from web.library.indexing.grammars import AMBIGUOUS_LANGUAGES, DEEP_LANGUAGES, grammar_of
from web.library.indexing.symbols import Found, definitions_in, load_grammar

# What a child dies of may be left from an earlier source, or be a signal to the whole service.
_ATTEMPTS = 2
_STANDARD_STREAMS = 3


class Parser:
    """Parses sources one after another in a child, which it starts when there is none."""

    def __init__(self) -> None:
        self.child: Child | None = None
        self._languages: set[str] = set()

    def definitions_in(self, source: bytes, language: str) -> Found | None:
        """Return what `symbols.definitions_in` does; None also where the child dies of it.

        Raises Unavailable where no child can be started.
        """
        if language not in self._languages:
            self.end()  # it would have to import what another thread may be importing
            load_grammar(language)
            self._languages.add(language)
        for _ in range(_ATTEMPTS):
            self.child = self.child or Child()
            try:
                return self.child.definitions_in(source, language)
            except (EOFError, OSError):
                if self.end() == signal.SIGPROF:
                    return None  # another one would take as long
        return None

    def end(self) -> int:
        """End the child, whatever it is at; return the signal that it died of, 0 for none."""
        died_of = self.child.end() if self.child is not None else 0
        self.child = None
        return died_of


_open = threading.local()


@contextmanager
def parser() -> Iterator[Parser]:
    """Give the parser of this thread; its child ends with the outermost block."""
    outer: Parser | None = getattr(_open, "parser", None)
    if outer is not None:
        yield outer
        return
    _open.parser = Parser()
    try:
        yield _open.parser
    finally:
        _open.parser.end()
        _open.parser = None


def definitions_of(source: bytes, *, language: str) -> Found | None:
    """Return the definitions in UTF-8 `source`, or None where the language has no grammar.

    None also for source that takes more than LIMITS.max_parse_seconds or max_parse_memory_bytes.
    Memory, and the time of one step, are only bounded where they could be much. Broken source gives
    what can be recognised.
    Raises Unavailable where no process can be started.
    """
    if grammar_of(language) is None:
        return None
    if len(source) <= _unconfined_bytes(language):
        return definitions_in(source, language)
    with parser() as confined:
        return confined.definitions_in(source, language)


def _unconfined_bytes(language: str) -> int:
    if language in AMBIGUOUS_LANGUAGES:
        return LIMITS.max_unconfined_ambiguous_bytes
    if language in DEEP_LANGUAGES:
        return LIMITS.max_unconfined_deep_bytes
    return LIMITS.max_unconfined_parse_bytes


class Child:
    """One child process. It ends with `end`, and by itself when its parent is gone."""

    def __init__(self) -> None:
        self._connection, far = Pipe()
        self.pid = _fork()
        if self.pid == 0:
            _serve(far)
        far.close()

    def definitions_in(self, source: bytes, language: str) -> Found | None:
        """Return what the child finds. Raises EOFError or OSError when it is dead or dies."""
        self._connection.send_bytes(language.encode() + b"\n" + source)
        answer = json.loads(self._connection.recv_bytes())
        if answer is None:
            return None
        definitions, is_faultless = answer
        return Found([Definition(*one) for one in definitions], is_faultless)

    def end(self) -> int:
        """End the process and wait for it; return the signal that it died of, 0 for none."""
        self._connection.close()
        os.kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


def _fork() -> int:
    """Fork a child that heeds no signal: what a terminal or a service sends is for its parent."""
    heeded = signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals())
    pid = -1
    try:
        with warnings.catch_warnings():
            # That there are other threads is provided for: see above.
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
    except OSError as error:
        raise Unavailable(
            "No process could be started to parse source in.",
            hint="Allow the worker more processes or memory, then sync again.",
        ) from error
    finally:
        if pid != 0:
            signal.pthread_sigmask(signal.SIG_SETMASK, heeded)
    return pid


def _serve(connection: Connection) -> NoReturn:
    """Answer with definitions until nobody asks any more."""
    try:
        gc.disable()
        _close_inherited(connection.fileno())
        _bound_memory()
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGPROF})
        while True:
            language, _, source = connection.recv_bytes().partition(b"\n")
            # Counts CPU time alone; what no Python code can interrupt ends with the process.
            signal.setitimer(
                signal.ITIMER_PROF, LIMITS.max_parse_seconds + LIMITS.max_parse_overrun_seconds
            )
            found = definitions_in(source, language.decode())
            connection.send_bytes(json.dumps(found).encode())
    finally:
        os._exit(0)


def _close_inherited(kept: int) -> None:
    """Close all descriptors but one, so that no lock and no connection outlives the parent."""
    os.closerange(_STANDARD_STREAMS, kept)
    os.closerange(kept + 1, os.sysconf("SC_OPEN_MAX"))
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(_STANDARD_STREAMS):
        if stream != kept:
            os.dup2(nothing, stream)


def _bound_memory() -> None:
    """Bound what the process may take above what it starts with; leave no core behind."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    most = pages * resource.getpagesize() + LIMITS.max_parse_memory_bytes
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
