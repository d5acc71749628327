import pytest

from benchpin.engines.source.facts import Import
from made_sources import import_outcome, made


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
