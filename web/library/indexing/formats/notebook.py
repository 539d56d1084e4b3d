"""Jupyter notebooks: the sources of the cells, with the lines they have in the raw file.

Line numbers are those of the file, so that search, `read_file` and `read_doc` speak of the same
lines; outputs, which hold images and tables of numbers, are no text to read. `rendered` turns the
cells of a range of lines into Markdown.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from tree_sitter import Node

from web.library.indexing.formats import markdown
from web.library.indexing.formats.outline import Anchors, Heading, Outline
from web.library.indexing.symbols import parsed


@dataclass(frozen=True, slots=True)
class CellLine:
    """A line of a cell's source. `row` is the line of the raw file it stands on, from 1."""

    cell: int
    kind: str
    row: int
    text: str


def cell_lines(text: str) -> tuple[list[CellLine], str]:
    """Return the source lines of all cells in order, and the notebook's language.

    A file that is not a notebook has none; a broken one has what can be recognised.
    """
    source = text.encode("utf-8", "replace")
    root = parsed(source, "json")
    notebook = _first(root, "object") if root is not None else None
    if notebook is None:
        return [], ""
    members = _members(notebook, source)
    lines: list[CellLine] = []
    for number, cell in enumerate(_items(members.get("cells"))):
        parts = _members(cell, source)
        kind = _string(parts.get("cell_type"), source)
        lines += _source_lines(parts.get("source"), source, cell=number, kind=kind)
    return lines, _language(members, source)


def outline_of(text: str) -> Outline:
    """Return the headings in Markdown cells, and the lines of each cell as the ranges to read."""
    lines, _ = cell_lines(text)
    headings: list[Heading] = []
    ranges = []
    anchors = Anchors()
    for _, group in groupby(lines, key=lambda line: line.cell):
        cell = list(group)
        ranges.append((cell[0].row, cell[-1].row))
        if cell[0].kind == "markdown":
            for found in markdown.outline_of([line.text for line in cell]).headings:
                row = cell[found.first_line - 1].row
                headings.append(Heading(row, found.text, found.level, anchors.unique(found.anchor)))
    return Outline(headings=tuple(headings), ranges=tuple(ranges))


def rendered(text: str, *, start_line: int, end_line: int) -> str:
    """Return the cells between two lines of the raw file as Markdown, code in fences."""
    lines, language = cell_lines(text)
    wanted = [line for line in lines if start_line <= line.row <= end_line]
    blocks = []
    for _, group in groupby(wanted, key=lambda line: line.cell):
        cell = list(group)
        body = "\n".join(line.text for line in cell).strip("\n")
        if body:
            blocks.append(body if cell[0].kind == "markdown" else _fenced(body, cell[0], language))
    return "\n\n".join(blocks)


def _fenced(body: str, first: CellLine, language: str) -> str:
    fence = "```"
    while fence in body:
        fence += "`"
    return f"{fence}{language if first.kind == 'code' else ''}\n{body}\n{fence}"


def _source_lines(node: Node | None, source: bytes, *, cell: int, kind: str) -> Iterator[CellLine]:
    """Yield the lines of a cell: a list of strings with one line each, or one string for all."""
    if node is None:
        return
    strings = _items(node) if node.type == "array" else [node]
    open_row, open_text = 0, ""
    for string in strings:
        row = string.start_point.row + 1
        for piece in _string(string, source).splitlines(keepends=True):
            open_row = open_row or row
            open_text += piece
            if piece.endswith("\n"):
                yield CellLine(cell, kind, open_row, open_text.rstrip("\r\n"))
                open_row, open_text = 0, ""
    if open_text:
        yield CellLine(cell, kind, open_row, open_text)


def _language(members: dict[str, Node], source: bytes) -> str:
    metadata = _members(members.get("metadata"), source)
    for holder, key in (("language_info", "name"), ("kernelspec", "language")):
        name = _string(_members(metadata.get(holder), source).get(key), source)
        if name:
            return name
    return "python"


def _first(node: Node, node_type: str) -> Node | None:
    return next((child for child in node.named_children if child.type == node_type), None)


def _items(node: Node | None) -> list[Node]:
    return node.named_children if node is not None and node.type == "array" else []


def _members(node: Node | None, source: bytes) -> dict[str, Node]:
    if node is None or node.type != "object":
        return {}
    found = {}
    for pair in node.named_children:
        key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        if key is not None and value is not None:
            found[_string(key, source)] = value
    return found


def _string(node: Node | None, source: bytes) -> str:
    """Return the value of a JSON string, empty for anything else."""
    if node is None or node.type != "string":
        return ""
    try:
        value = json.loads(source[node.start_byte : node.end_byte], strict=False)
    except ValueError:
        return ""
    return value.replace("\0", "") if isinstance(value, str) else ""
