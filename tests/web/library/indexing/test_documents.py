"""Sections of documents in every format: lines, headings, trails, anchors, levels."""

import json

import pytest

from web.library.indexing.analysis import analyse
from web.library.indexing.documents import rendered

MARKDOWN = """---
title: Front
---
# Top
text
```
# not a heading
```
(lab)=
## Sub
x

Setext
------
## Sub
"""
RESTRUCTUREDTEXT = "=====\nTitle\n=====\n\n.. _lab:\n\nSub\n---\n\ntext\n\nDeep\n~~~~\n"
ASCIIDOC = "= Title\n\n[[anch]]\n== Sub\n\n----\n== not\n----\n\n=== Deep\n"
SECTIONS = {
    "markdown": (
        MARKDOWN,
        "Front",
        [
            (1, 3, "", (), "", 0),
            (4, 8, "Top", (), "top", 1),
            (9, 12, "Sub", ("Top",), "lab", 2),
            (13, 14, "Setext", ("Top",), "setext", 2),
            (15, 15, "Sub", ("Top",), "sub", 2),
        ],
    ),
    "restructuredtext": (
        RESTRUCTUREDTEXT,
        "Title",
        [
            (1, 4, "Title", (), "title", 1),
            (5, 11, "Sub", ("Title",), "lab", 2),
            (12, 13, "Deep", ("Title", "Sub"), "deep", 3),
        ],
    ),
    "asciidoc": (
        ASCIIDOC,
        "Title",
        [
            (1, 2, "Title", (), "title", 1),
            (3, 9, "Sub", ("Title",), "anch", 2),
            (10, 10, "Deep", ("Title", "Sub"), "deep", 3),
        ],
    ),
    "text": ("Notes\n=====\n\nbody\n", "Notes", [(1, 4, "Notes", (), "notes", 1)]),
}


def sections(text, kind):
    analysis = analyse(text, format=kind, is_document=True)
    return analysis.title, [
        (each.start_line, each.end_line, each.heading, each.trail, each.anchor, each.level)
        for each in analysis.chunks
    ]


@pytest.mark.parametrize("kind", SECTIONS)
def test_a_document_is_cut_at_its_headings(kind):
    text, title, expected = SECTIONS[kind]
    assert sections(text, kind) == (title, expected)


def test_the_same_heading_twice_has_two_anchors():
    _, found = sections("# A\n## B\nx\n## B\ny\n", "markdown")
    assert [row[4] for row in found] == ["a", "b", "b-1"]


def test_a_long_section_is_several_pieces_with_one_heading():
    _, found = sections("# Long\n" + "word\n" * 400, "markdown")
    assert len(found) > 2
    assert {row[2:] for row in found} == {("Long", (), "long", 1)}
    assert found[-1][1] == 401


NOTEBOOK = json.dumps(
    {
        "cells": [
            {"cell_type": "markdown", "source": ["# Study\n", "Why.\n"]},
            {"cell_type": "code", "source": ["x = 1\n"], "outputs": [{"text": "SECRET"}]},
        ],
        "metadata": {"language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    },
    indent=1,
)


def test_a_notebook_is_read_as_the_sources_of_its_cells():
    title, found = sections(NOTEBOOK, "notebook")
    assert title == "Study"
    last = len(NOTEBOOK.split("\n"))
    shown = rendered(NOTEBOOK, format="notebook", start_line=1, end_line=last)
    assert "# Study" in shown
    assert "x = 1" in shown
    assert "SECRET" not in shown
    lines = NOTEBOOK.split("\n")
    assert '"# Study' in lines[found[0][0] - 1]


@pytest.mark.parametrize("kind", [*SECTIONS, "notebook"])
def test_broken_text_never_raises(kind):
    for text in ("", "\n", "\0", "=" * 50_000, "#" * 50_000, "```\n" * 5_000, "{[" * 5_000):
        analyse(text, format=kind, is_document=True)
