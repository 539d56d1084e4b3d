"""search_code's selector: what is found, where it points, how it is narrowed and paged."""

import pytest

from tests.gitrepos import GitRepository
from tests.library import add_and_sync
from web.accounts.principals import ANONYMOUS, Principal
from web.core.errors import InvalidInput, NotFound
from web.core.limits import LIMITS
from web.library.git.mirrors import mirror_path
from web.library.models import Repository
from web.library.search import reading
from web.library.selectors.search import code_search
from web.library.services.repositories import repository_add, repository_remove
from web.library.services.sync import repository_sync

pytestmark = pytest.mark.django_db
MEMBER = Principal(user_id=1, is_member=True)


def search(query, **arguments):
    return code_search(principal=arguments.pop("principal", ANONYMOUS), query=query, **arguments)


def paths(result):
    return [place.path for place in result.places]


@pytest.mark.usefixtures("shop")
class TestFinding:
    def test_a_name_finds_its_definition_first(self):
        place = search("add_item").places[0]
        assert (place.path, place.start_line) == ("shop/basket.py", 14)
        assert (place.definition, place.kind) == ("Basket.add_item", "method")
        assert place.lines[0].strip() == "def add_item(self, item, amount=1):"
        assert 14 in place.matched_lines

    def test_a_dotted_name_finds_the_member_of_that_class(self):
        place = search("PaymentGateway.refund").places[0]
        assert (place.path, place.definition) == (
            "shop/payment/gateway.py",
            "PaymentGateway.refund",
        )

    def test_a_part_of_a_name_finds_it(self):
        assert search("ymentGatew").places[0].definition == "PaymentGateway"

    def test_words_of_a_docstring_find_its_function(self):
        place = search("read a basket from the signed cookie").places[0]
        assert (place.path, place.definition) == ("shop/basket.py", "restore_basket")

    def test_words_of_the_documentation_lead_to_the_code_it_describes(self):
        place = search("gives the whole sum of an earlier purchase back").places[0]
        assert (place.path, place.definition) == (
            "shop/payment/gateway.py",
            "PaymentGateway.refund",
        )

    def test_a_line_without_end_in_the_documentation_is_passed_over(self, shop):
        page = (shop.path / "docs/checkout.md").read_text()
        endless = f".. f:: {' ' * 100_000}!\n\nGives"
        shop.write({"docs/checkout.md": page.replace("Gives", endless)}).commit()
        repository_sync(name="shop")
        self.test_words_of_the_documentation_lead_to_the_code_it_describes()

    def test_an_error_message_is_found_where_it_is_raised(self):
        place = search('"cookie of the basket is empty"').places[0]
        assert place.path == "shop/basket.py"
        assert 'raise ValueError("The cookie of the basket is empty")' in "\n".join(place.lines)

    @pytest.mark.parametrize(
        "query",
        [
            'No more room is left for "Emma" on shelf 7',
            "Shelf [Emma] does not exist.",
            '"Shelf [7] does not exist."',
        ],
    )
    def test_a_message_is_found_whatever_it_has_filled_in(self, origin, query):
        shelf = "def put(book, shelf):\n    if shelf.is_full:\n"
        shelf += (
            "        raise Full(f'No more room is left for {book.title} on shelf {shelf.number}')\n"
        )
        shelf += "    raise Missing(f'Shelf [{shelf}] does not exist')\n"
        words = "def shelf_of(room):  # left, more, emma\n    return room.shelf  # 7\n"
        words += "def exist(emma):\n    emma.shelf = emma.room\n    return emma.does\n"
        origin.write({"shop/shelf.py": shelf, "shop/emma.py": words}).commit("Shelve books")
        repository_sync(name="shop")
        assert paths(search(query))[0] == "shop/shelf.py"

    def test_camel_case_is_found_by_its_words(self):
        assert search("charge card").places[0].path == "shop/payment/gateway.js"

    def test_tests_come_after_the_code_they_test(self):
        found = paths(search("add item amount"))
        assert found.index("shop/basket.py") < found.index("tests/test_basket.py")

    def test_a_file_called_what_is_asked_for_comes_before_one_that_says_it_more_often(self, origin):
        voucher = "def read(line):\n    return line.split()  # of a voucher\n"
        till = "def cash(code):\n    return read(code), voucher\n"
        origin.write({"shop/voucher.py": voucher, "shop/till.py": till}).commit("Take vouchers")
        repository_sync(name="shop")
        assert paths(search("read voucher codes"))[0] == "shop/voucher.py"

    def test_a_test_that_has_a_message_as_it_comes_out_stands_below_what_raises_it(self, origin):
        message = "The vault below the cellar is locked: use the silver key of"
        vault = f"def open_vault(owner):\n    raise Locked(f'{message} {{owner}}')\n"
        test = f"def test_open():\n    assert says('{message} Emma')\n"
        origin.write({"shop/vault.py": vault, "tests/test_vault.py": test}).commit("Lock")
        repository_sync(name="shop")
        found = paths(search(f"{message} Emma"))
        assert found[:2] == ["shop/vault.py", "tests/test_vault.py"]

    def test_what_uses_words_is_shown_rather_than_what_imports_them(self, origin):
        till = "from shop.rules import delivery_cost, weekend_discount, loyal_customer\n\n"
        till += "def unrelated(row):\n" + "".join(f"    row.move({n})\n" for n in range(90))
        till += (
            "\n\ndef discount_for(person):\n    if loyal_customer(person):\n"
            "        return weekend_discount(person)\n"
        )
        origin.write({"shop/till.py": till}).commit("Add the till")
        repository_sync(name="shop")
        place = search("delivery cost, weekend discount, loyal customer").places[0]
        assert (place.path, place.definition) == ("shop/till.py", "discount_for")

    @pytest.mark.parametrize("query", ["till", "discount_percent", "leave the till alone"])
    def test_the_head_of_a_file_is_not_what_is_shown_of_it(self, origin, query):
        head = "# Copyright 2020 The Till People\n# All rights reserved: leave the till alone.\n\n"
        imports = "import json\nfrom shop.money import (\n    rounded,\n)\n\n\n"
        code = "def lowered(percent, discount):\n    return rounded(percent - discount)  # till\n"
        origin.write({"shop/till.py": head + imports + code}).commit("Open a till")
        repository_sync(name="shop")
        place = next(place for place in search(query).places if place.path == "shop/till.py")
        assert "def lowered(percent, discount):" in place.lines
        assert not any("Copyright" in line for line in place.lines)

    def test_the_head_of_a_file_is_shown_to_whoever_asks_for_it(self, origin):
        head = "# Copyright 2020 The Till People\n\nimport json\n\n\n"
        origin.write({"shop/till.py": head + "def till():\n    return 1\n"}).commit("Open a till")
        repository_sync(name="shop")
        place = search("copyright people").places[0]
        assert place.lines[0] == "# Copyright 2020 The Till People"

    def test_a_name_that_is_a_common_word_is_found_by_its_definition(self, origin):
        origin.write({"shop/rules.rb": "class Rule\n  def with(other)\n  end\nend\n"}).commit(
            "Rule"
        )
        repository_sync(name="shop")
        found = search("with")
        assert [place.definition for place in found.places] == ["Rule.with"]
        assert any("not indexed as a word" in hint for hint in found.hints)

    def test_words_that_stand_nowhere_are_named(self):
        result = search("quokka basket Zebra")
        assert "shop/basket.py" in paths(result)
        assert any("nowhere: quokka, zebra" in hint for hint in result.hints)
        assert not any("nowhere" in hint for hint in search("signed cookie").hints)

    def test_a_word_of_another_repository_stands_nowhere_here(self, tmp_path):
        other = GitRepository(tmp_path / "other").write({"zoo.py": "def feed(quokka): ...\n"})
        add_and_sync("zoo", other.commit().url)
        assert not any("nowhere" in hint for hint in search("quokka basket").hints)
        only_here = search("quokka basket", repository="shop")
        assert any("nowhere: quokka" in hint for hint in only_here.hints)
        only_there = search("quokka basket", path="zoo.py")
        assert any("nowhere: basket" in hint for hint in only_there.hints)

    def test_a_file_name_finds_the_file(self):
        assert paths(search("gateway.py"))[0] == "shop/payment/gateway.py"
        assert paths(search("payment/gateway.js"))[0] == "shop/payment/gateway.js"

    def test_a_place_is_shown_once_per_file_with_its_other_lines(self):
        place = next(p for p in search("basket").places if p.path == "shop/basket.py")
        assert place.other_line_numbers
        assert paths(search("basket")).count("shop/basket.py") == 1


