"""A server of small tools that do what a test needs: fail in a given way, wait, meet, count.

It is a server like the product's own and takes the same ways: in this process, under uvicorn
(`probe_server`) and over standard input and output (`probe_stdio`).
"""

import asyncio
import os
import subprocess
import threading
from typing import Any

from django.contrib.auth import get_user_model
from django.db import connection
from pydantic import Field

from mcp_sidecar import bridge, caching, signals
from mcp_sidecar.contract.base import (
    Arguments,
    Description,
    Hints,
    Rendering,
    Result,
    ToolContract,
)
from mcp_sidecar.servers import catalogue, pipeline
from mcp_sidecar.servers.definition import ServerDefinition
from mcp_sidecar.signals import mcpserver_tool_called
from mcp_sidecar.tools.base import BoundTool, Call
from mcp_sidecar.transport import gate, stdio
from web.core import errors
from web.core.limits import LIMITS

SECRET = "planted-secret-7f3a /srv/portolan SELECT * FROM psycopg"
WRITES = Hints(read_only=False, idempotent=False)


class Nothing(Arguments):
    """No arguments."""


class Word(Arguments):
    """One word."""

    word: str = Field("", description="A word.", examples=["x"])


class Number(Arguments):
    """One number."""

    number: int = Field(1, ge=1, le=1000, description="A number.", examples=[5])


class Text(Result):
    """A text."""

    text: str


class Row(Result):
    """A structured result with every kind of value."""

    title: str
    number: int
    ratio: float
    small: float = 1e-7
    large: float = 1e16
    whole: float = 1.0
    flag: bool
    missing: str | None = None
    names: tuple[str, ...] = ()


class State:
    """What the tools of one test share."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.barrier = threading.Barrier(1)
        self.started = threading.Event()
        self.release = threading.Event()
        self.threads: set[str] = set()


STATE = State()


def reset() -> State:
    """Give the tools a new state and return it."""
    STATE.__init__()  # type: ignore[misc]
    return STATE


async def echo(call: Call, arguments: Word) -> Text:
    """Return the word."""
    STATE.calls.append(arguments.word)
    return Text(text=arguments.word)


async def who(call: Call, arguments: Nothing) -> Text:
    """Return who calls."""
    return Text(text=f"{call.principal.user_id} {call.principal.is_member} {call.scope.single}")


async def row(call: Call, arguments: Word) -> Row:
    """Return a structured result."""
    return Row(title=arguments.word, number=3, ratio=0.1, flag=True, names=("a", "b"))


def raised(*, kind: str) -> str:
    """Raise what `kind` names, with a secret in its text."""
    if kind == "assertion":
        raise AssertionError(SECRET)
    if kind == "memory":
        raise MemoryError(SECRET)
    if kind == "disk":
        raise OSError(28, f"No space left on device: {SECRET}", "/srv/portolan/x")
    if kind == "timeout":
        raise TimeoutError(SECRET)
    if kind == "pydantic":
        Number.model_validate({"number": SECRET})
    if kind == "missing_table":
        with connection.cursor() as cursor:
            cursor.execute("SELECT secret FROM planted_secret")
    if kind.startswith("leak "):
        raise RuntimeError(f"cannot use {kind.removeprefix('leak ')}")
    if kind == "stop":
        raise StopIteration(SECRET)
    for error in (errors.NotFound, errors.Conflict, errors.NotAllowed, errors.TooLarge):
        if error.code == kind:
            raise error("It went wrong.", hint="Do something else.")
    if kind == "unavailable":
        raise errors.Unavailable("Git does not answer.", hint="Try again.")
    raise errors.InvalidInput("It cannot be.", hint="Send something else.", fields={"word": "no"})


async def fail(call: Call, arguments: Word) -> Text:
    """Fail in the bridged function."""
    return await bridge.call(raised, kind=arguments.word)


async def fail_here(call: Call, arguments: Word) -> Text:
    """Fail in the tool itself."""
    return Text(text=raised(kind=arguments.word))


def met() -> str:
    """Return once as many threads have come here as the barrier wants."""
    STATE.barrier.wait(timeout=60)
    return threading.current_thread().name


async def meet(call: Call, arguments: Nothing) -> Text:
    """Wait for the others."""
    return Text(text=await bridge.call(met))


def waited(*, seconds: int) -> str:
    """Say that it started, and return when it is released or the seconds are over."""
    STATE.started.set()
    return "released" if STATE.release.wait(timeout=seconds) else "over"


async def wait(call: Call, arguments: Number) -> Text:
    """Wait until the test says so, or for so many seconds."""
    return Text(text=await bridge.call(waited, seconds=arguments.number))


async def started(call: Call, arguments: Nothing) -> Text:
    """Answer once the other tool waits."""
    return Text(text=str(await bridge.call(STATE.started.wait, timeout=60)))


async def release(call: Call, arguments: Nothing) -> Text:
    """Let the waiting tools go on."""
    STATE.release.set()
    return Text(text="released")


def printed(*, number: int) -> str:
    """Print in every way there is."""
    print("printed by a service")
    os.write(1, b"written by a service\n")
    subprocess.run(["echo", "printed by a child"], check=True)
    return str(number)


async def noise(call: Call, arguments: Number) -> Text:
    """Print, here and in a thread."""
    print("printed by a tool")
    return Text(text=await bridge.call(printed, number=arguments.number))


def queried(*, number: int) -> str:
    """Run a short query on this thread's connection."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s + 1", [number])
        STATE.threads.add(threading.current_thread().name)
        return str(cursor.fetchone()[0])


