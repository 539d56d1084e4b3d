"""Documents as callers see them: table of contents, pages, sections."""

import json

import pytest

from tests.library import add_and_sync
from web.accounts.principals import ANONYMOUS
from web.core.errors import InvalidInput, NotFound
from web.core.limits import LIMITS
from web.library.selectors.documents import document_text, documents_listed

pytestmark = pytest.mark.django_db
GUIDE = """# Guide

Start here.

## Install

Run make.

### From source

Clone it.

## Use

Call it.
"""


@pytest.fixture(autouse=True)
def _project(origin):
    origin.write(
        {
            "README.md": "# Tool\n",
            "docs/guide.md": GUIDE,
            "docs/notes.txt": "Notes\n=====\n\nText.\n",
            "app.py": "x = 1\n",
        }
    ).commit()
    add_and_sync("tool", origin.url)


def read(section=None, path="docs/guide.md"):
    return document_text(principal=ANONYMOUS, repository="tool", path=path, section=section)


def test_documents_are_listed_with_titles_and_sections():
    listing = documents_listed(principal=ANONYMOUS)
    assert [(item.path, item.title, item.section_count) for item in listing.documents] == [
        ("README.md", "Tool", 1),
        ("docs/guide.md", "Guide", 4),
        ("docs/notes.txt", "Notes", 1),
    ]
    assert listing.total_count == 3


def test_a_folder_narrows_the_list_and_pages_go_on():
    first = documents_listed(principal=ANONYMOUS, repository="tool", path="docs", limit=1)
    assert first.total_count == 2
    second = documents_listed(
        principal=ANONYMOUS, repository="tool", path="docs", limit=1, cursor=first.next_cursor
    )
    assert [item.path for item in first.documents + second.documents] == [
        "docs/guide.md",
        "docs/notes.txt",
    ]
    assert second.next_cursor is None


def test_a_ref_without_its_repository_is_refused():
    with pytest.raises(InvalidInput, match="one repository"):
        documents_listed(principal=ANONYMOUS, ref="main")


def test_a_page_is_read_whole_with_its_sections():
    page = read()
    assert page.text == GUIDE.rstrip("\n")
    assert [(section.heading, section.level) for section in page.sections] == [
        ("Guide", 1),
        ("Install", 2),
        ("From source", 3),
        ("Use", 2),
    ]
    assert page.next_start_line is None


@pytest.mark.parametrize("name", ["install", "#install", "Install", "INSTALL", "inst"])
def test_a_section_is_found_by_anchor_or_heading_with_its_subsections(name):
    section = read(name)
    assert section.text == "## Install\n\nRun make.\n\n### From source\n\nClone it.\n"
    assert section.trail == ("Guide",)
    assert [item.heading for item in section.sections] == ["Install", "From source"]


def test_an_unknown_section_is_told_the_ones_there_are():
    with pytest.raises(NotFound) as missed:
        read("deploy")
    assert "install" in missed.value.hint
    assert "use" in missed.value.hint


def test_a_misspelled_section_is_told_the_nearest_first():
    with pytest.raises(NotFound) as missed:
        read("From sourse")
    assert missed.value.hint.startswith("Did you mean: from-source?")


def test_a_notebook_is_read_as_markdown_with_the_lines_of_its_file(origin):
    cells = [
        {"cell_type": "markdown", "source": ["# Study\n", "\n", "Why."]},
        {"cell_type": "code", "source": ["x = 1\n", "x"], "outputs": [{"data": "noise"}]},
        {"cell_type": "markdown", "source": ["## Result\n", "One."]},
    ]
    raw = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}, indent=1)
    origin.write({"docs/study.ipynb": raw}).commit()
    add_and_sync("lab", origin.url)

    def page(section=None):
        return document_text(
            principal=ANONYMOUS, repository="lab", path="docs/study.ipynb", section=section
        )

    assert page().text == "# Study\n\nWhy.\n\n```python\nx = 1\nx\n```\n\n## Result\nOne."
    result = page("result")
    assert result.text == "## Result\nOne."
    assert result.trail == ("Study",)
    assert '"## Result' in raw.split("\n")[result.start_line - 1]


def test_code_is_no_page():
    with pytest.raises(NotFound) as missed:
        read(path="app.py")
    assert "read_file" in missed.value.hint


def test_a_long_page_ends_at_a_whole_line_and_says_where_to_go_on(origin):
    lines = ["# Long", *(f"line {number} {'x' * 80}" for number in range(1000))]
    origin.write({"docs/long.md": "\n".join(lines)}).commit()
    add_and_sync("longer", origin.url)
    page = document_text(principal=ANONYMOUS, repository="longer", path="docs/long.md")
    assert len(page.text) < LIMITS.max_result_characters
    assert page.next_start_line == page.end_line + 1
    assert page.text.split("\n") == lines[: page.end_line]
