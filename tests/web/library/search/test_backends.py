"""What every backend does alike: long texts, counts of words, and the bounds of its tables."""

import pytest

from tests.gitrepos import GitRepository
from tests.library import add_and_sync, leftovers
from web.accounts.principals import ANONYMOUS
from web.library.models import Repository
from web.library.search.backends import backend
from web.library.search.backends.base import Wanted
from web.library.selectors.search import code_search, documents_search, symbols_named
from web.library.services.repositories import repository_remove
from web.library.services.sync import repository_sync

pytestmark = pytest.mark.django_db


def numbered(number: int) -> str:
    return "".join(chr(ord("a") + int(digit)) for digit in f"{number:05d}")


def test_the_whole_of_a_very_long_line_is_found_and_forgotten(origin: GitRepository) -> None:
    words = [numbered(number) for number in range(40_000)]
    page = "# Words\n\n" + "\n".join(" ".join(words[n : n + 5000]) for n in range(0, 40_000, 5000))
    origin.write({"docs/words.md": page}).commit()
    add_and_sync("project", origin.url)
    for start in (0, 15_990, 16_010, 39_990):
        for query in (words[start], f'"{" ".join(words[start : start + 8])}"'):
            found = documents_search(principal=ANONYMOUS, query=query)
            assert [place.path for place in found.sections] == ["docs/words.md"], query
            assert "nowhere" not in found.interpretation
    repository_remove(name="project")
    assert leftovers() == {}


def test_a_word_repeated_a_thousand_times_hides_nothing(origin: GitRepository) -> None:
    table = "TABLE = [\n" + "    zero, zero, zero, zero,\n" * 300 + "    quaggamuffin,\n]\n"
    origin.write({"table.py": table}).commit()
    add_and_sync("project", origin.url)
    found = code_search(principal=ANONYMOUS, query='"zero zero quaggamuffin"')
    assert [place.path for place in found.places] == ["table.py"]
    assert "nowhere" not in found.interpretation


def test_counts_follow_what_is_added_changed_and_removed(origin: GitRepository) -> None:
    def counted(*tokens: str) -> tuple[int, ...]:
        found = backend().document_frequencies(is_document=False, tokens=tokens)
        return (backend().text_count(is_document=False), *(found[token] for token in tokens))

    origin.write({"a.py": "tea = milk\n", "b.py": "teas = tea + tea\n"}).commit()
    add_and_sync("project", origin.url)
    assert counted("tea", "milk", "coffee") == (2, 2, 1, 0)
    origin.write({"a.py": "coffee = milk\n", "c.py": "milk = 1\n"}).commit()
    repository_sync(name="project")
    assert counted("tea", "milk", "coffee") == (3, 1, 2, 1)
    origin.remove("b.py")
    origin.commit()
    repository_sync(name="project")
    assert counted("tea", "milk", "coffee") == (2, 0, 2, 1)


def test_chunks_come_best_first_whatever_order_they_were_written_in(origin: GitRepository) -> None:
    amounts = [5, 1, 9, 3, 7, 2, 8, 4, 6]
    files = {f"a{n}.py": f"def cup{n}():\n    pour({'tea, ' * n})\n" for n in amounts}
    others = {f"b{n}.py": f"def mug{n}():\n    pour(milk)\n" for n in range(20)}
    origin.write({**files, **others}).commit()
    add_and_sync("project", origin.url)
    wanted = Wanted(("tea",), ("tea",))
    hits = list(backend().chunks_matching(wanted, is_document=False))
    assert [hit.heading for hit in hits] == [f"cup{n}" for n in sorted(amounts, reverse=True)]
    assert [hit.score for hit in hits] == sorted({hit.score for hit in hits}, reverse=True)


def test_chunks_with_more_of_the_pairs_come_first(origin: GitRepository) -> None:
    pages = {
        "docs/one.md": "# One\n\nThe class Quagga runs.\n",
        "docs/two.md": "# Two\n\nA quagga method; of the class of a quagga.\n",
        "docs/none.md": "# None\n\nA class of animals that roam wide open plains, quagga too.\n",
    }
    origin.write(pages).commit()
    add_and_sync("project", origin.url)

    def found(max_texts: int, *home_ids: int) -> list[tuple[str, float]]:
        pairs = [("class", "quagga"), ("method", "quagga")]
        wanted = Wanted((), (), pairs=pairs, home_ids=home_ids or None)
        hits = backend().chunks_holding_most(wanted, is_document=True, max_texts=max_texts)
        return [(hit.heading, hit.score) for hit in hits]

    home = Repository.objects.get().pk
    assert found(9) == found(9, home, home + 1) == [("Two", 2), ("One", 1)]
    assert found(1) == [("One", 1), ("Two", 1)]
    assert found(9, home + 1) == []


@pytest.mark.parametrize("query", ["h{id}", "H{id}s", "ĥ{id} ĥ{id}s"])
def test_a_word_like_the_mark_of_a_repository_is_a_word(origin: GitRepository, query: str) -> None:
    origin.write({"other.py": "tea = milk\n"}).commit()
    add_and_sync("project", origin.url)
    number = Repository.objects.get().pk
    origin.write({"page.py": f"drink(h{number}, tea)\n"}).commit()
    repository_sync(name="project")
    for repository in (None, "project"):
        found = code_search(
            principal=ANONYMOUS, repository=repository, query=query.format(id=number)
        )
        assert [place.path for place in found.places] == ["page.py"]


@pytest.mark.parametrize("part", ["__x", "_y_", "a%b", "100%", "\\d", "ö_ü", "$el"])
def test_signs_in_parts_of_names_are_literal(origin: GitRepository, part: str) -> None:
    names = "def __xylo(): pass\ndef has_y_inside(): pass\ndef größö_über(): pass\n"
    origin.write({"a.py": names, "b.js": "function my$element() {}\n"}).commit()
    add_and_sync("project", origin.url)
    found = [
        place.name for place in symbols_named(principal=ANONYMOUS, name=f"symbol:{part}").symbols
    ]
    expected = {
        "__x": ["__xylo"],
        "_y_": ["has_y_inside"],
        "ö_ü": ["größö_über"],
        "$el": ["my$element"],
    }
    assert found == expected.get(part, [])