queried.__module__ = "tests.mcp_sidecar.selectors"  # a read, as those of selectors are


async def query(call: Call, arguments: Number) -> Text:
    """Ask the database."""
    STATE.calls.append("query")
    return Text(text=await bridge.call(queried, number=arguments.number))


def written(*, word: str) -> str:
    """Write a row in a transaction of its own."""
    get_user_model().objects.create(username=word)
    return word


async def write(call: Call, arguments: Word) -> Text:
    """Write a row."""
    return Text(text=await bridge.call(written, word=arguments.word))


def filled() -> str:
    """Write more than the database takes, whose disk is full."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA max_page_count = 1")  # as many as it has
        try:
            cursor.execute(
                "INSERT INTO django_session VALUES ('x', hex(randomblob(2000000)), '2030-01-01')"
            )
        finally:
            cursor.execute("PRAGMA max_page_count = 4294967294")
    return "there was space"


async def fill(call: Call, arguments: Nothing) -> Text:
    """Write on a full disk."""
    return Text(text=await bridge.call(filled))


FAULTS: dict[str, tuple[Any, str]] = {
    "arguments": (pipeline, "read_arguments"),
    "scope": (catalogue, "names_visible_to"),
    "the memory of answers": (caching, "kept"),
    "what keeps answers": (caching, "keep"),
    "the pipeline": (pipeline, "_outcome"),
    "the thread": (bridge, "answered"),
    "rendering": (ToolContract, "render"),
    "ages": (pipeline, "with_ages"),
    "the gate": (gate, "caller_of"),
    "a line": (stdio, "caller_now"),
}
OWN_TURN = {"rendering", "ages"}  # the call that arms them comes by them itself


async def arm(call: Call, arguments: Word) -> Text:
    """Have a layer of this process fail once: at the next call."""
    if arguments.word == "a receiver":
        mcpserver_tool_called.connect(_failing_receiver)
        return Text(text="armed")
    owner, name = FAULTS[arguments.word]
    right, passing = getattr(owner, name), arguments.word in OWN_TURN

    def once(*given: Any, **more: Any) -> Any:
        nonlocal passing
        if passing:
            passing = False
            return right(*given, **more)
        setattr(owner, name, right)
        raise RuntimeError(SECRET)

    setattr(owner, name, once)
    return Text(text="armed")


def _failing_receiver(sender: Any, *, tool: str, **_more: Any) -> None:
    if tool == "probe_echo":
        mcpserver_tool_called.disconnect(_failing_receiver)
        raise RuntimeError(SECRET)


async def told(call: Call, arguments: Nothing) -> Text:
    """Return once the receivers were told of all calls."""
    return Text(text=str(await asyncio.to_thread(signals.flush)))


async def large(call: Call, arguments: Number) -> Text:
    """Return many characters."""
    return Text(text="ä\u2028</x>" * arguments.number)


async def github(call: Call, arguments: Nothing) -> Text:
    """Be there only for callers with a GitHub token."""
    return Text(text="with a token")


def _bound(
    function: Any, arguments: type[Arguments], result: type[Result], **more: Any
) -> BoundTool:
    def render(result: Any) -> Rendering:
        if getattr(result, "text", "") == "render badly":
            raise KeyError(SECRET)
        return Rendering(result.text if isinstance(result, Text) else result.title)

    name = f"probe_{function.__name__}"
    description = Description(purpose=name, not_for="x", returns="x", errors="x")
    return BoundTool(
        ToolContract(
            name=name,
            title=name,
            description=description,
            arguments=arguments,
            result=result,
            renderer=render,
            **more,
        ),
        function,
    )


TOOLS = (
    _bound(echo, Word, Text, uses_repository=True),
    _bound(who, Nothing, Text, cache_seconds=None),
    _bound(row, Word, Row, structured=True),
    _bound(fail, Word, Text, cache_seconds=None),
    _bound(fail_here, Word, Text, cache_seconds=None),
    _bound(meet, Nothing, Text, cache_seconds=None),
    _bound(wait, Number, Text, cache_seconds=None),
    _bound(started, Nothing, Text, cache_seconds=None),
    _bound(release, Nothing, Text, cache_seconds=None),
    _bound(noise, Number, Text, cache_seconds=None),
    _bound(query, Number, Text, cache_seconds=None),
    _bound(write, Word, Text, cache_seconds=None, hints=WRITES),
    _bound(fill, Nothing, Text, cache_seconds=None, hints=WRITES),
    _bound(arm, Word, Text, cache_seconds=None, hints=WRITES),
    _bound(told, Nothing, Text, cache_seconds=None),
    _bound(large, Number, Text, project_wide=True),
    _bound(github, Nothing, Text, requires_github_token=True, cache_seconds=None),
)


def _instructions(*, repository: str | None, tools: tuple[BoundTool, ...]) -> str:
    return f"{repository}: {', '.join(tool.contract.name for tool in tools)}"


PROBES = ServerDefinition(
    name="portolan-probes",
    title="Probes",
    description="Tools that do what a test needs.",
    path="/mcp/probes",
    tools=TOOLS,
    instructions=_instructions,
    token_scope="project",
    over_repositories=True,
)
DEADLINE = LIMITS.call_deadline_seconds
