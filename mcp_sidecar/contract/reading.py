"""From what a client sent to a tool's arguments, or to an error that a model can act on.

The error's first line is for people and tests; a line per argument then says what came, what is
accepted and an example. It never names a library, a class or an address.
"""

import difflib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from mcp_sidecar.contract.base import AnyContract, Arguments
from mcp_sidecar.contract.leniency import prepared
from mcp_sidecar.contract.repository import NAME, offers_repository, repository_property
from mcp_sidecar.contract.schema import EXAMPLE, Schema, input_schema
from mcp_sidecar.contract.text import escaped, shortened

MAX_VALUE_CHARACTERS: Final = 80
MAX_PROBLEMS: Final = 10
_UNREADABLE: Final = re.compile("[\0\ud800-\udfff]")
_WORDING: Final = {
    "model_type": "Input should be an object",
    "model_attributes_type": "Input should be an object",
    "dict_type": "Input should be an object",
    "tuple_type": "Input should be a valid list",
}


type Path = tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """One argument that cannot be taken: its dotted path, the reason, and what to send instead."""

    path: str
    reason: str
    advice: str


class ArgumentError(Exception):
    """The arguments of a call cannot be taken; `text` is what the model reads."""

    code = "invalid_input"

    def __init__(self, tool: str, problems: Sequence[Problem], *, count: int) -> None:
        self.tool = tool
        self.problems = tuple(problems)
        self.count = count
        super().__init__(self.text)

    @property
    def text(self) -> str:
        """The summary on the first line, then one line per problem, then the code."""
        summary = "; ".join(f"{problem.path}: {problem.reason}" for problem in self.problems)
        lines = [f"invalid arguments for {self.tool}: {summary}"]
        lines += [f"- {problem.path}: {problem.advice}" for problem in self.problems]
        if self.count > len(self.problems):
            lines.append(f"- and {self.count - len(self.problems)} more")
        return "\n".join([*lines, f"(code: {self.code})"])

    @property
    def fields(self) -> dict[str, str]:
        """The reasons by dotted path."""
        return {problem.path: problem.reason for problem in self.problems}


@dataclass(frozen=True, slots=True)
class Given:
    """What a call gives: the checked arguments, and the repository it names (not yet resolved)."""

    arguments: Arguments
    repository: str | None = None


def read_arguments(contract: AnyContract, raw: object, *, names: tuple[str, ...] | None) -> Given:
    """Return the arguments of a call.

    `raw` is what the client sent, None when nothing. `names` are the repositories that the
    endpoint covers, None on the endpoint of a single one: the argument `repository` is dropped
    there, and by tools that work on none. Whether the named one exists is not looked at here.
    Raises ArgumentError, and nothing else, for anything that cannot be taken.
    """
    given = prepared(contract.arguments, {} if raw is None else raw)
    repository: object = None
    if isinstance(given, dict) and NAME not in contract.arguments.model_fields:
        repository = given.pop(NAME, None)
    if not offers_repository(contract, names):
        repository = None
    problems = _Problems(contract, names if offers_repository(contract, names) else None)
    problems.add_unreadable_texts(given)
    if repository is not None:
        problems.add_repository(repository)
    try:
        arguments = contract.arguments.model_validate(given)
    except ValidationError as error:
        problems.add_refused(
            error.errors(include_url=False, include_context=False),
            raw if isinstance(raw, dict) else given,
        )
    if problems.found:
        problems.add_missing_repository(repository)
        raise ArgumentError(contract.name, problems.found, count=problems.count)
    return Given(arguments, repository if isinstance(repository, str) and repository else None)


