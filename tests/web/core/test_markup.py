import pytest

from web.core.images import markdown_with_shown_images
from web.core.markup import markdown_html, soft_wrapped


def test_markdown_becomes_html():
    html = markdown_html("Hello *you*\n\n| a |\n|--:|\n| 1 |\n\n```py\nx < 1\n```\n")

    assert "<em>you</em>" in html
    assert '<td align="right">1</td>' in html
    assert '<code class="language-py">x &lt; 1' in html


def test_headings_get_the_anchor_of_their_line():
    html = markdown_html("# One\n\ntext\n\nTwo\n---\n", anchors={1: "one", 5: "two-1"})

    assert '<h1 id="one">One</h1>' in html
    assert '<h2 id="two-1">Two</h2>' in html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<style>body{display:none}</style>",
        '<b onclick="alert(1)">x</b>',
        '<a href="javascript:alert(1)">x</a>',
        "[x](<javascript:alert(1)>)",
        '<iframe src="https://evil.example/"></iframe>',
        '<form action="/admin/"><input name="x"></form>',
        '<div style="position:fixed">x</div>',
        '<p id="csrf" class="x">x</p>',
        "<svg><script>alert(1)</script></svg>",
        '<math><mtext><table><mglyph><style><img src=x onerror="alert(1)">',
    ],
)
def test_nothing_that_acts_survives(text):
    html = markdown_html(text).lower()

    for word in ("alert", "onclick", "onerror", "style", "<iframe", "<form", "id=", "class="):
        assert word not in html.replace("[x](&lt;javascript:alert(1)&gt;)", "")


@pytest.mark.parametrize(
    "text",
    [
        "![a cat](https://evil.example/cat.png)",
        "![a cat](//evil.example/cat.png)",
        '<img src="https://evil.example/cat.png" alt="a cat">',
        '<img src="/\\evil.example/cat.png" alt="a cat">',
        '<img src="/\t/evil.example/cat.png" alt="a cat">',
        '<img src="http://[evil.example/" alt="a cat">',
    ],
)
def test_an_image_of_another_host_is_not_loaded(text):
    html = markdown_html(text)

    assert "src=" not in html
    assert "a cat" in html


def test_an_image_of_another_host_can_still_be_opened():
    html = markdown_html('![a "cat"](https://example.org/cat.png)')

    assert '<a href="https://example.org/cat.png" rel=' in html


REL = 'rel="nofollow noopener noreferrer"'
MISSING = f'<a class="missing-image" href="/blog/x/cat.png" {REL}>'
IMAGES = {
    "![compass](/static/pages/compass.svg)": '<img src="/static/pages/compass.svg" alt="compass">',
    "![c](../../static/pages/compass.svg)": '<img src="/static/pages/compass.svg" alt="c">',
    '<img src="../../static/pages/compass.svg">': '<img src="/static/pages/compass.svg">',
    "![a cat](cat.png)": f"{MISSING}a cat</a>",
    "![](cat.png)": f"{MISSING}cat.png</a>",
    '<img src="cat.png" alt="a &lt; b">': f"{MISSING}a &lt; b</a>",
    "![a cat][1]\n\n[1]: cat.png": f"{MISSING}a cat</a>",
    "[![a cat](cat.png)](/there/)": f'<a href="/there/" {REL}>a cat</a>',
    "![a cat](/static/../secret)": f'<a class="missing-image" href="/secret" {REL}>a cat</a>',
    "![a cat](/static/%00)": f'<a class="missing-image" href="/static/%00" {REL}>a cat</a>',
    '<img src="https://e.example/c.png">': f'<a href="https://e.example/c.png" {REL}>c.png</a>',
    "![a cat](data:image/png;base64,AAAA)": "<p>a cat</p>",
    '<img src="data:image/png;base64,AAAA">': "image",
    '<img alt="a cat">': "a cat",
}


@pytest.mark.parametrize(("text", "shown"), IMAGES.items())
def test_an_image_that_is_not_there_becomes_its_text_and_a_link(text, shown):
    html = markdown_html(text, base_url="/blog/x/")

    assert shown in html
    assert ("<img" in html) is ("<img" in shown)


def test_an_image_beside_an_imported_post_is_of_its_host():
    html = markdown_html("![a cat](/static/pages/compass.svg)", base_url="https://e.example/p/")

    assert f'<a href="https://e.example/static/pages/compass.svg" {REL}>a cat</a>' in html


MARKDOWN_IMAGES = {
    "![a cat](cat.png) ![b](<b.png> 'title')": (
        "[a cat](https://e.example/p/cat.png) [b](https://e.example/p/b.png)"
    ),
    '![](cat.png) <img src="cat.png" alt="a [cat]">': (
        "[cat.png](https://e.example/p/cat.png) [a cat](https://e.example/p/cat.png)"
    ),
    "[![a](//f.example/a.png)](/there)": "[[a](https://f.example/a.png)](/there)",
    "![a](data:image/png;base64,AAAA) text": "a text",
    "`![a](b.png)`": "`![a](b.png)`",
    "    ![a](b.png)": "    ![a](b.png)",
    "```\n![a](b.png)\n```\n![a](b.png)": ("```\n![a](b.png)\n```\n[a](https://e.example/p/b.png)"),
}


@pytest.mark.parametrize(("text", "shown"), MARKDOWN_IMAGES.items())
def test_markdown_for_readers_has_text_and_whole_addresses_in_place_of_images(text, shown):
    assert markdown_with_shown_images(text, base_url="https://e.example/p/") == shown


def test_markdown_for_readers_keeps_images_that_are_there(settings):
    base_url = f"{settings.PUBLIC_URL}/blog/x/"

    shown = markdown_with_shown_images("![c](/static/pages/compass.svg)", base_url=base_url)

    assert shown == f"![c]({settings.PUBLIC_URL}/static/pages/compass.svg)"


def test_relative_links_are_completed():
    html = markdown_html("[x](../b.html) [y](#z) [m](m.md)", base_url="https://example.org/docs/a/")

    assert 'href="https://example.org/docs/b.html"' in html
    assert 'href="#z"' in html
    assert 'href="https://example.org/docs/a/m.md"' in html


def test_a_paragraph_of_one_long_line_is_broken_between_sentences_and_means_the_same():
    sentence = "This is a sentence of some words. "
    text = f"# Title\n\n{sentence * 100}\n\n- {sentence * 50}- not an item. 1. nor this.\n"

    wrapped = soft_wrapped(text)

    assert max(map(len, wrapped.split("\n"))) <= 1000
    assert markdown_html(wrapped).split() == markdown_html(text).split()


def test_long_lines_of_code_and_tables_are_not_broken():
    text = f"```\n{'word. ' * 300}\n```\n\n| {'Word. ' * 300} |\n|--|\n\n    {'Word. ' * 300}\n"

    assert soft_wrapped(text) == text


def test_a_long_line_without_sentences_is_broken_between_words():
    wrapped = soft_wrapped("word " * 1000)

    assert max(map(len, wrapped.split("\n"))) <= 1000
    assert wrapped.split() == ["word"] * 1000


def test_blanks_without_end_stay_in_their_line():
    text = f"a{' ' * 400_000}1 b"

    assert soft_wrapped(text) == f"a{' ' * 400_000}1\nb"
