"""`manage.py evaluate_search`: the figures of a maintainer's own queries, and what it refuses."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

pytestmark = pytest.mark.django_db

HEADING = "type\tscope\trepository\tquery\tright_files\n"


@pytest.fixture
def evaluated(tmp_path):
    """How to evaluate a text; returns the lines that the command writes."""

    def evaluate(text, *options):
        path = tmp_path / "queries.tsv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        out = StringIO()
        call_command("evaluate_search", str(path), *options, stdout=out)
        return out.getvalue().splitlines()

    return evaluate


@pytest.mark.usefixtures("shop")
def test_figures_come_by_type_and_misses_are_listed(evaluated):
    """As a spreadsheet writes it: with a byte order mark, and line ends of Windows."""
    lines = evaluated(
        "\ufeff"
        + HEADING.replace("\n", "\r\n")
        + "# a comment\r\n\r\n"
        + "name\tcode\tshop\trestore_basket\tshop/basket.py\r\n"
        + "words\tcode\tshop\tsigned cookie\tno/such.py | shop/basket.py\r\n"
        + "words\tdocs\tshop\tzzzz\tREADME.md | no/such.md\r\n"
        + "words\tcode\tshop\t(\tREADME.md\r\n"
    )

    figures = {line.split()[0]: line.split()[1:4] for line in lines[1:4]}
    assert figures == {
        "name": ["1", "1.000", "1.000"],
        "words": ["3", "0.333", "0.333"],
        "all": ["4", "0.500", "0.500"],
    }
    assert lines[4:] == [
        "miss: words 'zzzz': right README.md, no/such.md; found none; not in the index: no/such.md",
        "miss: words '(': right README.md; The query has no letter or digit to look for.",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "does not begin with the names of its columns"),
        ("name\tcode\tshop\tx\ta.py\n", "does not begin with the names of its columns"),
        (b"type\xff", "not text in UTF-8"),
        (HEADING, "holds no query."),
        (HEADING + "name\tcode\tshop\n", "line 2 has 3 columns"),
        (HEADING + "\nname\tblog\tshop\tx\ta\n", "line 3 has the scope 'blog'"),
        (HEADING + "\tcode\tshop\t \t\n", "line 2 lacks type, query, right files"),
        (HEADING + "bad\n" * 7, "line 6 has 1 columns and 2 more."),
        (HEADING + "name\tcode\tno\tx\ta\n", "There is no repository 'no'"),
    ],
)
def test_a_file_that_is_none_is_refused_with_its_lines(evaluated, text, said):
    with pytest.raises(CommandError) as refused:
        evaluated(text)
    assert said in str(refused.value)


def test_a_repository_without_queries_is_told_those_of_the_file(evaluated):
    with pytest.raises(CommandError, match="The file has: toys"):
        evaluated(HEADING + "name\tcode\ttoys\tx\ta\n", "--repository", "shop")
