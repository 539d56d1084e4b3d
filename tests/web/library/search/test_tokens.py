"""Tokens: the same for the index and for queries, stemmed as the full-text engine does it."""

import sqlite3
from contextlib import closing

import pytest

from web.library.search import tokens
from web.library.search.tokens import index_text, query_tokens, stem


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("get_user_name", "get_user_name get user name"),
        ("HTTPResponse", "httpresponse http response"),
        ("parseJSON2xml", "parsejson2xml parse json 2 xml"),
        ("_private", "private"),
        ("38.101", "38 101"),
        ("404page_v2", "404 page_v2 page v 2"),
        ("٣x naïve\x1fcafé", "٣ x naïve café"),
        ("7" * 100 + "page", "page"),
        ("don't", "don t"),
        ("the cat is on the mat", "cat mat"),
        ("Größe_messen", "größe_messen größe messen"),
        ("検索する", "検 索 す る"),
        ("x" * 200, ""),
    ],
)
def test_text_becomes_tokens(text, tokens):
    assert index_text(text) == tokens


def test_a_query_of_nothing_but_stop_words_keeps_them():
    assert query_tokens("where to find the file") == ("where", "find", "file")
    assert query_tokens("where to find the cookie") == ("cookie",)


def test_stems_are_those_of_the_full_text_engine():
    words = ["running", "queries", "cookies", "js", "relational", "naïve", "get_users", "cafés"]
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(
            "CREATE VIRTUAL TABLE t USING fts5(b, tokenize=\"porter unicode61 tokenchars '_'\")"
        )
        database.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, instance)")
        database.executemany("INSERT INTO t(rowid, b) VALUES (?, ?)", enumerate(words))
        engine = dict(database.execute("SELECT doc, term FROM v"))
    assert {word: stem(word) for word in words} == {
        word: engine[number] for number, word in enumerate(words)
    }


def test_full_memory_of_words_forgets_the_older_half(monkeypatch: pytest.MonkeyPatch) -> None:
    known = tokens._SplitRuns()
    monkeypatch.setattr(tokens, "_CACHED_RUNS", 4)
    words = ["oneWord", "twoWords", "three", "four", "five_six"]
    assert [known[word] for word in words] == list(map(index_text, words))
    assert list(known) == words[2:]
