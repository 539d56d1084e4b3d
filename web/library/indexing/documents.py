"""Documents, cut at their headings: a section makes one chunk, a long one several."""

from collections.abc import Iterator

from web.library.indexing.analysis import MAX_ANCHOR_CHARACTERS, AnalysedChunk, Analysis
from web.library.indexing.decode import lines_of
from web.library.indexing.formats import (
    asciidoc,
    markdown,
    notebook,
    plaintext,
    restructuredtext,
)
from web.library.indexing.formats.outline import Heading, Outline
from web.library.indexing.windows import windows


def analyse_document(text: str, *, format: str) -> Analysis:  # noqa: A002
    """Return the title and the sections of a document; sections never overlap.

    A section reaches to the next heading of any level. What stands before the first heading is a
    section without one, at level 0.
    """
    lines = lines_of(text)
    outline = outline_of(text, lines, format=format)
    return Analysis(
        lines=lines,
        title=outline.title or _title(outline.headings),
        chunks=tuple(_chunks(lines, outline)),
        symbols=(),
    )


def format_of(text: str, *, format: str) -> str:  # noqa: A002
    """Return the format a document is really in: plain text may be reStructuredText."""
    if format == "text" and restructuredtext.looks_like_restructuredtext(text):
        return "restructuredtext"
    return format


def outline_of(text: str, lines: list[str], *, format: str) -> Outline:  # noqa: A002
    """Return the headings of a document of any format; `lines` are those of the text."""
    match format_of(text, format=format):
        case "markdown":
            return markdown.outline_of(lines)
        case "restructuredtext":
            return restructuredtext.outline_of(lines)
        case "asciidoc":
            return asciidoc.outline_of(lines)
        case "notebook":
            return notebook.outline_of(text)
        case _:
            return plaintext.outline_of(lines)


def rendered(text: str, *, format: str, start_line: int, end_line: int) -> str:  # noqa: A002
    """Return the lines of a document as they are read: of a notebook its cells as Markdown."""
    if format == "notebook":
        return notebook.rendered(text, start_line=start_line, end_line=end_line)
    return "\n".join(lines_of(text)[start_line - 1 : end_line])


def _title(headings: tuple[Heading, ...]) -> str:
    top = next((heading for heading in headings if heading.level == 1), None)
    first = top or next(iter(headings), None)
    return first.text if first else ""


def _chunks(lines: list[str], outline: Outline) -> Iterator[AnalysedChunk]:
    trail: list[Heading] = []
    sections = _sections(outline.headings, line_count=len(lines))
    for heading, start, end in sections:
        if heading is not None:
            trail = [above for above in trail if above.level < heading.level]
        anchor = heading.anchor if heading is not None else ""
        for first, last in _readable(outline, start, end):
            for window in windows(lines, start=first, end=last):
                yield AnalysedChunk(
                    start_line=window[0],
                    end_line=window[1],
                    heading=heading.text if heading is not None else "",
                    trail=tuple(above.text for above in trail),
                    anchor=anchor if len(anchor) <= MAX_ANCHOR_CHARACTERS else "",
                    level=heading.level if heading is not None else 0,
                )
        if heading is not None:
            trail.append(heading)


def _sections(
    headings: tuple[Heading, ...], *, line_count: int
) -> Iterator[tuple[Heading | None, int, int]]:
    """Yield (heading, first line, last line) from the start to the end of the document."""
    heading: Heading | None = None
    start = 1
    for following in headings:
        if following.first_line <= start and heading is not None:
            continue  # on the same line: only a notebook with a whole cell on one line has that
        if following.first_line > start:
            yield heading, start, following.first_line - 1
        heading, start = following, following.first_line
    if start <= line_count:
        yield heading, start, line_count


def _readable(outline: Outline, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of a section that are worth reading."""
    if not outline.ranges:
        yield start, end
        return
    for first, last in outline.ranges:
        if first <= end and last >= start:
            yield max(first, start), min(last, end)
