"""Which lines of a text speak of a query."""

from itertools import product

import pytest

from web.library.search.reading import WordsOfQuery, best_window
from web.library.search.tokens import index_text, stem

_BEGINNINGS = """
    relat condit ration val digit conform radic differ vile analog vietnam predic oper feudal
    decis hope callous formal sensit sensib trip form electric hop tann fall hiss fizz fail fil
    happ sk pl cr agr f siz conflat troubl
"""
_ENDINGS = """
    ational tional enci ency anci izer abli ably alli ently eli ousli ization ation ator alism
    iveness fulness ousness aliti ality iviti ivity biliti ibility icate ative alize iciti ical ful
    ness al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize s es ies ed
    eed ing ied y e
"""
LINES = ["from shop import basket, price", "import tax", "", "def price(basket):", "    return tax"]


@pytest.mark.parametrize("ending", _ENDINGS.split())
def test_a_line_is_never_passed_over_that_has_a_word_of_the_query(ending):
    for beginning, before in product(_BEGINNINGS.split(), ("", "get_", "Some")):
        word = beginning + ending
        line = f"    x = {before}{word.capitalize() if before == 'Some' else word}(1)"
        expected = {stem(token) for token in index_text(line).split()} & {stem(word)}
        assert WordsOfQuery({stem(word): 1.0}).in_text(line) == expected


def test_other_scripts_are_found_whatever_their_accents():
    words = WordsOfQuery({stem("café"): 1.0, stem("naïve"): 1.0})
    assert words.in_text("le Café est fermé") == {stem("café")}


def test_the_best_lines_begin_with_one_that_says_something():
    words = WordsOfQuery({stem("price"): 2.0, stem("tax"): 1.0})
    window = best_window(LINES, 1, len(LINES), words, size=2)
    assert (window.first_line, window.best_line) == (1, 1)
