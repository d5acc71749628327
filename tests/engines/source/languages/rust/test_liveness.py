import pytest

from dead_code_kit import assert_only_first_alive


@pytest.mark.parametrize(
    ("path", "alive", "dead"),
    [
        (
            "src/lib.rs",
            "fn it() -> i32 { 1 }\npub fn go() -> i32 { it() }\n",
            "fn it() -> i32 { 1 }\npub fn go() -> i32 { 1 }\n",
        ),
        (
            "src/tr.rs",
            "struct B;\nimpl Shape for B { fn it(&self) {} }\npub fn go() -> B { B }\n",
            "struct B;\nimpl B { fn it(&self) {} }\npub fn go() -> B { B }\n",
        ),
        ("src/at.rs", "#[no_mangle]\nfn it() -> i32 { 1 }\n", "#[inline]\nfn it() -> i32 { 1 }\n"),
    ],
)
def test_code_is_alive_only_with_what_its_rule_looks_for(path: str, alive: str, dead: str) -> None:
    assert_only_first_alive(path, alive, dead)