@pytest.mark.usefixtures("shop")
class TestNarrowing:
    @pytest.mark.parametrize("path", ["shop/payment", "shop/payment/", "./shop/pay", "/shop"])
    def test_a_folder_or_the_beginning_of_a_path_narrows(self, path):
        found = paths(search("charge", path=path))
        assert found
        assert all(each.startswith("shop/") for each in found)

    @pytest.mark.parametrize("path", ["*.js", "**/*.js", "shop/**/*.{js,ts}", "shop/*/gateway.js"])
    def test_a_glob_narrows(self, path):
        assert paths(search("charge", path=path)) == ["shop/payment/gateway.js"]

    @pytest.mark.parametrize("language", ["js", "JavaScript", " javascript "])
    def test_a_language_narrows_however_it_is_written(self, language):
        assert paths(search("charge", language=language)) == ["shop/payment/gateway.js"]

    def test_an_unknown_language_is_refused_with_those_there_are(self):
        with pytest.raises(InvalidInput) as caught:
            search("charge", language="cobol")
        assert "python" in caught.value.hint
        assert "language" in caught.value.fields

    @pytest.mark.parametrize(
        "query",
        [
            *("charge lang:js", "charge language:JavaScript", "charge -lang:python"),
            *("charge path:*.js", "charge file:gateway.js", "charge -path:.py"),
            *("charge ext:js", "charge *.js"),
        ],
    )
    def test_filters_in_the_query_are_understood_and_reported(self, query):
        result = search(query)
        assert paths(result) == ["shop/payment/gateway.js"]
        assert result.interpretation

    def test_symbol_finds_definitions_only(self):
        result = search("symbol:add_item")
        assert paths(result) == ["shop/basket.py"]
        assert "symbol: add_item" in result.interpretation

    def test_narrowing_happens_before_the_best_are_chosen(self, origin):
        origin.write(
            {f"many/m{i}.py": f"def needle_{i}():\n    needle = {i}\n" for i in range(300)}
        )
        origin.write({"odd/corner.py": "# a needle in a haystack\n"}).commit("Grow")
        repository_sync(name="shop")
        assert paths(search("needle", path="odd")) == ["odd/corner.py"]
        assert search("needle").total_is_exact is False

    @pytest.mark.parametrize(
        ("query", "path", "said"),
        [
            ("charge", "docs", "documentation: search_docs searches it"),
            ("charge path:checkout", None, "documentation: search_docs searches it"),
            ("charge", "nowhere/", "No indexed file passes the filters. The filters leave out"),
            ("vendored", "vendor/a.py", "vendor/a.py is not indexed, because: vendored code. read"),
            ("vendored path:vendor", None, "vendored code, and 1 more files here are not either"),
        ],
    )
    def test_a_filter_that_leaves_nothing_says_what_it_leads_to(self, shop, query, path, said):
        shop.write({"vendor/a.py": "def vendored(): pass\n", "vendor/b.py": "B = 1\n"}).commit()
        repository_sync(name="shop")
        result = search(query, path=path)
        assert result.places == ()
        assert any(said in hint for hint in result.hints), result.hints

    def test_a_path_that_looks_like_a_glob_is_found(self, shop):
        shop.write({"routes/[slug].py": "def slug_page(): pass\n"}).commit()
        repository_sync(name="shop")
        assert paths(search("slug_page", path="routes/[slug].py")) == ["routes/[slug].py"]

    def test_only_filters_are_refused(self):
        with pytest.raises(InvalidInput, match="filters"):
            search("path:shop")


