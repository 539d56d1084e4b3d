"""A project with code, tests and documentation that searches are tried on."""

import pytest

from tests.gitrepos import GitRepository
from tests.library import add_and_sync

SHOP = {
    "README.md": "# Shop\n\nA small shop. See [checkout](docs/checkout.md).\n",
    "shop/basket.py": '''"""What a customer wants to buy."""

import logging

log = logging.getLogger(__name__)


class Basket:
    """Items with their amounts."""

    def __init__(self):
        self.items = {}

    def add_item(self, item, amount=1):
        """Put an article into the basket, more of it if it is there."""
        self.items[item] = self.items.get(item, 0) + amount

    def total_price(self, currency):
        """Add up the prices of everything in one currency."""
        return sum(item.price(currency) * amount for item, amount in self.items.items())


def restore_basket(cookie):
    """Read a basket from the signed cookie of an earlier visit."""
    if not cookie:
        raise ValueError("The cookie of the basket is empty")
    return Basket()
''',
    "shop/payment/gateway.py": '''"""Talk to the bank."""

RETRY_SECONDS = 30


class PaymentGateway:
    def charge(self, card, amount):
        """Take money from a card, once per idempotency key."""
        return self.send("charge", card=card, amount=amount)

    def refund(self, charge):
        """Undo a previous withdrawal at the bank of the buyer."""
        return self.send("refund", charge=charge)


def get_user_name(request):
    return request.user.name
''',
    "shop/payment/gateway.js": """export function chargeCard(card) {
  return post('/charge', card);
}
""",
    "tests/test_basket.py": """from shop.basket import Basket, restore_basket


def test_add_item_twice_adds_amounts():
    basket = Basket()
    basket.add_item("tea")
    basket.add_item("tea")
    assert basket.items["tea"] == 2
""",
    "docs/checkout.md": """# Checkout

How an order is paid.

## Refunds

Money goes back to the card within three working days. A member of staff presses the button.

## API

### `PaymentGateway.refund`

Gives the whole sum of an earlier purchase back to whoever paid for it.
""",
    "docs/install.md": "# Installation\n\nInstall with pip, then run the migrations.\n",
}


@pytest.fixture
def shop(origin: GitRepository) -> GitRepository:
    """Return the shop's repository, indexed as "shop"."""
    origin.write(SHOP).commit("Open")
    add_and_sync("shop", origin.url)
    return origin
