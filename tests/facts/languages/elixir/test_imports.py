import pytest

from benchpin.facts import Import
from made_sources import import_outcome, made


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("Shop.Cart", ("lib/shop/cart.ex",)),
        ("Shop.Cart.Line", ("lib/shop/cart.ex",)),
        ("Shop.Gone", "unresolved"),
        ("Ecto.Query", "external Ecto"),
        ("Logger", "external Logger"),
    ],
)
def test_an_alias_of_elixir_leads_to(module: str, expected: str | tuple[str, ...]) -> None:
    files = [
        made("lib/shop/cart.ex", "elixir", exports=["Shop.Cart"]),
        made("lib/shop.ex", "elixir", exports=["Shop"]),
    ]
    assert import_outcome(files, "lib/main.ex", "elixir", Import(module, (), 1)) == expected
