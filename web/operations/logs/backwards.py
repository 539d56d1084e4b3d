"""The lines of a file from its end to its start, in blocks, whatever its size."""

from collections.abc import Iterator
from typing import BinaryIO, Final

BLOCK_BYTES: Final = 64 * 1024
MAX_LINE_BYTES: Final = 1024 * 1024


def lines_backwards(file: BinaryIO, *, end: int) -> Iterator[bytes]:
    """Yield the lines before the byte `end`, last first, without their line feeds.

    What stands after the last line feed is not finished yet and left out. Of a line longer than
    MAX_LINE_BYTES only a part is yielded.
    """
    position = end
    line: bytes | None = None  # as much as is known of the line that ends the next block
    while position > 0:
        size = min(BLOCK_BYTES, position)
        position -= size
        file.seek(position)
        parts = file.read(size).split(b"\n")
        last = parts.pop()
        if line is not None:
            line = last + line
        elif parts:
            line = parts.pop()
        if parts and line is not None:
            yield line
            yield from reversed(parts[1:])
            line = parts[0]
        elif line is not None and len(line) > MAX_LINE_BYTES:
            line = line[:BLOCK_BYTES]
    if line is not None:
        yield line
