import pytest

from benchpin.facts import Import
from made_sources import import_outcome, made


@pytest.mark.parametrize(
    ("path", "module", "level", "expected"),
    [
        ("init.lua", "shop.cart", 0, ("lua/shop/cart.lua",)),
        ("lua/shop/cart.lua", "shop", 0, ("lua/shop/init.lua",)),
        ("spec/cart_spec.lua", "shop.cart", 0, ("lua/shop/cart.lua",)),
        ("spec/cart_spec.lua", "helper", 0, ("spec/helper.lua",)),
        ("lua/shop/init.lua", "deep.rate", 0, ("vendor/x/deep/rate.lua",)),
        ("init.lua", "shop.gone", 0, "unresolved"),
        ("init.lua", "cjson.safe", 0, "external cjson"),
        ("init.lua", "lua/shop/cart.lua", 1, ("lua/shop/cart.lua",)),
        ("init.lua", "gone.lua", 1, "unresolved"),
    ],
)
def test_a_require_of_lua_leads_to(
    path: str, module: str, level: int, expected: str | tuple[str, ...]
) -> None:
    paths = [
        *("init.lua", "lua/shop/init.lua", "lua/shop/cart.lua", "spec/helper.lua"),
        *("spec/cart_spec.lua", "vendor/x/deep/rate.lua"),
    ]
    files = [made(it, "lua") for it in paths]
    assert import_outcome(files, path, "lua", Import(module, (), 1, level)) == expected
