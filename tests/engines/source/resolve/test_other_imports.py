"""Languages whose imports are few enough for one file; facts are made by hand."""

from collections.abc import Mapping, Sequence

import pytest

from benchpin.engines.source.facts import Import
from benchpin.engines.source.index import FileFacts
from made_sources import made, outcome, resolve


def _leads(
    files: Sequence[FileFacts],
    path: str,
    language: str,
    imported: Import,
    manifests: Mapping[str, str] | None = None,
    uses: Sequence[str] = (),
) -> str | tuple[str, ...]:
    others = [it for it in files if it.path != path]
    functions = [it.name for file in files if file.path == path for it in file.outline.functions]
    importing = made(path, language, imported, uses=uses, functions=functions)
    [resolution] = resolve([*others, importing], path, manifests)
    return outcome(resolution)


@pytest.mark.parametrize(
    ("path", "module", "level", "expected"),
    [
        ("src/a.c", "a.h", 1, ("src/a.h",)),
        ("src/a.c", "../lib/b.h", 1, ("lib/b.h",)),
        ("src/a.c", "proj/api.h", 1, ("include/proj/api.h",)),
        ("src/a.c", "proj/api.h", 0, ("include/proj/api.h",)),
        ("src/a.c", "far.h", 1, ("deps/x/far.h",)),
        ("src/a.c", "far.h", 0, ("deps/x/far.h",)),
        ("src/a.c", "twice.h", 1, "unresolved"),
        ("deps/x/far.h", "twice.h", 1, ("deps/x/in/twice.h",)),
        ("src/a.c", "string.h", 0, "external string.h"),
        ("src/a.c", "stdio.h", 1, "external stdio.h"),
        ("src/a.c", "openssl/ssl.h", 0, "external openssl/ssl.h"),
        ("src/a.c", "config.h", 1, "outside"),
        ("src/a.c", "missing.h", 1, "unresolved"),
    ],
)
def test_an_include_leads_to(
    path: str, module: str, level: int, expected: str | tuple[str, ...]
) -> None:
    paths = ["src/a.c", "src/a.h", "lib/b.h", "include/proj/api.h", "deps/x/far.h", "os/string.h"]
    paths += ["deps/x/in/twice.h", "deps/y/twice.h"]
    files = [made(it, "c") for it in paths]
    imported = Import(module, (), 1, level)
    assert _leads(files, path, "c", imported, {"src/config.h.in": ""}) == expected


_JVM = [
    made("app/src/main/java/org/shop/Cart.java", "java", types=["Cart", "Cart.Line"]),
    made("app/src/main/java/org/shop/Item.java", "java", types=["Item"]),
    made("app/src/main/kotlin/org/shop/Util.kt", "kotlin", functions=["round"]),
    made("app/src/test/java/org/shop/CartTest.java", "java", types=["CartTest"]),
    made("app/src/main/kotlin/short/Odd.kt", "kotlin", exports=["org.shop.odd.Odd"]),
    made("app/src/main/scala/org/alias/package.scala", "scala"),
]


@pytest.mark.parametrize(
    ("module", "names", "uses", "expected"),
    [
        ("org.shop", ("Cart",), (), ("app/src/main/java/org/shop/Cart.java",)),
        ("org.shop.Cart", ("Line",), (), ("app/src/main/java/org/shop/Cart.java",)),
        ("org.shop.Cart", ("total",), (), ("app/src/main/java/org/shop/Cart.java",)),
        ("org.shop", ("round",), (), ("app/src/main/kotlin/org/shop/Util.kt",)),
        ("org.shop", ("*",), ("Item", "x"), ("app/src/main/java/org/shop/Item.java",)),
        ("org.shop.odd", ("Odd",), (), ("app/src/main/kotlin/short/Odd.kt",)),
        ("org.alias", ("Eq",), (), ("app/src/main/scala/org/alias/package.scala",)),
        ("org.shop", ("Missing",), (), "unresolved"),
        ("java.util", ("List",), (), "external java.util"),
        ("org.other", ("Cart",), (), "external org.other"),
    ],
)
def test_an_import_of_the_jvm_leads_to(
    module: str, names: tuple[str, ...], uses: tuple[str, ...], expected: str | tuple[str, ...]
) -> None:
    path = "app/src/test/java/org/shop/CartTest.java"
    assert _leads(_JVM, path, "java", Import(module, names, 1), uses=uses) == expected


_RUST = [
    made("core/src/lib.rs", "rust"),
    made("core/src/flags/mod.rs", "rust"),
    made("core/src/flags/parse.rs", "rust"),
    made("core/src/search.rs", "rust"),
    made("core/src/search/glue.rs", "rust"),
    made("core/tests/all.rs", "rust"),
    made("core/tests/util.rs", "rust"),
    made("my-tool/src/main.rs", "rust"),
    made("my-tool/src/args.rs", "rust"),
]
_CARGO = {
    "core/Cargo.toml": '[package]\nname = "shop-core"\n',
    "my-tool/Cargo.toml": '[package]\nname = "my-tool"\n',
}


