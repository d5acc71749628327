import pytest

from benchpin.facts import Import
from made_sources import import_outcome, made


@pytest.mark.parametrize(
    ("path", "module", "level", "expected"),
    [
        ("lib/shop.rb", "shop/cart", 1, ("lib/shop/cart.rb",)),
        ("bin/shop", "../lib/shop", 1, ("lib/shop.rb",)),
        ("test/cart_test.rb", "shop/cart", 0, ("lib/shop/cart.rb",)),
        ("test/cart_test.rb", "helper", 0, ("test/helper.rb",)),
        ("test/cart_test.rb", "shop/gone", 0, "unresolved"),
        ("test/cart_test.rb", "json", 0, "external json"),
        # Another gem may add to the namespace of this one, and this one to that of others.
        ("test/cart_test.rb", "shop/pro/version", 0, "external shop"),
        ("lib/shop.rb", "active_job", 0, "external active_job"),
        ("lib/shop.rb", "active_job/arguments", 0, "external active_job"),
        ("lib/shop.rb", "gone", 1, "unresolved"),
    ],
)
def test_a_require_of_ruby_leads_to(
    path: str, module: str, level: int, expected: str | tuple[str, ...]
) -> None:
    paths = ["lib/shop.rb", "lib/shop/cart.rb", "bin/shop", "test/helper.rb", "test/cart_test.rb"]
    paths.append("lib/active_job/shop_adapter.rb")
    files = [made(it, "ruby") for it in paths]
    assert import_outcome(files, path, "ruby", Import(module, (), 1, level)) == expected
