"""Definitions by name: exact before those that begin with it before those that hold it."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from django.db import connection

from web.library.search.backends.base import SearchBackend
from web.library.search.names import (
    MAX_PART_NAMES,
    SHORTEST_PART,
    SymbolRow,
    WantedName,
    exact_score,
    part_score,
    symbols_called,
    symbols_containing,
    wanted_name,
)
from web.library.search.priors import code_prior
from web.library.search.scope import Occurrence, Scope
from web.library.search.tokens import parts_of

_NEAR_NAMES = 5
_NEARNESS = 0.7
_COMPARED_PARTS = 3
_COMPARED_NAMES = 400
# What callers call kinds, beside the kinds' own names.
_KINDS = {
    "func": "function",
    "def": "function",
    "fn": "function",
    "procedure": "function",
    "classes": "class",
    "const": "constant",
    "var": "variable",
    "attribute": "field",
    "property": "field",
    "typedef": "type",
    "namespace": "module",
    "package": "module",
    "#define": "macro",
    "define": "macro",
}
# Kinds that callers take for one another.
_SAME_KINDS = {
    "function": frozenset({"function", "method"}),
    "class": frozenset({"class", "struct"}),
    "type": frozenset({"type", "class", "struct", "interface", "enum", "trait"}),
}
_EXACT, _BEGINS, _HOLDS = range(3)


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition and where it stands."""

    row: SymbolRow
    occurrence: Occurrence


@dataclass(frozen=True, slots=True)
class FoundDefinitions:
    """Definitions, best first. `other_kinds` are the kinds left out when none is left."""

    definitions: tuple[Definition, ...]
    is_exhaustive: bool
    other_kinds: tuple[str, ...] = ()


def definitions_named(
    name: str, scope: Scope, *, kind: str | None, backend: SearchBackend
) -> FoundDefinitions:
    """Return the definitions that a name means, where they stand first; of one kind, if given."""
    wanted = wanted_name(name)
    rows, is_exhaustive = _rows(wanted, scope, backend)
    kinds = _kinds(kind)
    kept = [row for row in rows if kinds is None or row[1].kind in kinds]
    ranked = sorted((_rank(tier, row, wanted, scope) for tier, row in kept), key=lambda it: it[0])
    return FoundDefinitions(
        tuple(definition for _, definition in ranked),
        is_exhaustive,
        () if kept else tuple(sorted({row.kind for _, row in rows})),
    )


def _rows(
    wanted: WantedName, scope: Scope, backend: SearchBackend
) -> tuple[list[tuple[int, SymbolRow]], bool]:
    """Return the rows with how their names fit, and whether there are no more."""
    exact = symbols_called([wanted.folded], scope)
    if wanted.owner:
        owned = [row for row in exact if row.scope.lower().endswith(wanted.owner.lower())]
        exact = owned or exact
    rows = [(_EXACT, row) for row in exact]
    if len(wanted.folded) < SHORTEST_PART or (wanted.owner and exact):
        return rows, True
    held = symbols_containing(wanted.folded, scope, backend=backend)
    for row in held:
        if row.folded != wanted.folded:
            rows.append((_BEGINS if row.folded.startswith(wanted.folded) else _HOLDS, row))
    return rows, len(held) < MAX_PART_NAMES


def _rank(
    tier: int, row: SymbolRow, wanted: WantedName, scope: Scope
) -> tuple[tuple[int, float, int, str, int], Definition]:
    prior, where = min(
        (-code_prior(occurrence.path, frozenset({wanted.folded})), occurrence)
        for occurrence in scope.occurrences_of(row.content_id)
    )
    if tier == _EXACT:
        score = exact_score(row, wanted, where.path)
    else:
        score = part_score(row, wanted.folded)
    key = (tier, score * prior, where.ref_number, where.path, row.line)
    return key, Definition(row, where)


def _kinds(kind: str | None) -> frozenset[str] | None:
    folded = (kind or "").strip().casefold()
    if not folded:
        return None
    name = _KINDS.get(folded, folded)
    return _SAME_KINDS.get(name, frozenset({name}))


def names_like(name: str, scope: Scope, *, backend: SearchBackend) -> tuple[str, ...]:
    """Return names of visible definitions that are nearly `name`, nearest first."""
    folded = wanted_name(name.rstrip("*")).folded
    parts = [part for part in parts_of(folded) if len(part) >= SHORTEST_PART]
    ends = [folded[:4], folded[-4:]] if len(folded) > SHORTEST_PART else []
    ids: dict[int, None] = {}
    for part in dict.fromkeys([*parts[-_COMPARED_PARTS:], *ends]):
        found = backend.symbol_name_ids_containing(part=part, limit=_COMPARED_NAMES)
        ids.update(dict.fromkeys(found))
    names = _folded_names(list(ids))
    near = get_close_matches(folded, names, n=4 * _NEAR_NAMES, cutoff=_NEARNESS)
    written: dict[str, str] = {}
    for row in symbols_called(near, scope) if near else ():
        written.setdefault(row.folded, row.name)
    return tuple(written[each] for each in near if each in written)[:_NEAR_NAMES]


def _folded_names(name_ids: Sequence[int]) -> list[str]:
    if not name_ids:
        return []
    marks = ", ".join(["%s"] * len(name_ids))
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT DISTINCT folded FROM library_symbolname WHERE id IN ({marks}) ORDER BY folded",
            list(name_ids),
        )
        return [str(row[0]) for row in cursor.fetchall()]
