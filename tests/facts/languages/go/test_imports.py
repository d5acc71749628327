import pytest

from benchpin.facts import Import
from made_sources import import_outcome, made, outcome, parsed, resolve


@pytest.mark.parametrize(
    ("module", "uses", "expected"),
    [
        ("example.com/shop/cart", ("Total",), ("cart/total.go",)),
        ("example.com/shop/cart", (), ("cart/line.go", "cart/total.go")),
        ("example.com/shop", ("Run",), ("run.go",)),
        ("example.com/shop/tools/gen", (), ("tools/gen/gen.go",)),
        ("example.com/shop/missing", (), "unresolved"),
        ("example.com/shopping", (), "external example.com/shopping"),
        ("net/http", (), "external net/http"),
    ],
)
def test_an_import_of_go_leads_to(
    module: str, uses: tuple[str, ...], expected: str | tuple[str, ...]
) -> None:
    files = [
        made("run.go", "go", functions=["Run"]),
        made("cart/total.go", "go", functions=["Total"]),
        made("cart/line.go", "go", functions=["Line"]),
        made("cart/total_test.go", "go", functions=["TestTotal"]),
        made("tools/gen/gen.go", "go", functions=["Gen"]),
    ]
    manifests = {
        "go.mod": "// the shop\nmodule example.com/shop\n\ngo 1.22\n",
        "tools/go.mod": "module example.com/shop/tools\n",
    }
    assert (
        import_outcome(files, "cmd/main.go", "go", Import(module, (), 1), manifests, uses)
        == expected
    )


GO = {
    "go.mod": "module x.org/shop\n",
    "cart/cart.go": "package cart\n\ntype Cart struct{}\n",
    "cart/limits.go": "package cart\n\nconst Limit = 9\n\nvar Empty = Cart{}\n",
    "cart/other.go": "package cart\n\nfunc Get() {}\n\nfunc Path() {}\n",
    "cart/helper_test.go": "package cart\n\nfunc Helper() {}\n",
    "plugin/plugin.go": "package plugin\n\nfunc init() {}\n",
    "plugin/rest.go": "package plugin\n\nfunc Rest() {}\n",
    "proto/shop.pb.go": "",
}


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("main.go", 'import "x.org/shop/cart"\nvar a = cart.Limit', ("cart/limits.go",)),
        ("main.go", 'import "x.org/shop/cart"\nvar a = cart.Empty', ("cart/limits.go",)),
        (
            "main.go",
            'import "x.org/shop/cart"\nfunc f(c cart.Cart) { http.Get(url.Path) }',
            ("cart/cart.go",),
        ),
        ("main.go", 'import _ "x.org/shop/plugin"', ("plugin/plugin.go",)),
        ("main.go", 'import "x.org/shop/cart"\nvar a = cart.Generated', "outside"),
        ("main.go", 'import "x.org/shop/proto"\nvar a = proto.Shop{}', "outside"),
        ("main.go", 'import "x.org/shop/nowhere"\nvar a = nowhere.A', "unresolved"),
        (
            "cart/cart_test.go",
            'import "x.org/shop/cart"\nvar a = cart.Helper()',
            ("cart/helper_test.go",),
        ),
    ],
)
def test_an_import_of_go_leads_to_the_file_whose_name_is_used(
    path: str, text: str, expected: str | tuple[str, ...]
) -> None:
    texts = {**GO, path: f"package main\n{text}\n"}
    measured = {it: text for it, text in texts.items() if not it.startswith("proto/")}
    [resolution] = resolve(parsed(measured), path, texts)
    assert outcome(resolution) == expected
