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


def test_plain_text_with_roles_or_directives_is_restructuredtext():
    text = "Guide\n=====\n\n.. setting:: DEBUG\n\n``DEBUG``\n---------\n\n:ref:`x`\n\nTwo\n---\n"
    assert sections(text, "text") == (
        "Guide",
        [
            (1, 3, "Guide", (), "guide", 1),
            (4, 10, "DEBUG", ("Guide",), "debug", 2),
            (11, 12, "Two", ("Guide",), "two", 2),
        ],
    )


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (":class:`~django.db.models.QuerySet` API", "QuerySet API"),
        ("See :doc:`the guide </intro/guide>` *now*", "See the guide now"),
        ("``**kwargs`` and `a link <https://example.com>`_", "**kwargs and a link"),
    ],
)
def test_titles_are_shown_without_restructuredtext_markup(source, shown):
    _, found = sections(f"{source}\n{'=' * len(source)}\n", "restructuredtext")
    assert found[0][2] == shown


@pytest.mark.parametrize(
    ("source", "shown", "anchor"),
    [
        ("# `get()` and **more** [here](x.md)", "get() and more here", "get-and-more-here"),
        ("# Install {#setup}", "Install", "setup"),
        ('<h1 align="center">\n  <img src="x"> The &amp; Tool\n</h1>', "The & Tool", "the--tool"),
        ("# A < B & `x<y>`", "A < B & x<y>", "a--b--xy"),
    ],
)
def test_titles_are_shown_without_markdown_markup(source, shown, anchor):
    _, found = sections(source + "\n", "markdown")
    assert (found[0][2], found[0][4]) == (shown, anchor)


@pytest.mark.parametrize(
    "text",
    [
        "<!--\n# no\n-->\n",
        "- # no\n",
        "> # no\n",
        "    # no\n",
        "~~~\n# no\n~~~\n",
        ":::{note}\n# no\n:::\n",
        "\\# no\n",
    ],
)
def test_what_only_looks_like_a_heading_of_markdown_is_none(text):
    _, found = sections("# Top\n\n" + text, "markdown")
    assert {row[2] for row in found} == {"Top"}


@pytest.mark.parametrize(
    "text",
    [
        "a paragraph\nof two lines\n----\n",
        "=====  =====\nOne    Two\n=====  =====\n",
        ".. code-block:: text\n\n   no\n   --\n",
        ">>> table()\nName\n----\n",
        "before\n\n--------\n\nafter\n",
    ],
)
def test_what_only_looks_like_a_title_of_restructuredtext_is_none(text):
    _, found = sections("Top\n===\n\n" + text, "restructuredtext")
    assert {row[2] for row in found} == {"Top"}


def test_a_title_without_a_heading_is_the_first_line_of_plain_text():
    assert sections("\n  Read me first.  \n\nmore\n", "text")[0] == "Read me first."


def test_numbered_titles_of_an_rfc_are_sections():
    text = "A Protocol\n\n1. Introduction\n\ntext\n\n2. Rules\n\n2.1. First\n\nend\n"
    assert [(row[2], row[3], row[5]) for row in sections(text, "text")[1]] == [
        ("", (), 0),
        ("1. Introduction", (), 1),
        ("2. Rules", (), 1),
        ("2.1. First", ("2. Rules",), 2),
    ]


def test_a_notebook_on_one_line_still_has_its_title():
    assert sections(json.dumps(json.loads(NOTEBOOK)), "notebook")[0] == "Study"


HOSTILE = (
    "# {#a\n",
    "<h1>",
    "<h1",
    "<a",
    ".. _",
    "= a ",
    "*a ",
    " ",
    "\n",
    "a\n=\n",
    "`",
    "> ",
    "[x",
)


@pytest.mark.parametrize("kind", [*SECTIONS, "notebook"])
def test_long_repetition_costs_no_more_than_its_length(kind):
    for pattern in HOSTILE:  # with a backtracking pattern one of these would take hours
        analyse("# " + pattern * (200_000 // len(pattern)), format=kind, is_document=True)


@pytest.mark.parametrize("kind", [*SECTIONS, "notebook"])
def test_broken_text_never_raises(kind):
    for text in ("", "\n", "\0", "=" * 50_000, "#" * 50_000, "```\n" * 5_000, "{[" * 5_000):
        analyse(text, format=kind, is_document=True)


BLANKS = "\t" * 200_000


@pytest.mark.parametrize(
    ("text", "heading", "anchor", "first_line"),
    [
        (f"---\ntitle: a{BLANKS}b\n---\n# H\n", "H", "h", 4),
        (f'x\n\n<a name="n"></a>{BLANKS}x\n\n# H\n', "H", "h", 5),
        (f'x\n\n<a name="n"></a>{BLANKS}\n\n# H\n', "H", "h", 3),
        (f"x\n\n(lab)=\n{chr(10) * 100_000}<h1>H</h1>{'<h2>I</h2>' * 4000}\n", "H", "lab", 3),
    ],
    ids=[
        "front matter",
        "text behind an anchor",
        "blanks behind an anchor",
        "headings of one line",
    ],
)
def test_a_line_of_any_length_is_read_once(text, heading, anchor, first_line):
    analysis = analyse(text, format="markdown", is_document=True)

    found = next(chunk for chunk in analysis.chunks if chunk.heading)
    assert (found.heading, found.anchor, found.start_line) == (heading, anchor, first_line)
