"""What tests of navigation share: a workbench on a small project."""

from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from benchpin.app import Workbench

FILES = {
    "shop/__init__.py": "from .cart import Cart\n\n__all__ = ['Cart']\n",
    "shop/cart.py": '''
        """Carts."""

        LIMIT = 10


        class Cart:
            """What a customer wants.

            More text.
            """

            def add(self, item: str, count: int = 1) -> None:
                """Put something in."""
                if count > LIMIT:
                    raise ValueError(item)

            def fill(self) -> None:
                self.add("pen")
    ''',
    "main.py": """
        from shop import Cart


        def run(unknown):
            cart = Cart()
            cart.add("book")
            unknown.add("?")  # may be a Cart: add
    """,
    "tests/test_cart.py": """
        from shop.cart import Cart


        def test_a_cart_is_filled():
            Cart().fill()
    """,
}


@pytest.fixture
def shop(workspace: Path) -> Iterator[Workbench]:
    """Give a workbench on a workspace with the project in it."""
    for path, text in FILES.items():
        place = workspace / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(dedent(text), encoding="utf-8")
    opened = Workbench.open(workspace)
    yield opened
    opened.close()
