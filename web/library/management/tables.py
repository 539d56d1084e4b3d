"""Tables on the output of commands."""

from collections.abc import Iterable, Sequence
from io import TextIOBase
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from web.core.text import printable

_WIDTH = 160  # where the output is no terminal


def write_table(output: TextIOBase, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write rows below the columns' names, folded to the width of the terminal.

    Django's wrapper around the output, which ends every write with a line feed, is taken off.
    """
    table = Table(box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    stream: Any = getattr(output, "_out", output)
    Console(file=stream, width=None if stream.isatty() else _WIDTH).print(table)
