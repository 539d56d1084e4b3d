"""search_docs' selector: sections with their trail, excerpt and anchor."""

import pytest

from tests.gitrepos import GitRepository
from tests.library import add_and_sync
from web.accounts.principals import ANONYMOUS
from web.core.errors import InvalidInput
from web.library.selectors.search import documents_search

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shop")]


def search(query, **arguments):
    return documents_search(principal=ANONYMOUS, query=query, **arguments)


def test_a_question_finds_the_section_with_its_trail_and_anchor():
    section = search("when does money go back to the card").sections[0]
    assert (section.path, section.title) == ("docs/checkout.md", "Checkout")
    assert (section.heading, section.anchor) == ("Refunds", "refunds")
    assert section.trail == ("Checkout",)
    assert "three working days" in section.excerpt
    assert section.start_line <= 5 <= section.end_line


def test_a_docstring_leads_to_the_section_that_describes_its_function():
    found = search("undo a previous withdrawal at the bank of the buyer").sections
    assert found[0].path == "docs/checkout.md"


def test_a_document_is_shown_once():
    found = [section.path for section in search("order card money refund").sections]
    assert len(found) == len(set(found))


def test_headings_count_more_than_text():
    assert search("installation").sections[0].path == "docs/install.md"


def test_the_words_of_a_question_in_release_notes_do_not_displace_what_answers_it(
    origin: GitRepository,
):
    notes = "# Changes\n\n- Fix: set read and write timeouts of tills before the first sale.\n"
    page = "# Timeouts\n\nA till has two timeouts. Write them down: set read, then write.\n"
    others = {
        f"docs/{name}.md": f"# {name}\n\nWrite {name}, read {name}: set timeouts.\n"
        for name in ("prices", "receipts", "coins", "cards", "returns", "stock", "staff")
    }
    origin.write({"CHANGES.md": notes, "docs/tills.md": page, **others}).commit()
    add_and_sync("tills", origin.url)
    found = search("may I set read and write timeouts", repository="tills").sections
    assert found[0].path == "docs/tills.md"


def test_nothing_found_says_what_was_searched():
    result = search("qqzzxx")
    assert result.sections == ()
    assert any("documents" in hint for hint in result.hints)


def test_code_is_not_searched():
    assert all(not section.path.endswith(".py") for section in search("restore_basket").sections)


def test_filters_narrow_documents_too():
    assert [s.path for s in search("card path:docs/checkout").sections] == ["docs/checkout.md"]
    with pytest.raises(InvalidInput, match="language"):
        search("card lang:python")


def test_pages_follow_each_other():
    whole = [section.path for section in search("the card shop pip money", limit=20).sections]
    first = search("the card shop pip money", limit=1)
    second = search("the card shop pip money", limit=1, cursor=first.next_cursor)
    assert [s.path for s in (*first.sections, *second.sections)] == whole[:2]


@pytest.mark.parametrize("query", ["tide", '"tide by tide"'])
def test_a_page_of_very_many_sections_leaves_room_for_others(origin: GitRepository, query: str):
    paragraph = "Wind, waves, a lamp, a buoy, ropes, a sail, salt and the gulls of the quay.\n" * 8
    glossary = "".join(f"## Tide {n}\n\nTide by tide the tide.\n\n" for n in range(400))
    others = {f"docs/{name}.md": f"# {name}\n\n{paragraph}Tide by tide.\n" for name in "abc"}
    origin.write({"docs/glossary.md": f"# Glossary\n\n{glossary}", **others}).commit()
    add_and_sync("harbour", origin.url)
    found = search(query, repository="harbour")
    assert {section.path for section in found.sections} == {"docs/glossary.md", *others}
