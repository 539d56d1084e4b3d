"""find_symbol's selector: definitions by name."""

import pytest

from web.accounts.principals import ANONYMOUS
from web.core.errors import InvalidInput
from web.library.selectors.search import symbols_named

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shop")]


def named(name, **arguments):
    return symbols_named(principal=ANONYMOUS, name=name, **arguments)


def test_exact_names_come_before_beginnings_before_parts():
    assert [symbol.name for symbol in named("charge").symbols] == ["charge", "chargeCard"]
    assert [symbol.name for symbol in named("restore").symbols] == ["restore_basket"]
    parts = [symbol.name for symbol in named("add_item").symbols]
    assert parts == ["add_item", "test_add_item_twice_adds_amounts"]


def test_a_definition_has_its_scope_lines_and_signature():
    symbol = named("total_price").symbols[0]
    assert (symbol.path, symbol.kind, symbol.scope) == ("shop/basket.py", "method", "Basket")
    assert (symbol.line, symbol.end_line) == (18, 20)
    assert symbol.signature == "    def total_price(self, currency):"


def test_a_dotted_name_keeps_to_its_owner():
    assert [s.scope for s in named("PaymentGateway.refund").symbols] == ["PaymentGateway"]
    assert named("Basket.refund").symbols[0].scope == "PaymentGateway"


@pytest.mark.parametrize("kind", ["class", "Class", "struct"])
def test_a_kind_narrows_however_it_is_called(kind):
    found = named("PaymentGateway", kind=kind).symbols
    if kind == "struct":
        assert found == ()
    else:
        assert [symbol.kind for symbol in found] == ["class"]


def test_function_means_methods_too():
    assert [s.kind for s in named("charge", kind="function").symbols] == ["method", "function"]


def test_a_kind_that_leaves_nothing_is_told_the_others():
    result = named("PaymentGateway", kind="constant")
    assert result.symbols == ()
    assert any("class" in hint for hint in result.hints)


def test_a_misspelled_name_is_told_the_nearest():
    result = named("PaymentGatway")
    assert result.symbols == ()
    assert any("PaymentGateway" in hint for hint in result.hints)


def test_the_limit_keeps_the_best_and_counts_all():
    result = named("item", limit=1)
    assert len(result.symbols) == 1
    assert result.total_count > 1


@pytest.mark.parametrize("name", ["", "  ", "\0", "x" * 501])
def test_a_name_that_cannot_be_is_refused(name):
    with pytest.raises(InvalidInput):
        named(name)