class _Problems:
    """Collects the problems of one call, at most one per path and MAX_PROBLEMS in all."""

    def __init__(self, contract: AnyContract, names: tuple[str, ...] | None) -> None:
        self.found: list[Problem] = []
        self._contract = contract
        self._names = names
        self._paths: set[Path] = set()

    @property
    def count(self) -> int:
        """How many paths have a problem, shown or not."""
        return len(self._paths)

    def add_repository(self, value: object) -> None:
        """Refuse a repository that is no readable text."""
        if not isinstance(value, str):
            self._add((NAME,), "Input should be a valid string", lambda: self._repository(value))
        elif _UNREADABLE.search(value):
            self._add_unreadable((NAME,), value)

    def add_missing_repository(self, value: object) -> None:
        """Say, besides other problems, that the repository is missing where one is needed."""
        needed = self._names is not None and self._contract.requires_repository
        if needed and value in (None, ""):
            self._add((NAME,), "Field required", lambda: self._repository(None))

    def add_unreadable_texts(self, given: object) -> None:
        """Refuse every text that holds what no database or answer can."""
        for path, value in _texts(given, ()):
            if _UNREADABLE.search(value):
                self._add_unreadable(path, value)

    def add_refused(self, errors: list[ErrorDetails], given: object) -> None:
        """Add what the arguments model refused of what was given."""
        for error in errors:
            reason = _WORDING.get(error["type"], error["msg"]).removeprefix("Value error, ")
            self._add(
                error["loc"],
                reason,
                lambda error=error: self._advice(error["type"], error["loc"], given),  # type: ignore[misc]
            )

    def _add_unreadable(self, path: Path, value: str) -> None:
        reason = (
            "Text must not hold the character NUL (U+0000)"
            if "\0" in value
            else "Text must be valid Unicode, without lone surrogates"
        )
        self._add(path, reason, lambda: f"got {_shown(value)}; leave such characters out")

    def _add(self, path: Path, reason: str, advice: Callable[[], str]) -> None:
        if path in self._paths:
            return
        self._paths.add(path)
        if len(self.found) < MAX_PROBLEMS:
            dotted = ".".join(_shown_name(part) for part in path) or "arguments"
            self.found.append(Problem(dotted, escaped(reason)[0], advice()))

    def _advice(self, kind: str, path: Path, given: object) -> str:
        parent, schema = self._schemas(path)
        if kind == "extra_forbidden":
            return self._nearest(str(path[-1]), parent, is_top=len(path) == 1)
        came = "nothing" if kind == "missing" else _shown(_at(given, path))
        return f"got {came}; accepted: {_accepted(schema)}"

    def _repository(self, value: object) -> str:
        schema = repository_property(self._names or (), required=True)
        came = "nothing" if value is None else _shown(value)
        return f"got {came}; accepted: {_accepted(schema)}"

    def _nearest(self, name: str, parent: Schema, *, is_top: bool) -> str:
        names = list(parent.get("properties", {}))
        if is_top and self._names is not None:
            names.append(NAME)
        if not names:
            return "no such argument; this tool takes none"
        near = difflib.get_close_matches(name.lower()[:100], names, n=1, cutoff=0.5)
        guess = f" did you mean {near[0]}?" if near else ""
        return f"no such argument;{guess} arguments: {', '.join(names)}"

    def _schemas(self, path: Path) -> tuple[Schema, Schema]:
        """Return the schemas of the object around `path` and of what stands at it."""
        parent = schema = input_schema(self._contract.arguments)
        for part in path:
            parent = schema
            if isinstance(part, int):
                schema = schema.get("items", {})
            else:
                schema = schema.get("properties", {}).get(part, {})
        return parent, schema


def _accepted(schema: Schema) -> str:
    """Return what a property takes, in words, with an example."""
    kind = schema.get("type", "object")
    if "enum" in schema:
        words = "one of " + ", ".join(json.dumps(value) for value in schema["enum"])
    elif kind in {"integer", "number"}:
        words = "a whole number" if kind == "integer" else "a number"
        if "minimum" in schema and "maximum" in schema:
            words += f" from {schema['minimum']} to {schema['maximum']}"
        elif "minimum" in schema:
            words += f" of at least {schema['minimum']}"
    elif kind == "string":
        most = schema.get("maxLength")
        words = f"text of at most {most} characters" if most else "text"
    else:
        words = {"boolean": "true or false", "array": "a list"}.get(kind, "an object")
    _, marker, example = schema.get("description", "").rpartition(EXAMPLE)
    return f"{words}, for example {example}" if marker else words


def _texts(value: object, path: Path, depth: int = 64) -> Iterator[tuple[Path, str]]:
    """Yield every text in `value` with its path, as deep as `depth`: no model goes deeper."""
    if isinstance(value, str):
        yield path, value
    elif depth and isinstance(value, dict):
        for name, item in value.items():
            yield from _texts(item, (*path, name), depth - 1)
    elif depth and isinstance(value, list):
        for number, item in enumerate(value):
            yield from _texts(item, (*path, number), depth - 1)


def _at(value: object, path: Path) -> object:
    for part in path:
        if isinstance(value, dict):
            value = value.get(part)
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
    return value


def _shown(value: object) -> str:
    """Return what came as JSON, cut at MAX_VALUE_CHARACTERS."""
    try:
        if isinstance(value, str):
            text = json.dumps(value[:MAX_VALUE_CHARACTERS], ensure_ascii=False)
            more = len(value) - MAX_VALUE_CHARACTERS
            if more > 0:
                text += f"… ({more} more characters)"
        else:
            text = shortened(json.dumps(value, ensure_ascii=False), MAX_VALUE_CHARACTERS)
    except (ValueError, TypeError, RecursionError):
        text = "a value that cannot be shown"
    return escaped(text)[0]


def _shown_name(part: int | str) -> str:
    text = str(part).replace("\n", "\\u000a").replace("\t", "\\u0009")
    return escaped(shortened(text, MAX_VALUE_CHARACTERS))[0]
