import pytest

from benchpin.facts import Import
from made_sources import import_outcome, made


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("ShopCore", ("Sources/ShopCore/Cart.swift",)),
        ("Odd", ("Elsewhere/Odd.swift",)),
        ("Foundation", "external Foundation"),
    ],
)
def test_an_import_of_swift_leads_to(module: str, expected: str | tuple[str, ...]) -> None:
    files = [
        made("Sources/ShopCore/Cart.swift", "swift", types=["Cart"]),
        made("Sources/ShopCore/Unused.swift", "swift", types=["Unused"]),
        made("Elsewhere/Odd.swift", "swift", types=["Odd"]),
    ]
    manifests = {
        "Package.swift": '.target(name: "ShopCore"), .target(name: "Odd", path: "Elsewhere")'
    }
    imported = Import(module, (), 1)
    path, uses = "Tests/ShopTests/CartTests.swift", ["Cart", "Odd"]
    assert import_outcome(files, path, "swift", imported, manifests, uses) == expected
