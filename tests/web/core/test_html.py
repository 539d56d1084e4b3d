import sys

import pytest

from web.core import converter
from web.core.errors import InvalidInput
from web.core.html import html_markdown, page_markdown
from web.core.markup import markdown_html

WORDS = "word " * 30


def test_html_becomes_markdown():
    text = html_markdown(
        "<h2>Hi <a href='x'>there</a></h2><p>a <b>bold</b> word"
        "<ul><li>one<li>two<ul><li>deep</ul></ul><p><img src=y.png alt=pic>",
        base_url="https://example.org/d/",
    )

    assert text == (
        "## Hi [there](https://example.org/d/x)\n\na **bold** word\n\n"
        "- one\n- two\n  - deep\n\n![pic](https://example.org/d/y.png)\n"
    )


def test_a_code_block_keeps_its_text_and_language():
    text = html_markdown(
        '<div class="highlight-python notranslate"><pre><span>def</span> __a__(b*c):\n'
        "    return 1 &lt; 2\n</pre></div>"
    )

    assert text == "```python\ndef __a__(b*c):\n    return 1 < 2\n```\n"


@pytest.mark.parametrize("words", ["Use <div> here", "call __init__ and _x_", "2 * 3 * 4", "a | b"])
def test_text_that_looks_like_markup_means_itself(words):
    escaped = words.replace("<", "&lt;").replace(">", "&gt;")

    again = markdown_html(html_markdown(f"<p>{escaped}</p>"))

    assert again == f"<p>{escaped}</p>\n"


def test_a_bar_in_a_table_cell_stays_in_its_cell():
    text = html_markdown("<table><tr><th>a<th>b<tr><td>1|2<td>3</table>")

    assert "| 1\\|2 | 3 |" in text


def test_scripts_and_styles_leave_no_text():
    assert html_markdown("<p>a<script>b()</script><style>c{}</style>") == "a\n"


def test_a_page_is_its_main_content_without_navigation():
    title, text = page_markdown(
        "<html><head><title>Install - Project docs</title></head><body><nav>Menu</nav>"
        f"<main><h1>Install<a class=headerlink href='#i'>¶</a></h1><p>{WORDS}</main>"
        "<footer>Imprint</footer>",
        base_url="https://example.org/",
    )

    assert title == "Install"
    assert text == f"# Install\n\n{WORDS.strip()}\n"


def test_a_page_without_a_heading_gets_its_title_as_one():
    title, text = page_markdown(
        f"<title>Install - Project docs</title><article><p>{WORDS}</article>",
        base_url="https://example.org/",
    )

    assert title == "Install"
    assert text.startswith("# Install\n\nword")


def test_a_page_without_marked_content_is_read_as_a_whole():
    _, text = page_markdown(f"<body><div><p>{WORDS}</div>", base_url="https://example.org/")

    assert text == f"{WORDS.strip()}\n"


def test_a_short_page_has_its_title_once():
    page = "<html><head><title>Anchors</title></head><body><h1>Anchors</h1><p>Drop them.</p></body>"

    assert page_markdown(page, base_url="") == ("Anchors", "# Anchors\n\nDrop them.\n")


def test_a_page_nested_too_deeply_is_refused():
    with pytest.raises(InvalidInput, match="nested too deeply"):
        html_markdown("<ul><li>" * 5000 + "x")


def test_a_list_keeps_its_numbers_and_the_rest_of_its_items_indented():
    html = (
        "<ol start=9><li>one<ul><li>a</ul><li>two<p>more<ol><li>x</ol></ol><ol start=\u00b2><li>y"
    )

    assert html_markdown(html) == ("9. one\n   - a\n10. two\n\n    more\n\n    1. x\n\n1. y\n")


