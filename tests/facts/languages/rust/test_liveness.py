import pytest

from dead_code_kit import assert_only_first_alive, surely_dead


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


@pytest.mark.parametrize(
    "text",
    [
        "#[allow(dead_code)]\nfn it() {}\n",
        '#[cfg(unix)]\n#[expect(dead_code, reason = "later")]\n#[inline]\nfn it() {}\n',
        "#![allow(dead_code)]\nfn it() {}\n",
        "mod inner {\n    #![allow(unused)]\n    fn it() {}\n}\n",
        "#[allow(dead_code)]\nimpl Area {\n    fn it(&self) {}\n}\n",
        "fn _it() {}\n",
        '#[no_mangle]\nextern "C" fn it() {}\n',
        'extern "C" fn it() {}\n',
        "#[test]\nfn it() {}\n",
        'struct It;\nfn main() { println!("{It}: failed"); }\n',
        'struct Pen;\nimpl Pen {\n    fn write_fmt(&self) {}\n}\nfn main() { write!(Pen, ""); }\n',
    ],
)
def test_what_is_kept_on_purpose_or_used_by_macros_is_alive(text: str) -> None:
    assert surely_dead({"src/a.rs": text}) == set()


def test_an_attribute_allows_only_its_own_item() -> None:
    text = "#[allow(dead_code)]\nfn kept() {}\nfn it() {}\n"
    assert surely_dead({"src/a.rs": text}) == {"it"}


def test_dead_code_may_be_allowed_for_a_crate() -> None:
    files = {"src/lib.rs": "#![allow(dead_code)]\nmod inner;\n", "src/inner.rs": "fn it() {}\n"}
    assert surely_dead(files) == set()
    assert surely_dead({**files, "src/lib.rs": "mod inner;\n"}) == {"it"}


def test_a_trait_from_elsewhere_calls_no_method_of_the_type_itself() -> None:
    text = "struct Area;\nimpl From<u8> for Area {\n    fn from(_: u8) -> Area { Area }\n}\n"
    text += "impl Area {\n    fn it(&self) {}\n}\nconst A: Area = Area;\n"
    assert surely_dead({"src/a.rs": text}) == {"Area.it"}
