"""One case: a request as it goes over the wire, and what is known of it."""

from dataclasses import dataclass, field

Headers = tuple[tuple[str, str], ...]
JSON_HEADERS: Headers = (
    ("content-type", "application/json"),
    ("accept", "application/json, text/event-stream"),
)


@dataclass(frozen=True, slots=True)
class Case:
    """A request.

    `tool` and `server` name what is called where the case is a well-formed call of a tool, whose
    answer then has to be a result. `needs_token` has it sent with the token of a member of staff.
    """

    body: bytes
    path: str = "/mcp/"
    query: str = ""
    method: str = "POST"
    headers: Headers = field(default=JSON_HEADERS)
    tool: str = ""
    server: str = ""
    needs_token: bool = False

    @property
    def size(self) -> int:
        """How much there is to read, for choosing the smallest of several."""
        return len(self.body) + len(self.path) + sum(len(n) + len(v) for n, v in self.headers)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: `status` is 0 where the application never answered."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes

    def header(self, name: bytes) -> bytes | None:
        """The first header of that name."""
        return next((value for key, value in self.headers if key == name), None)