@pytest.mark.usefixtures("shop")
class TestAnswering:
    def test_nothing_found_says_what_was_searched_and_what_to_try(self):
        result = search("add_itme_xq")
        nothing = search("qqzzxx")
        assert nothing.places == ()
        assert nothing.total_count == 0
        assert nothing.total_is_exact
        assert any("shop" in hint and "files" in hint for hint in nothing.hints)
        assert result.freshness[0].repository == "shop"

    def test_what_was_never_indexed_is_named(self, tmp_path):
        for name in ("empty", "void"):
            repository_add(name=name, url=GitRepository(tmp_path / name).url)
        states = [(each.repository, bool(each.commit)) for each in search("charge").freshness]
        assert states == [("shop", True), ("empty", False), ("void", False)]
        assert [each.repository for each in search("charge repo:void").freshness] == ["void"]
        assert [each.repository for each in search("charge -repo:void").freshness] == [
            "shop",
            "empty",
        ]

    def test_a_misspelled_name_is_told_the_nearest(self):
        result = search("restorebaskte")
        assert result.places == ()
        assert any("restore_basket" in hint for hint in result.hints)

    @pytest.mark.parametrize(
        "query", ["add.*item", "/add_\\w+/", r"def\s+add_item", "add_item|refund"]
    )
    def test_a_regular_expression_is_taken_literally_with_a_hint(self, query):
        assert any("grep_code" in hint for hint in search(query).hints)

    def test_operators_are_said_not_to_be_any(self):
        result = search("basket AND cookie NOT refund")
        assert paths(result)[0] == "shop/basket.py"
        assert any("operators" in hint for hint in result.hints)

    def test_quoted_words_stand_together(self):
        assert paths(search('"signed cookie"')) == ["shop/basket.py"]
        assert '"' not in search('"signed cookie"').interpretation

    def test_quoted_words_that_stand_together_nowhere_are_searched_one_by_one(self):
        result = search('"cookie signed of basket"')
        assert "shop/basket.py" in paths(result)
        assert "nowhere" in result.interpretation
        assert "exactly so" not in result.interpretation

    def test_pages_follow_each_other_without_gap_or_overlap(self):
        whole = paths(search("basket charge item amount", limit=20))
        first = search("basket charge item amount", limit=2)
        pages = list(paths(first))
        cursor = first.next_cursor
        while cursor:
            page = search("basket charge item amount", limit=2, cursor=cursor)
            pages += paths(page)
            cursor = page.next_cursor
        assert len(whole) > 2
        assert pages == whole

    def test_a_cursor_of_another_query_is_refused(self):
        cursor = search("basket charge item amount", limit=1).next_cursor
        with pytest.raises(InvalidInput) as caught:
            search("basket", limit=1, cursor=cursor)
        assert "cursor" in caught.value.fields

    @pytest.mark.parametrize("limit", [0, -1, LIMITS.max_search_limit + 1])
    def test_a_limit_out_of_range_is_refused(self, limit):
        with pytest.raises(InvalidInput) as caught:
            search("basket", limit=limit)
        assert "limit" in caught.value.fields

    def test_the_commit_is_named(self, shop):
        result = search("basket")
        assert result.freshness[0].commit == shop.head
        assert result.places[0].commit == shop.head

    def test_the_same_search_gives_the_same_order(self):
        assert paths(search("item amount price")) == paths(search("item amount price"))

    def test_a_missing_blob_costs_its_lines_only(self, monkeypatch):
        monkeypatch.setattr(reading, "_kept_lines", reading._KeptLines())
        mirror = mirror_path(Repository.objects.get(name="shop").pk)
        for file in (mirror / "objects").rglob("*"):
            if file.is_file() and file.suffix in {".pack", ".idx", ""} and "info" not in file.parts:
                file.unlink()
        place = search("add_item").places[0]
        assert (place.path, place.lines) == ("shop/basket.py", ())


