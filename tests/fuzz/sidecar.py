"""The whole sidecar in this process, over a small catalogue, answering one case after the other."""

import asyncio
import json
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.contrib.auth import get_user_model

from mcp_sidecar import bridge, signals
from mcp_sidecar.transport.application import SERVERS, Application
from tests.fuzz.case import Answer, Case
from tests.gitrepos import GitRepository
from tests.library import add_and_sync
from tests.mcp_sidecar.tools.conftest import CSRF, GUIDE, HOSTILE
from web.accounts.models import Scope
from web.accounts.records import COMMAND_LINE
from web.accounts.services.tokens import token_create
from web.core.limits import LIMITS
from web.core.logs import JsonLines, PlainLines
from web.library.services.posts import PostFields, post_save

UNLIMITED = LIMITS.model_copy(
    update={name: 0 for name in type(LIMITS).model_fields if name.endswith("_per_minute")}
)
_BREAKS = re.compile(r"[\x00-\x1f\x80-\x9f\u2028\u2029]")
LONG = "".join(f"value_{number} = 'needle {'9' * 300}'\n" for number in range(1_000))


def catalogue(folder: Path) -> Mapping[str, Sequence[str]]:
    """Index two repositories and a post; return real values by the name of an argument."""
    origin = GitRepository(folder / "harbour")
    origin.write(
        {
            "README.md": "# Harbour\n\nGuards the harbour.\n",
            "docs/guide.md": GUIDE,
            "docs/hostile.md": HOSTILE,
            "guards/tokens.py": CSRF,
            "guards/long.py": LONG,
            "guards/windows.py": "first = 1\r\nsecond = 2\f\u2028\r\nthird = 'needle'\r\n",
            "guards/one_line.js": "x = [" + "1," * 100_000 + "];\n",
            "logo.png": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8,
            b"\xff\xfe`\n# name.md": "# Odd\n\nname\n",
            "latin.txt": "Größe\n".encode("latin-1"),
            "empty.txt": "",
        }
    )
    origin.link("shortcut", "/etc/passwd").submodule("vendor/lib", "1" * 40)
    origin.commit("First\n\nwith a body", stage=False)
    origin.commit("Second \u202e and \x1b[31m red")
    add_and_sync("harbour", origin.url)
    other = GitRepository(folder / "lighthouse")
    other.write({"lamp.py": "class Lamp:\n    def compare_tokens(self):\n        return 1\n"})
    add_and_sync("lighthouse", other.commit("First").url)
    post_save(fields=PostFields("A trip", GUIDE, slug="a-trip", tags=["sea"], status="published"))
    return {
        "repository": ("harbour", "lighthouse"),
        "path": ("README.md", "docs/guide.md", "guards", "guards/long.py", "shortcut", "logo.png",
                 "vendor/lib", "guards/one_line.js", "latin.txt", "*.py"),
        "commit": (origin.head, origin.head[:8]),
        "ref": ("main",),
        "name": ("TokenGuard", "make_token"),
        "query": ("needle", "compare_tokens", "harbour", "value_1"),
        "pattern": ("needle", "value_\\d+", "*.py"),
        "section": ("leaving-the-harbour", "Leaving the harbour"),
        "slug": ("a-trip",),
        "tag": ("sea",),
    }  # fmt: skip


class LogWatch(logging.Handler):
    """Formats every record as the product's logs do, and notes what is wrong with a line."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[str] = []
        self._json, self._plain = JsonLines(process="fuzz"), PlainLines()

    def emit(self, record: logging.LogRecord) -> None:
        """Judge one record."""
        line = self._json.format(record)
        try:
            fields = json.loads(line)
        except ValueError:
            self.faults.append("a log line is no JSON")
            return
        if not line.isascii() or _BREAKS.search(line) or not isinstance(fields, dict):
            self.faults.append("a log line is broken")
        record.exc_info, kept = None, record.exc_info
        if _BREAKS.search(self._plain.format(record)) or "\x7f" in self._plain.format(record):
            self.faults.append("a line for a terminal is broken")
        record.exc_info = kept
        if record.levelno >= logging.ERROR:
            reason = fields.get("exception", "").strip().rpartition("\n")[2]
            message = re.sub("[0-9a-f]{32}", "…", fields["message"])
            self.faults.append(f"an error was logged: {message[:100]} {reason[:120]}")

    def taken(self) -> list[str]:
        """The faults since the last time."""
        faults, self.faults = self.faults, []
        return faults


class Sidecar:
    """Answers cases, by the lane and by FastMCP alone in turn; see `running`."""

    def __init__(self, runner: asyncio.Runner, known: Mapping[str, Sequence[str]]) -> None:
        self.definitions = SERVERS
        self.known = known
        self.log = LogWatch()
        self._runner = runner
        self._applications = [
            Application(limits=UNLIMITED),
            Application(has_lane=False, limits=UNLIMITED),
        ]
        self._turn = 0
        self._token = ""

    def answer(self, case: Case) -> Answer:
        """Send one case and wait for its answer."""
        self._turn += 1
        application = self._applications[self._turn % len(self._applications)]
        answer = self._sent(application, case)
        if case.needs_token and answer.status == 401:
            self._token = self._new_token()  # a tool took the account or its token away
            answer = self._sent(application, case)
        return answer

    def settle(self) -> None:
        """Wait until every call was recorded."""
        signals.flush()

    def _sent(self, application: Application, case: Case) -> Answer:
        return self._runner.get_loop().run_until_complete(self._exchanged(application, case))

    async def _exchanged(self, application: Application, case: Case) -> Answer:
        pairs = [*case.headers]
        if "host" not in dict(pairs):
            pairs.append(("host", "127.0.0.1:8001"))
        if case.needs_token:
            pairs.append(("authorization", f"Bearer {self._token or 'x'}"))
        scope = {
            "type": "http",
            "http_version": "1.1",
            "scheme": "http",
            "method": case.method,
            "path": case.path,
            "query_string": case.query.encode("latin-1"),
            "headers": [(name.encode(), value.encode("latin-1")) for name, value in pairs],
            "client": ("127.0.0.1", 1),
        }
        sent: list[Any] = []

        async def receive() -> Any:
            return {"type": "http.request", "body": case.body, "more_body": False}

        async def send(event: Any) -> None:
            sent.append(event)

        async with asyncio.timeout(60):
            await application(scope, receive, send)
        if not sent:
            return Answer(0, (), b"")
        body = b"".join(event.get("body", b"") for event in sent)
        return Answer(sent[0]["status"], tuple(sent[0]["headers"]), body)

    def _new_token(self) -> str:
        users = get_user_model().objects
        owner, _made = users.get_or_create(username=f"fuzz{self._turn}", is_staff=True)
        made = token_create(
            actor=COMMAND_LINE, owner=owner, name="fuzz", scopes=Scope.values, expires_days=1
        )
        return made.secret


@contextmanager
def running(known: Mapping[str, Sequence[str]]) -> Iterator[Sidecar]:
    """A sidecar that serves, with its log watched; the log's other handlers are quiet."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    with asyncio.Runner() as runner:
        sidecar = Sidecar(runner, known)
        root.handlers[:] = [sidecar.log]
        root.setLevel(logging.INFO)
        for application in sidecar._applications:
            for gate in application._gates.values():
                runner.run(gate.dispatcher.load())
        try:
            yield sidecar
        finally:
            signals.flush()
            bridge.close()
            root.handlers[:] = handlers
            root.setLevel(level)
