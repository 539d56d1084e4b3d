import pytest

from web.core.addresses import web_address
from web.core.errors import InvalidInput
from web.library.git.remotes import check_address
from web.library.selectors.links import commit_url, file_url
from web.library.sites.address import page_path, page_url, parse_site

SITE = "site+https://docs.example.org/sitemap.xml"


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("/", "index.md"),
        ("/guide/", "guide/index.md"),
        ("/guide/install", "guide/install.md"),
        ("/guide/install.html", "guide/install.html.md"),
        ("/guide/b%C3%BCcher/x%20y.html", "guide/bücher/x y.html.md"),
        ("/search?page=2", "search?page=2.md"),
    ],
)
def test_a_page_of_html_and_its_path_lead_to_each_other(target, path):
    assert page_path(target) == path
    assert page_url(SITE, path) == f"https://docs.example.org{target}"


@pytest.mark.parametrize("target", ["/llms-full.txt", "/source/guide.rst"])
def test_text_keeps_its_name(target):
    assert page_path(target) == target[1:]
    assert page_url(SITE, target[1:]) == f"https://docs.example.org{target}"


def test_markdown_that_a_site_offers_stands_for_its_page():
    assert page_path("/guide/install.md") == "guide/install.md"
    assert page_url(SITE, "README.md") == parse_site(SITE).listing.url  # the mirror's own
    assert page_url(SITE, "guide/install.md") == "https://docs.example.org/guide/install"


@pytest.mark.parametrize(
    "target",
    [
        *("/a//b", "/../x", "/a/./b", "/%2e%2e/x", "/.git/config", "/a/.GIT/x", "/a%00b"),
        *("/a%5Cb", "/" + "x" * 1100, "/a%0Ab", "/%E2%80%AEx"),
    ],
)
def test_an_address_that_makes_no_path_gives_none(target):
    assert page_path(target) is None


def test_an_encoded_slash_stays_encoded():
    assert page_path("/a%2Fb") == "a%2Fb.md"
    assert page_url(SITE, "a%2Fb.md") == "https://docs.example.org/a%2Fb"


def test_the_part_behind_the_mark_says_which_pages_are_wanted():
    site = parse_site(f"{SITE}#/guide/")

    assert site.covers(web_address("https://docs.example.org/guide/a"))
    assert site.covers(web_address("https://www.docs.example.org/guide/a"))
    assert not site.covers(web_address("https://docs.example.org/blog/a"))
    assert not site.covers(web_address("https://other.example.org/guide/a"))
    assert not site.covers(web_address("https://docs.example.org:8443/guide/a"))


@pytest.mark.parametrize(
    "url",
    [
        "site+file:///etc/passwd",
        "site+ftp://docs.example.org/sitemap.xml",
        "site+https://user:pw@docs.example.org/sitemap.xml",
        "site+",
        f"{SITE}#guide",
    ],
)
def test_an_address_that_is_no_site_is_refused(url):
    with pytest.raises(InvalidInput) as caught:
        check_address(url)
    assert "url" in caught.value.fields


def test_a_link_to_a_file_of_a_site_is_the_page_itself():
    assert file_url(SITE, commit="c" * 40, path="guide/a.html.md", start_line=3) == (
        "https://docs.example.org/guide/a.html"
    )
    assert commit_url("site+https://github.com/sitemap.xml", commit="c" * 40) == ""
