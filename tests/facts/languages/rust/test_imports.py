import pytest

from benchpin.facts import Import
from made_sources import import_outcome, made, outcome, parsed, resolve

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
    "my-tool/Cargo.toml": '[package]\nname = "my-tool"\n[dependencies]\nshop-core = "1"\n',
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
    assert import_outcome(_RUST, path, "rust", Import(module, names, 1), _CARGO) == expected


def test_a_manifest_of_rust_that_cannot_be_read_names_no_crate() -> None:
    imported = Import("shop_core::search", ("run",), 1)
    for hostile in ("x = " + "9" * 5_000, "x = " + "[" * 3_000):
        manifests = {it: f"{text}{hostile}\n" for it, text in _CARGO.items()}
        found = import_outcome(_RUST, "my-tool/src/main.rs", "rust", imported, manifests)
        assert found == "external shop_core"


_WORKSPACE = {
    "Cargo.toml": '[workspace.dependencies]\nkit = { package = "shop-kit", path = "kit" }\n',
    "core/Cargo.toml": '[package]\nname = "shop-core"\n[dev-dependencies]\nshop-test = "1"\n',
    "core/src/lib.rs": "mod cart;\n#[cfg(test)]\nmod tests;\n",
    "core/src/cart.rs": "",
    "core/src/tests.rs": "mod deep;\n",
    "core/src/tests/deep.rs": "",
    "kit/Cargo.toml": '[package]\nname = "shop-kit"\n',
    "kit/src/lib.rs": "",
    "test/Cargo.toml": (
        '[package]\nname = "shop-test"\n[dependencies]\nshop-core = "1"\n'
        "[target.'cfg(unix)'.dependencies]\nkit = { workspace = true }\n"
    ),
    "test/src/lib.rs": "",
}


@pytest.mark.parametrize(
    ("path", "text", "expected", "is_for_tests"),
    [
        ("test/src/lib.rs", "use shop_core::cart::A;", ("core/src/cart.rs",), False),
        ("test/src/lib.rs", "use kit::A;", ("kit/src/lib.rs",), False),
        ("core/src/cart.rs", "use shop_test::A;", ("test/src/lib.rs",), True),
        ("core/src/cart.rs", "use shop_kit::A;", "external shop_kit", False),
        ("core/src/tests.rs", "use crate::cart::A;", ("core/src/cart.rs",), True),
        ("core/src/tests/deep.rs", "use crate::cart::A;", ("core/src/cart.rs",), True),
    ],
)
def test_a_crate_is_known_to_those_that_declare_it(
    path: str,
    text: str,
    expected: str | tuple[str, ...],
    is_for_tests: bool,  # noqa: FBT001 - a parameter of the table
) -> None:
    texts = {**_WORKSPACE, path: f"{_WORKSPACE[path]}{text}\n"}
    resolution = resolve(parsed(texts), path, texts)[-1]
    assert (outcome(resolution), resolution.is_for_tests) == (expected, is_for_tests)


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("src/net.rs", '#[path = "tls_native.rs"]\nmod tls;', ("src/tls_native.rs",)),
        ("src/net.rs", '#[path = "gone.rs"]\nmod tls;', "unresolved"),
        ("src/lib.rs", "mod r#type;", ("src/type.rs",)),
        ("src/lib.rs", "mod bsd {\n    mod poll;\n}", ("src/bsd/poll.rs",)),
        ("src/tls_native.rs", "use super::Net;", ("src/net.rs",)),
        ("src/lib.rs", "use crate::net::tls::Tls;", ("src/tls_native.rs",)),
    ],
)
def test_a_module_of_rust_may_be_in_another_place(
    path: str, text: str, expected: str | tuple[str, ...]
) -> None:
    texts = {
        "Cargo.toml": '[package]\nname = "net"\n',
        "src/lib.rs": "mod net;\n",
        "src/net.rs": '#[path = "tls_native.rs"]\nmod tls;\n',
        "src/tls_native.rs": "",
        "src/type.rs": "",
        "src/bsd/poll.rs": "",
    }
    texts[path] += f"{text}\n"
    assert outcome(resolve(parsed(texts), path, texts)[-1]) == expected


def test_a_name_in_a_module_that_was_not_measured_leads_outside() -> None:
    texts = {
        "Cargo.toml": '[package]\nname = "net"\n',
        "src/lib.rs": "mod generated;\nmod a;\npub struct B;\n",
        "src/a.rs": "use crate::generated::A;\nuse crate::B;\n",
        "src/generated.rs": "",
    }
    measured = {path: text for path, text in texts.items() if path != "src/generated.rs"}
    found = [outcome(it) for it in resolve(parsed(measured), "src/a.rs", texts)]
    assert found == ["outside", ("src/lib.rs",)]