TABLES = {
    "<tr><th>h<td>i</tr><tr><td>a<td>b": "|  |  |\n| --- | --- |\n| h | i |\n| a | b |\n",
    "<tr><th>h<th>i</tr><tr><td>a<td>b": "| h | i |\n| --- | --- |\n| a | b |\n",
    "<thead><tr><td>h</thead><tbody><tr><td>a</tbody><tbody><tr><td>b": (
        "| h |\n| --- |\n| a |\n| b |\n"
    ),
    "<caption>c</caption><tbody><tr><td>a": "c\n\n|  |\n| --- |\n| a |\n",
    "<tr><td colspan=\u00b2>a<td colspan=1000>b": (
        f"{'|  ' * 101}|\n{'| --- ' * 101}|\n| a | b{' |' * 100}\n"
    ),
}


@pytest.mark.parametrize(("rows", "shown"), TABLES.items())
def test_a_table_has_one_head(rows, shown):
    assert html_markdown(f"<table>{rows}</table>") == shown


HOSTILE = {
    "items of an ordered list": lambda n: "<ol>" + "<li>x" * n,
    "rows of a head": lambda n: "<table><thead>" + "<tr><td>x" * n,
    "parts of a table": lambda n: "<table>" + "<tbody><tr><td>x" * n,
    "scripts between texts": lambda n: "x<script>y</script>" * n,
    "buttons between texts": lambda n: "x<button>y</button>" * n,
    "links of a heading": lambda n: "<h1>" + "x<a class=headerlink>y</a>" * n,
    "blanks between elements": lambda n: ("<b>x</b>" + " " * 210) * n,
    "nested lists": lambda n: ("<ul><li>x" * 20 + "</li></ul>" * 20) * (n // 20),
    "nested tables": lambda n: ("<table><tr><td>x" * 20 + "</td></tr></table>" * 20) * (n // 20),
    "nested quotes": lambda n: ("<blockquote>x" * 20 + "</blockquote>" * 20) * (n // 20),
    "nested code": lambda n: ("<pre>x" * 20 + "</pre>" * 20) * (n // 20),
    "articles": lambda n: "<article>x</article>" * n,
    "unclosed paragraphs": lambda n: "<p>x" * n,
    "attributes": lambda n: "<p " + "".join(f"a{number}=x " for number in range(n)) + ">x",
    "entities": lambda n: "&lt;&#60;&amp" * n,
}


def steps(html):
    """Return how many lines of Python are run to read a page."""
    counted = 0

    def count(*_):
        nonlocal counted
        counted += 1

    monitoring, tool = sys.monitoring, 4
    monitoring.use_tool_id(tool, "steps")
    monitoring.register_callback(tool, monitoring.events.LINE, count)
    monitoring.set_events(tool, monitoring.events.LINE)
    try:
        page_markdown(html, base_url="https://example.org/")
    finally:
        monitoring.set_events(tool, 0)
        monitoring.free_tool_id(tool)
    return counted


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_page_of_twice_the_length_takes_twice_the_steps(kind):
    html = HOSTILE[kind]
    page_markdown(html(40), base_url="https://example.org/")  # what is made once

    assert steps(html(800)) < 2.2 * steps(html(400))


@pytest.mark.parametrize(
    ("bound", "reason"),
    [
        ({"max_page_seconds": 1e-9}, "takes more than 1e-09 seconds"),
        ({"max_page_characters": 100}, "becomes more than 100 characters"),
    ],
)
def test_a_page_beyond_a_bound_is_refused_with_the_reason(monkeypatch, bound, reason):
    limits = converter.LIMITS.model_copy(update=bound)
    monkeypatch.setattr(converter, "LIMITS", limits)

    with pytest.raises(InvalidInput, match=reason) as refused:
        html_markdown(f"<p>{WORDS}")
    assert "PORTOLAN_MAX_PAGE" in refused.value.remedy


def test_damaged_links_are_left_out():
    assert html_markdown('<a href="http://[x">a</a>', base_url="https://example.org/") == "a\n"


def test_blanks_without_end_are_one_but_in_code():
    blanks = " \t" * 100_000
    html = f"<p>a{blanks}b<!--{blanks}c--></p><pre>{blanks}\n\n  d{blanks}e\n{blanks}</pre>"

    text = html_markdown(html.replace("\t", " "))

    assert text == f"a b\n\n```\n  d{' ' * 200_000}e\n```\n"
