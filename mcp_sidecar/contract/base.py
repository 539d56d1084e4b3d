"""What a tool is, as data: independent of Django, of HTTP and of FastMCP.

A contract names the tool, describes it, says what it takes and returns, and renders the result.
`mcp_sidecar.tools` binds it to services. How arguments are read stands in `reading`, what
tools/list shows in `descriptor`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, PrivateAttr


class Arguments(BaseModel):
    """Base of every tool's arguments and of the objects nested in them: unknown names are refused.

    Every field has a description and `examples`; the first example is shown to the model.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)


@dataclass(frozen=True, slots=True)
class PathText:
    """Marks a text argument that names a path, a ref or a heading as answers show them.

    Such a name can hold any text. So escapes of invisible characters are read as the characters,
    and what no name can hold (NUL, a lone surrogate) as a replacement character, which leads to
    the same "not found" as any other miss.
    """


@dataclass(frozen=True, slots=True)
class Rendering:
    """A result as text for a model, at most MAX_RESULT_CHARACTERS.

    `left_out` rows of the result, counted from its end, did not fit; `shown` did.
    """

    text: str
    shown: int = 0
    left_out: int = 0


class Result(BaseModel):
    """Base of every tool's result and of the objects nested in it, read from a service's record.

    A result that is rendered twice is the same text: the first rendering is kept.
    """

    model_config = ConfigDict(from_attributes=True, frozen=True, defer_build=True)

    _rendering: Rendering | None = PrivateAttr(default=None)

    @classmethod
    def of(cls, record: object, **more: Any) -> Self:
        """Return the result that `record` gives, with the fields `more` that no record has."""
        result = cls.model_validate(record)
        return result.model_copy(update=more) if more else result

    @property
    def found_count(self) -> int | None:
        """How much a search or a list found in all; None for other tools, and where unknown."""
        count: int | None = getattr(self, "total_count", None)
        return count


class Page(Result):
    """One page of a list or search: the cursor behind its last row, None at the end.

    The adapter adds the filters it was made with, as `filters_of` gives them.
    """

    next_cursor: str | None
    filters_applied: dict[str, str] = {}


class Listing(Page):
    """One page of a list whose rows are all counted."""

    total_count: int


def filters_of(arguments: Arguments, repository: str | None = None) -> dict[str, str]:
    """Return the filters of a list or search, as text by name; paging and absent ones left out."""
    filters = {} if repository is None else {"repository": repository}
    for name, value in arguments.model_dump(exclude={"limit", "cursor"}, exclude_none=True).items():
        if value not in ((), []):
            filters[name] = ", ".join(value) if isinstance(value, list | tuple) else str(value)
    return filters


@dataclass(frozen=True, slots=True)
class Hints:
    """The four hints of MCP, always set."""

    read_only: bool
    idempotent: bool
    destructive: bool = False
    open_world: bool = False


READ = Hints(read_only=True, idempotent=True)
READ_ELSEWHERE = Hints(read_only=True, idempotent=True, open_world=True)
WRITE_ELSEWHERE = Hints(read_only=False, idempotent=False, open_world=True)


# What every tool that asks the platform says of these errors, the same in all descriptions.
FIX = "invalid_input: correct the argument it names and call again."
FIX_REF = "invalid_input: correct the argument it names; of a ref, take one it lists."
RETRY = (
    "unavailable, deadline_exceeded, too_many_requests: wait, try once more, then stop and tell "
    "the user."
)


@dataclass(frozen=True, slots=True)
class Description:
    """The parts that every description has; `text` joins them.

    `purpose`: what it returns and when to use it. `not_for`: when not to, naming the sibling.
    `returns`: what comes back, with an example. `errors`: what each error means for the model.
    """

    purpose: str
    not_for: str
    returns: str
    errors: str

    @property
    def text(self) -> str:
        """The description as it stands in tools/list."""
        return "\n".join(
            (
                self.purpose,
                f"Not for: {self.not_for}",
                f"Returns: {self.returns}",
                f"Errors: {self.errors}",
            )
        )


@dataclass(frozen=True, slots=True)
class ToolContract[A: Arguments, R: Result]:
    """One tool.

    `uses_repository`: the endpoint's scope offers an argument `repository` besides `arguments`;
    `requires_repository` makes it mandatory where the endpoint has several. `project_wide` tools
    stand only on the endpoint over all repositories. `cache_seconds` is None for a tool whose
    results are never cached. `query_argument` names the argument of a search that says what is
    searched for. `structured` tools answer with structured content and an output
    schema besides their text, both together within MAX_RESULT_CHARACTERS.
    """

    name: str
    title: str
    description: Description
    arguments: type[A]
    result: type[R]
    renderer: Callable[[R], Rendering]
    hints: Hints = READ
    uses_repository: bool = False
    requires_repository: bool = False
    project_wide: bool = False
    requires_github_token: bool = False
    structured: bool = False
    cache_seconds: int | None = 3600
    query_argument: str = ""

    def query_of(self, arguments: A) -> str:
        """Return what is searched for; empty where nothing is, or on a further page of a search."""
        if not self.query_argument or getattr(arguments, "cursor", None):
            return ""
        return str(getattr(arguments, self.query_argument) or "")

    def rendering(self, result: R) -> Rendering:
        """Return how `result` is shown; made once per result."""
        if result._rendering is None:
            result._rendering = self.renderer(result)
        return result._rendering

    def render(self, result: R) -> str:
        """Return `result` as text: no clock is read, so the text may be cached as it is.

        Instants in its head stand as dates; `rendering.freshness.with_ages` adds how long ago
        that is, on every answer.
        """
        return self.rendering(result).text


AnyContract = ToolContract[Any, Any]
Filters = Mapping[str, str]
