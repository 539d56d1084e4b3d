import pytest

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


def test_damaged_links_are_left_out():
    assert html_markdown('<a href="http://[x">a</a>', base_url="https://example.org/") == "a\n"


def test_blanks_without_end_are_one_but_in_code():
    blanks = " \t" * 100_000
    html = f"<p>a{blanks}b<!--{blanks}c--></p><pre>{blanks}\n\n  d{blanks}e\n{blanks}</pre>"

    text = html_markdown(html.replace("\t", " "))

    assert text == f"a b\n\n```\n  d{' ' * 200_000}e\n```\n"
