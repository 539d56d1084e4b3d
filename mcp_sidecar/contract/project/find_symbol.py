"""find_symbol: definitions by name."""

from pydantic import Field

from mcp_sidecar.contract.base import (
    FIX_REF,
    RETRY,
    Arguments,
    Description,
    Rendering,
    Result,
    ToolContract,
)
from mcp_sidecar.contract.fields import OptionalWord, Query, Ref, row_limit
from mcp_sidecar.contract.limits import MAX_SEARCH_LIMIT
from mcp_sidecar.contract.rendering.answer import Answer
from mcp_sidecar.contract.rendering.freshness import Freshness, searched
from mcp_sidecar.contract.rendering.lists import count_line, filters_line, hint_lines
from mcp_sidecar.contract.text import link, path_span, span

NAME = "find_symbol"


class FindSymbolArguments(Arguments):
    """What find_symbol takes."""

    name: Query = Field(
        description="Name of the definition, whole or its beginning or a part; a dotted name "
        "narrows it to one class.",
        examples=["QuerySet.bulk_create"],
    )
    kind: OptionalWord = Field(
        None,
        description="Only this kind: function, method, class, constant and so on.",
        examples=["class"],
    )
    ref: Ref = None
    limit: int = row_limit(MAX_SEARCH_LIMIT, MAX_SEARCH_LIMIT, noun="Results", example=5)


class SymbolPlace(Result):
    """A definition; see the record of the same name."""

    repository: str
    ref: str
    commit: str
    path: str
    name: str
    kind: str
    scope: str
    line: int
    end_line: int
    signature: str
    url: str


class FindSymbolResult(Result):
    """Definitions, exact names before beginnings before parts."""

    symbols: tuple[SymbolPlace, ...]
    total_count: int
    total_is_exact: bool
    freshness: tuple[Freshness, ...]
    hints: tuple[str, ...] = ()
    filters_applied: dict[str, str] = {}


def render(result: FindSymbolResult) -> Rendering:
    """Return the definitions, one block each."""
    names = [symbol.repository for symbol in result.symbols]
    answer = Answer([*searched(result.freshness, names), filters_line(result.filters_applied)])
    shown = answer.add_all(
        _block(number, symbol, is_named=len(result.freshness) != 1)
        for number, symbol in enumerate(result.symbols, 1)
    )
    left_out = len(result.symbols) - shown
    closing = [
        count_line(result.total_count, shown, noun="definitions", is_exact=result.total_is_exact),
        "read_file with path, start_line and line_count shows a definition whole.",
    ]
    if not result.symbols:
        closing = ["No definition found."]
    elif shown < result.total_count:
        closing.append("truncated: a whole or dotted name, kind or repository narrows the list.")
    return Rendering(answer.text([*closing, *hint_lines(result.hints)]), shown, left_out)


def _block(number: int, symbol: SymbolPlace, *, is_named: bool) -> str:
    name = f"{symbol.scope}.{symbol.name}" if symbol.scope else symbol.name
    title = (
        f"{number}. {span(symbol.kind or 'definition', 40)} {span(name)}, "
        f"{path_span(symbol.path)} lines {symbol.line}-{symbol.end_line}"
    )
    if is_named:
        title += f", in {span(symbol.repository)}"
    lines = [title, f"   {span(symbol.signature.strip(), 300)}"]
    if symbol.url:
        lines.append(f"   {link(symbol.url)}")
    return "\n".join(lines)


CONTRACT = ToolContract(
    name=NAME,
    title="Find symbol",
    description=Description(
        purpose="Find where a function, class, method, constant or type is defined, from its name, "
        "with path, lines and first line. Use it when you know the name or part of it.",
        not_for="uses of a name, phrases or questions (search_code).",
        returns="Markdown: the indexed commit, then definitions, the exact name first, such as "
        '"1. `class` `QuerySet`, `django/db/models/query.py` lines 302-2210" with its first line '
        "and a link; total_count. When nothing matches, what to try.",
        errors=f"{FIX_REF} {RETRY}",
    ),
    arguments=FindSymbolArguments,
    result=FindSymbolResult,
    renderer=render,
    query_argument="name",
    uses_repository=True,
)
