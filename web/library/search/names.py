"""Evidence from names: definitions that are called so, exactly or in part, and file names."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import batched

from django.db import connection

from web.library.search.backends.base import SearchBackend
from web.library.search.scope import Scope

MAX_PART_NAMES = 2000
SHORTEST_PART = 3
_IDS_PER_QUERY = 500
_SEPARATOR = re.compile(r"\.|::|->|#|\\")
TYPE_KINDS = frozenset({"class", "struct", "interface", "type", "trait", "enum"})
FUNCTION_KINDS = frozenset({"function", "method", "macro"})
BODY_KINDS = TYPE_KINDS | FUNCTION_KINDS | {"module", "constant", "table", "view", "trigger"}


@dataclass(frozen=True, slots=True)
class SymbolRow:
    """A definition as the tables hold it."""

    content_id: int
    name: str
    folded: str
    kind: str
    scope: str
    line: int
    end_line: int

    @property
    def dotted(self) -> str:
        """The name with the enclosing ones."""
        return f"{self.scope}.{self.name}" if self.scope else self.name


@dataclass(frozen=True, slots=True)
class WantedName:
    """A name as a query has it: the last part, and those before it, if any."""

    name: str
    owners: tuple[str, ...] = ()

    @property
    def owner(self) -> str:
        """The part before the last, empty for none."""
        return self.owners[-1] if self.owners else ""

    @property
    def folded(self) -> str:
        """The name in lower case."""
        return self.name.lower()


def wanted_name(text: str) -> WantedName:
    r"""Read `a.b.name`, `A::name`, `a->name`, `A#name` or `A\name`."""
    parts = [part for part in _SEPARATOR.split(text.removesuffix("()")) if part]
    if not parts:
        return WantedName(text)
    return WantedName(parts[-1], tuple(parts[:-1]))


def symbols_called(folded: Sequence[str], scope: Scope) -> list[SymbolRow]:
    """Return the visible definitions with one of these names, in lower case."""
    marks = ", ".join(["%s"] * len(folded))
    return [
        row
        for row in _symbols(f"name.folded IN ({marks})", list(folded))
        if scope.shows(row.content_id)
    ]


def symbols_containing(part: str, scope: Scope, *, backend: SearchBackend) -> list[SymbolRow]:
    """Return the visible definitions whose names hold `part`, in lower case, at least three long.

    Of a part in very many names only some are looked at.
    """
    ids = backend.symbol_name_ids_containing(part=part, limit=MAX_PART_NAMES)
    found: list[SymbolRow] = []
    for some in batched(ids, _IDS_PER_QUERY):
        marks = ", ".join(["%s"] * len(some))
        found += [
            row
            for row in _symbols(f"name.id IN ({marks})", list(some))
            if scope.shows(row.content_id)
        ]
    return found


def _symbols(condition: str, parameters: Sequence[str | int]) -> Iterator[SymbolRow]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT symbol.content_id, name.name, name.folded, symbol.kind, symbol.scope,"
            " symbol.line, symbol.end_line FROM library_symbolname AS name"
            " JOIN library_symbol AS symbol ON symbol.name_id = name.id"
            f" WHERE {condition}",
            list(parameters),
        )
        for row in cursor.fetchall():
            yield SymbolRow(*row)


def exact_score(row: SymbolRow, wanted: WantedName, path: str) -> float:
    """Return how well a definition with the wanted name fits: case, kind, owner and file name."""
    score = 1.0 + (row.name == wanted.name)
    if row.kind in TYPE_KINDS:
        score += 0.6
    elif row.kind in FUNCTION_KINDS:
        score += 0.3
    owner = wanted.owner.lower()
    if owner:
        if row.scope.rpartition(".")[2].lower() == owner:
            score += 1.5
        elif owner in path.lower():
            score += 1.0
        if len(wanted.owners) > 1 and _is_chain(wanted.owners, path, row.scope):
            score += 0.5
    elif not row.scope:
        score += 0.4
    file_name = path.rpartition("/")[2].partition(".")[0]
    if file_name.replace("_", "").lower() == wanted.folded.replace("_", ""):
        score += 0.5
    if path.endswith((".h", ".hpp", ".pyi", ".d.ts")):
        score -= 0.5  # a declaration; the definition is elsewhere
    return score


def _is_chain(owners: Sequence[str], path: str, scope: str) -> bool:
    """Say whether all owners stand one after the other in a path and the scope in its file."""
    places = f"/{path.rpartition('.')[0]}/{scope.replace('.', '/')}/"
    return f"/{'/'.join(owners)}/".lower() in places.lower()


def part_score(row: SymbolRow, part: str) -> float:
    """Return how well a name with the part fits: how much of it that is, whether it begins so."""
    begins = 0.3 if row.folded.startswith(part) else 0.0
    return len(part) / len(row.folded) + begins + (0.1 if row.kind in BODY_KINDS else 0.0)


def contents_at_paths_with(part: str, scope: Scope, *, limit: int) -> dict[int, float]:
    """Return contents whose path holds `part`, with how well it fits: 1 for the file's very name.

    Of very many those with the shortest paths.
    """
    found: list[tuple[float, int, str, int]] = []
    for view in scope.views:
        for position in view.positions_with(part):
            content_id, path = view.content_ids[position], view.paths[position]
            if scope.shows(content_id):
                found.append((-_path_fit(path.lower(), part), len(path), path, content_id))
    found.sort()
    best: dict[int, float] = {}
    for fit, _, _, content_id in found:
        if len(best) == limit:
            break
        best.setdefault(content_id, -fit)
    return best


def _path_fit(path: str, part: str) -> float:
    """Return 1 where `part` ends the path or is the file's name without its ending, else a half."""
    name = path.rpartition("/")[2]
    is_end = path == part or path.endswith(f"/{part}")
    return 1.0 if is_end or name.partition(".")[0] == part else 0.5
