import pytest

from benchpin.facts import Import
from made_sources import import_outcome, made


@pytest.mark.parametrize(
    ("module", "uses", "expected"),
    [
        ("Shop.Carts", ("Cart",), ("Carts/Cart.cs",)),
        ("Shop.Carts", ("Cart", "Line"), ("Carts/Cart.cs", "Carts/Line.cs")),
        ("Shop.Carts", ("Other",), ()),
        ("Shop", (), ()),
        ("Shop.Carts.Cart", (), ("Carts/Cart.cs",)),
        ("System.Linq", ("Cart",), "external System.Linq"),
    ],
)
def test_a_using_of_csharp_leads_to(
    module: str, uses: tuple[str, ...], expected: str | tuple[str, ...]
) -> None:
    files = [
        made("Carts/Cart.cs", "csharp", types=["Cart"], exports=["Shop.Carts.Cart"]),
        made("Carts/Line.cs", "csharp", types=["Line"], exports=["Shop.Carts.Line"]),
    ]
    assert import_outcome(files, "Main.cs", "csharp", Import(module, (), 1), uses=uses) == expected
