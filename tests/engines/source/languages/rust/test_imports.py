import pytest

from benchpin.engines.source.facts import Import
from made_sources import import_outcome, made

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
    assert import_outcome(_RUST, path, "rust", Import(module, names, 1), _CARGO) == expected


def test_a_manifest_of_rust_that_cannot_be_read_names_no_crate() -> None:
    imported = Import("shop_core::search", ("run",), 1)
    for hostile in ("x = " + "9" * 5_000, "x = " + "[" * 3_000):
        manifests = {it: f"{text}{hostile}\n" for it, text in _CARGO.items()}
        found = import_outcome(_RUST, "my-tool/src/main.rs", "rust", imported, manifests)
        assert found == "external shop_core"
