"""The query language: what is a word, a name, a filter, and what is only said not to be one."""

import pytest

from web.core.errors import InvalidInput
from web.library.search.query import parse_query


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("get_user", ("get_user",)),
        ("QuerySet.filter", ("QuerySet.filter",)),
        ("std::vector", ("std::vector",)),
        ("save()", ("save",)),
        ("how does get_user work", ("get_user",)),
        ("where is HttpResponse made", ("HttpResponse",)),
        (r"Shop\Models\Basket", (r"Shop\Models\Basket",)),
        (r"a number is \d+", ()),
        ("plain words only", ()),
    ],
)
def test_names_are_told_from_words(text, names):
    assert parse_query(text).names == names


@pytest.mark.parametrize(
    ("text", "file"),
    [
        ("views.py", "views.py"),
        ("src/app/views.py", "src/app/views.py"),
        ("./src/app", "src/app"),
        ("QuerySet.filter", ""),
        ("a question", ""),
    ],
)
def test_file_names_are_told_from_names(text, file):
    assert parse_query(text).file == file


def test_filters_are_taken_out_and_reported():
    query = parse_query("parse path:src/*.py lang:python -path:tests repo:tool cookie symbol:load*")
    assert query.text == "parse cookie load"
    assert query.filters.paths == ("src/*.py",)
    assert query.filters.excluded_paths == ("tests",)
    assert query.filters.languages == ("python",)
    assert query.filters.repositories == ("tool",)
    assert query.symbols == ("load",)
    assert len(query.interpretation) == 5


@pytest.mark.parametrize(
    "text", ["grammar::fa", "http://example.org", "user:", "key: value", "a:b"]
)
def test_colons_in_ordinary_text_are_no_filters(text):
    query = parse_query(text)
    assert query.interpretation == ()
    assert query.filters == parse_query("x").filters


@pytest.mark.parametrize("key", ["user", "class", "func", "r"])
def test_foreign_filters_are_searched_as_words_and_said_so(key):
    query = parse_query(f"{key}:ada login")
    assert {key, "ada", "login"} <= set(query.tokens)
    assert any(f"{key}:" in hint for hint in query.hints)


def test_a_filter_without_its_value_is_said_to_be_none():
    query = parse_query("path: src login")
    assert query.filters == parse_query("x").filters
    assert any("path:value" in hint for hint in query.hints)


def test_quoted_words_are_a_phrase():
    query = parse_query('raise "does not exist" error')
    assert query.phrases == (("does", "exist"),)
    assert query.text == "raise does not exist error"


def test_a_word_that_a_message_quotes_need_not_stand_in_the_text():
    query = parse_query('Property "title" was accessed but is not defined')
    assert query.phrases == ()
    assert query.fragments == (("accessed", "but", "defined"),)
    assert query.gapped == (("property", "accessed"), ("accessed", "but"), ("but", "defined"))


@pytest.mark.parametrize(
    ("text", "compounds"),
    [
        ("compile v-for with aliases", ("vfor", "v_for")),
        ("print-on-demand", ("printondemand", "print_on_demand")),
        ("--max-tasks-per-child", ()),
        ("a - b", ()),
    ],
)
def test_hyphenated_words_are_read_as_code_writes_them(text, compounds):
    assert parse_query(text).compounds == compounds


@pytest.mark.parametrize(
    "text",
    [
        "foo.*bar",
        "def .*backoff",
        "^def main",
        r"\bword\b",
        "[a-z]+_id",
        "(get|set)_name",
        "/save.+/",
    ],
)
def test_regular_expressions_are_recognised(text):
    assert any("grep_code" in hint for hint in parse_query(text).hints)


@pytest.mark.parametrize(
    "text", ["char *name", "a = b[i]", "call(x, y)", "what is this?", "1.5 * 2", "C++"]
)
def test_ordinary_code_is_no_regular_expression(text):
    assert parse_query(text).hints == ()


@pytest.mark.parametrize("text", ['"', "(", "*", "%", "\\", "🙂", "-", "::"])
def test_a_query_without_a_word_is_refused(text):
    with pytest.raises(InvalidInput, match="no letter or digit"):
        parse_query(text)


def test_words_that_are_not_indexed_are_refused_as_such():
    with pytest.raises(InvalidInput, match="in nearly every text"):
        parse_query("is it to be")


@pytest.mark.parametrize("name", ["for", "symbol:with", "a_very_long_name" * 6])
def test_a_name_that_is_no_indexed_word_is_looked_up_as_a_name(name):
    query = parse_query(name)
    assert query.names
    assert not query.tokens
    assert any("not indexed as a word" in hint for hint in query.hints)


def test_stop_words_alone_are_kept():
    assert parse_query("how to get").tokens
