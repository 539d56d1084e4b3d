"""What of a file's head says nothing: the comment about its licence, its imports."""

import pytest

from web.library.search.boilerplate import first_line_of_code, header_end

LICENCE = ["# Copyright of the harbour.", "# All rights reserved.", ""]


def test_a_comment_about_a_licence_ends_where_code_begins() -> None:
    assert header_end([*LICENCE, "x = 1"]) == len(LICENCE)
    assert header_end(["# What this does.", "x = 1"]) == 0
    assert header_end(LICENCE) == 0, "a file that is nothing else has no other lines to show"


@pytest.mark.parametrize(
    ("lines", "first"),
    [
        (["import a", "x = 1"], 2),
        (["from a import (", "    b,", ")", "x = 1"], 4),
        (["from a import (b)", "x = 1"], 2),
        (["import {a} from 'a'", "x = 1"], 2),
        (["use a::{b, {", "c}};", "fn x() {}"], 3),
        (["import a", "# only that"], 1),
        ([f"import {'(' * 400_000})", "x = 1"], 2),
    ],
    ids=["one", "over lines", "closed", "braces", "nested", "no code", "very many brackets"],
)
def test_code_begins_after_the_imports(lines: list[str], first: int) -> None:
    assert first_line_of_code(lines, 1, len(lines)) == first