@pytest.mark.parametrize(
    ("path", "module", "names", "expected"),
    [
        ("core/src/lib.rs", "self", ("flags",), ("core/src/flags/mod.rs",)),
        ("core/src/search.rs", "self", ("glue",), ("core/src/search/glue.rs",)),
        ("core/src/lib.rs", "self", ("gone",), "unresolved"),
        ("core/src/search.rs", "crate::flags", ("parse",), ("core/src/flags/parse.rs",)),
        ("core/src/search.rs", "crate::flags::parse", ("Flag",), ("core/src/flags/parse.rs",)),
        ("core/src/search.rs", "crate", ("Error",), ("core/src/lib.rs",)),
        ("core/src/search/glue.rs", "super", ("Core",), ("core/src/search.rs",)),
        ("core/src/flags/parse.rs", "super::super", ("search",), ("core/src/search.rs",)),
        ("core/src/flags/parse.rs", "super", ("Flag",), ("core/src/flags/mod.rs",)),
        ("my-tool/src/main.rs", "shop_core::search", ("run",), ("core/src/search.rs",)),
        ("my-tool/src/main.rs", "args", ("Args",), ("my-tool/src/args.rs",)),
        ("my-tool/src/args.rs", "std::io", ("Read",), "external std"),
        ("my-tool/src/args.rs", "serde", ("Serialize",), "external serde"),
        ("core/tests/all.rs", "self", ("util",), ("core/tests/util.rs",)),
    ],
)
def test_a_use_of_rust_leads_to(
    path: str, module: str, names: tuple[str, ...], expected: str | tuple[str, ...]
) -> None:
    assert _leads(_RUST, path, "rust", Import(module, names, 1), _CARGO) == expected


def test_a_manifest_of_rust_that_cannot_be_read_names_no_crate() -> None:
    imported = Import("shop_core::search", ("run",), 1)
    for hostile in ("x = " + "9" * 5_000, "x = " + "[" * 3_000):
        manifests = {it: f"{text}{hostile}\n" for it, text in _CARGO.items()}
        found = _leads(_RUST, "my-tool/src/main.rs", "rust", imported, manifests)
        assert found == "external shop_core"


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
    assert _leads(files, "cmd/main.go", "go", Import(module, (), 1), manifests, uses) == expected


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
    assert _leads(files, "Main.cs", "csharp", Import(module, (), 1), uses=uses) == expected


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
    assert _leads(files, "web/index.php", "php", imported, manifests) == expected


@pytest.mark.parametrize(
    ("path", "module", "level", "expected"),
    [
        ("lib/shop.rb", "shop/cart", 1, ("lib/shop/cart.rb",)),
        ("bin/shop", "../lib/shop", 1, ("lib/shop.rb",)),
        ("test/cart_test.rb", "shop/cart", 0, ("lib/shop/cart.rb",)),
        ("test/cart_test.rb", "helper", 0, ("test/helper.rb",)),
        ("test/cart_test.rb", "shop/gone", 0, "unresolved"),
        ("test/cart_test.rb", "json", 0, "external json"),
        ("lib/shop.rb", "gone", 1, "unresolved"),
    ],
)
def test_a_require_of_ruby_leads_to(
    path: str, module: str, level: int, expected: str | tuple[str, ...]
) -> None:
    paths = ["lib/shop.rb", "lib/shop/cart.rb", "bin/shop", "test/helper.rb", "test/cart_test.rb"]
    files = [made(it, "ruby") for it in paths]
    assert _leads(files, path, "ruby", Import(module, (), 1, level)) == expected


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
    assert _leads(files, path, "swift", imported, manifests, uses) == expected


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("./lib.sh", ("bin/lib.sh",)),
        ("$DIR/lib.sh", ("bin/lib.sh",)),
        ('"$(dirname "$0")/lib.sh"', ("bin/lib.sh",)),
        ("${ROOT}/share/colours.sh", ("share/colours.sh",)),
        ("colours.sh", ("share/colours.sh",)),
        ("$FILE", "unresolved"),
        ("/etc/profile", "external /etc/profile"),
        ("./gone.sh", "unresolved"),
    ],
)
def test_a_sourced_file_is_found(module: str, expected: str | tuple[str, ...]) -> None:
    files = [made(it, "bash") for it in ("bin/lib.sh", "share/colours.sh", "bin/run.sh")]
    assert _leads(files, "bin/run.sh", "bash", Import(module, (), 1)) == expected


def test_a_language_without_a_resolver_resolves_nothing() -> None:
    assert resolve([made("a.x", "unheard-of", Import("b", (), 1))], "a.x") == []
