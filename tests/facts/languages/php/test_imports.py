import pytest

from benchpin.facts import Import
from made_sources import import_outcome, made


@pytest.mark.parametrize(
    ("module", "level", "expected"),
    [
        ("Shop\\Cart", 0, ("src/Cart.php",)),
        ("shop\\cart", 0, ("src/Cart.php",)),
        ("Shop\\Money\\Coin", 0, ("src/Money/Coin.php",)),
        ("Shop\\Money\\round_up", 0, ("src/Money/functions.php",)),
        ("Shop\\Money\\Gone", 0, "unresolved"),
        ("Shop\\Vendored\\Thing", 0, "external Shop"),
        ("Closure", 0, "external Closure"),
        ("Symfony\\Console", 0, "external Symfony"),
        ("helpers.php", 1, ("web/helpers.php",)),
        ("../src/Cart.php", 1, ("src/Cart.php",)),
        ("src/Cart.php", 2, ("src/Cart.php",)),
        ("src/Cart.php", 0, ("src/Cart.php",)),
        ("gone.php", 1, "unresolved"),
    ],
)
def test_an_import_of_php_leads_to(
    module: str, level: int, expected: str | tuple[str, ...]
) -> None:
    files = [
        made("src/Cart.php", "php", types=["Cart"], exports=["Shop\\Cart"]),
        made("src/Money/Coin.php", "php"),
        made("src/Money/functions.php", "php", functions=["round_up"]),
        made("web/helpers.php", "php"),
    ]
    manifests = {"composer.json": '{"autoload": {"psr-4": {"Shop\\\\": "src/"}}}'}
    imported = Import(module, (), 1, level)
    assert import_outcome(files, "web/index.php", "php", imported, manifests) == expected