class TestViews:
    def test_a_sync_is_seen_at_once_and_the_old_version_no_more(self, shop):
        assert paths(search("restore_basket"))[0] == "shop/basket.py"
        shop.write({"shop/basket.py": "class Basket:\n    pass\n"}).commit("Forget")
        repository_sync(name="shop")
        assert all(p.definition != "restore_basket" for p in search("restore_basket").places)
        assert search("Basket").places[0].path == "shop/basket.py"

    def test_another_ref_is_searched_as_it_is(self, origin):
        origin.write({"a.py": "def old_way():\n    return 1\n"}).commit("Old")
        origin.git("tag", "v1")
        origin.write({"a.py": "def new_way():\n    return 2\n"}).commit("New")
        repository_add(name="tool", url=origin.url)
        Repository.objects.filter(name="tool").update(tracked_refs=["v*"])
        repository_sync(name="tool")
        assert search("old_way", repository="tool", ref="v1").places[0].definition == "old_way"
        assert search("new_way", repository="tool").places[0].definition == "new_way"
        assert not any(
            place.definition == "old_way" for place in search("old_way", repository="tool").places
        )

    @pytest.mark.usefixtures("shop")
    def test_an_unknown_ref_is_refused_with_the_list(self):
        with pytest.raises(InvalidInput, match="not indexed"):
            search("basket", repository="shop", ref="v9")

    @pytest.mark.usefixtures("shop")
    def test_a_ref_needs_a_repository(self):
        with pytest.raises(InvalidInput) as caught:
            search("basket", ref="main")
        assert "ref" in caught.value.fields

    def test_the_same_content_at_several_paths_is_one_result_at_its_best_path(self, origin):
        text = "def same_everywhere():\n    return 'x'\n"
        origin.write({"tests/copy/it.py": text, "lib/it.py": text, "lib/deep/er/it.py": text})
        origin.commit("Copy")
        add_and_sync("copies", origin.url)
        found = [p for p in search("same_everywhere").places if p.definition == "same_everywhere"]
        assert [(place.path, place.copies) for place in found] == [("lib/it.py", 2)]


@pytest.fixture
def _fork(shop, tmp_path):
    fork = GitRepository(tmp_path / "fork")
    fork.git("pull", "--quiet", shop.url, "main")
    fork.write({"shop/payment/gateway.py": "class PaymentGateway:\n    def charge(self): ...\n"})
    fork.commit("Change")
    add_and_sync("a-fork", fork.url)


@pytest.mark.usefixtures("_fork")
class TestRepositories:
    def test_forks_stand_below_the_original(self):
        found = [(p.repository, p.path) for p in search("PaymentGateway").places]
        original = found.index(("shop", "shop/payment/gateway.py"))
        assert original < found.index(("a-fork", "shop/payment/gateway.py"))

    def test_a_file_shared_with_a_fork_is_shown_where_it_comes_from(self):
        place = search("restore_basket").places[0]
        assert (place.repository, place.copies) == ("shop", 1)

    def test_one_repository_shows_what_another_brought_first(self):
        place = search("restore_basket", repository="a-fork").places[0]
        assert (place.repository, place.path) == ("a-fork", "shop/basket.py")

    def test_repo_in_the_query_names_the_repository(self):
        assert {p.repository for p in search("charge repo:a-fork").places} == {"a-fork"}
        assert {p.repository for p in search("charge -repo:a-fork").places} == {"shop"}

    def test_an_unknown_repository_is_refused(self):
        with pytest.raises(NotFound, match="no repository"):
            search("charge repo:nowhere")

    def test_a_repository_for_members_is_shown_to_members_only(self):
        Repository.objects.filter(name="shop").update(visibility="members")
        assert {p.repository for p in search("restore_basket").places} == {"a-fork"}
        assert "shop" in {p.repository for p in search("charge", principal=MEMBER).places}
        with pytest.raises(NotFound):
            search("charge", repository="shop")

    def test_names_of_members_repositories_are_not_suggested(self, tmp_path):
        secret = GitRepository(tmp_path / "secret").write({"s.py": "def merger_plan_b(): ...\n"})
        add_and_sync("secret", secret.commit("Plan").url)
        Repository.objects.filter(name="secret").update(visibility="members")
        hints = " ".join(search("merger_plan_bb").hints)
        assert "merger_plan_b," not in hints
        assert "merger_plan_b." not in hints

    def test_a_removed_original_leaves_the_fork_findable(self):
        repository_remove(name="shop")
        assert search("restore_basket").places[0].repository == "a-fork"
        assert search("restore_basket", repository="a-fork").places[0].path == "shop/basket.py"


class TestOddCollections:
    def test_a_repository_without_any_text_is_searched_and_finds_nothing(self, tmp_path):
        origin = GitRepository(tmp_path / "binary").write({"logo.png": b"\x89PNG\r\n\x1a\n\0"})
        add_and_sync("binary", origin.commit().url)
        for query in ("logo", '"two words"', "what is here", "x"):
            assert search(query, repository="binary").places == ()

    def test_texts_of_six_tokens_on_average_are_ranked(self, tmp_path):
        # The token of the repository is the sixth: FTS5 then divides zero by zero.
        lines = {f"{name}.txt": f"{name} two three four mooring\n" for name in "abcd"}
        add_and_sync("even", GitRepository(tmp_path / "even").write(lines).commit().url)
        assert sorted(paths(search("mooring", repository="even"))) == sorted(lines)
