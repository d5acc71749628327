from navigation_kit import uses

LIB = """pub mod till;
mod shop;
pub use till::Till;

pub mod inner {
    pub fn help() {}
    pub mod deep {
        pub fn go() { super::help(); super::super::top(); }
    }
}

pub fn top() {
    inner::help();
    self::inner::deep::go();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn top_two() { top(); inner::help(); }
}
"""

TILL = """use std::sync::Arc;

pub trait Open {
    fn open(&self) -> bool;
    fn shut(&self) -> bool { self.open() }
}

pub struct Till {
    next: Option<Box<Till>>,
    shared: Arc<Till>,
    pub all: Vec<Till>,
}

pub struct Pair(pub Till, u32);

pub enum State {
    Fresh,
    Used(u32),
    Named { name: String },
}

impl Till {
    pub fn new() -> Self { Till { next: None, shared: Arc::new(Till::new()), all: vec![] } }
    pub fn load() -> Result<Till, String> { Ok(Self::new()) }
    pub fn find(&self) -> Option<&Till> { self.next.as_deref() }
    pub fn keep(&self) {}
    pub fn all(&self) -> u32 { 0 }
    fn run(&self) {
        self.keep();
        self.shared.keep();
        self.all.first().unwrap().keep();
    }
}

impl Open for Till {
    fn open(&self) -> bool { true }
}
"""

SHOP = """use crate::till::{self, Open, Pair, State::{self, Fresh}, Till as Box2};
use crate::Till;

type Loaded = Result<Till, String>;

fn loaded() -> Loaded { Till::load() }

async fn later() -> Till { Till::new() }

pub async fn run(given: &mut Till, pair: Pair, list: &[Till], boxed: Box<dyn Open>) -> Loaded {
    given.keep();
    let made = Till::new();
    made.keep();
    let typed: Till = todo();
    typed.keep();
    Till::load()?.keep();
    let got = till::Till::load()?;
    got.keep();
    loaded()?.keep();
    later().await.keep();
    if let Some(found) = given.find() {
        found.keep();
    }
    let Some(other) = given.find() else { return Till::load() };
    other.keep();
    match given.find() {
        Some(it) => it.keep(),
        None => {}
    }
    for each in list { each.keep(); }
    for each in given.all.iter() { each.keep(); }
    pair.0.keep();
    made.clone().keep();
    Box2::new().keep();
    crate::till::Till::new().keep();
    let made = unknown();
    made.keep();
    list.iter().for_each(Till::keep);
    boxed.open();
    generic(given);
    Till::load()
}

fn generic<T: Open>(it: &T, state: State) -> bool {
    match state {
        Fresh => it.open(),
        State::Used(n) => it.shut(),
        State::Named { name } => keep!(name),
    }
}
"""

FILES = {
    "Cargo.toml": '[package]\nname = "m"\n',
    "src/lib.rs": LIB,
    "src/till.rs": TILL,
    "src/shop.rs": SHOP,
}


def lines(found: list[str], file: str) -> list[int]:
    return [int(it.partition(":")[2].split()[0]) for it in found if it.startswith(f"{file}:")]


def test_declared_types_results_and_containers_make_calls_certain() -> None:
    found = uses(FILES, "Till.keep")
    assert lines(found["certain"], "src/till.rs") == [29, 30, 31]
    expected = [11, 13, 15, 16, 18, 19, 20, 22, 25, 27, 30, 31, 32, 33, 34, 35, 38]
    assert lines(found["certain"], "src/shop.rs") == expected
    assert found["possible"] == ["src/shop.rs:37 call run"]


def test_a_field_and_a_method_of_one_name_are_told_apart() -> None:
    assert lines(uses(FILES, "Till.all")["certain"], "src/till.rs") == []


def test_a_trait_is_certain_and_what_implements_it_possible() -> None:
    found = uses(FILES, "Open.open")["certain"]
    assert [*lines(found, "src/shop.rs"), *lines(found, "src/till.rs")] == [39, 46, 5]
    assert lines(uses(FILES, "Till.open")["possible"], "src/shop.rs") == [39, 46]
    assert lines(uses(FILES, "Open.shut")["certain"], "src/shop.rs") == [47]


def test_modules_inside_of_files_and_paths_are_followed() -> None:
    assert lines(uses(FILES, "inner.help")["certain"], "src/lib.rs") == [8, 13, 21]
    assert lines(uses(FILES, "top")["certain"], "src/lib.rs") == [8, 21]
    assert lines(uses(FILES, "inner.deep.go")["certain"], "src/lib.rs") == [14]


def test_types_are_found_through_imports_with_another_name_and_re_exports() -> None:
    found = uses(FILES, "till.rs::Till")["certain"]
    assert "src/lib.rs:3 import" in found
    assert "src/shop.rs:1 import" in found
    assert "src/shop.rs:2 import" in found
    assert 34 in lines(found, "src/shop.rs")


def test_variants_are_fields_of_their_enum() -> None:
    assert lines(uses(FILES, "State.Fresh")["certain"], "src/shop.rs") == [1, 46]
    assert lines(uses(FILES, "State.Used")["certain"], "src/shop.rs") == [47]
    assert lines(uses(FILES, "State.Named")["certain"], "src/shop.rs") == [48]


def test_macros_lifetimes_and_attributes_are_not_functions() -> None:
    code = """fn keep() {}
fn a() {}
#[serde(default = keep)]
#[keep]
struct S<'a> { x: &'a str }
fn run() { keep!(1); 'a: loop { break 'a; } keep(); }
"""
    files = {"Cargo.toml": '[package]\nname = "m"\n', "src/lib.rs": code}
    assert uses(files, "keep")["certain"] == ["src/lib.rs:6 call run"]
    assert uses(files, "a")["certain"] == []


def test_methods_belong_to_the_type_that_their_file_names() -> None:
    files = {
        "Cargo.toml": '[package]\nname = "m"\n',
        "src/lib.rs": "mod a;\nmod b;\nmod c;\n",
        "src/a.rs": "pub struct T;\n",
        "src/b.rs": "pub struct T;\nfn f(t: T) { t.go(); }\n",
        "src/c.rs": "use crate::a::T;\nimpl T { pub fn go(&self) {} }\nfn f(t: T) { t.go(); }\n",
    }
    assert uses(files, "T.go")["certain"] == ["src/c.rs:3 call f"]


def test_a_crate_of_the_workspace_is_followed() -> None:
    files = {
        "Cargo.toml": '[workspace]\nmembers = ["a", "b"]\n',
        "a/Cargo.toml": '[package]\nname = "a-lib"\n',
        "a/src/lib.rs": "pub struct T;\nimpl T { pub fn go(&self) {} }\npub fn make() -> T {}\n",
        "b/Cargo.toml": '[package]\nname = "b"\n[dependencies]\na-lib = { path = "../a" }\n',
        "b/src/main.rs": "use a_lib::T;\nfn main() {\n    a_lib::make().go();\n"
        "    let t: T = x();\n    t.go();\n}\n",
    }
    assert lines(uses(files, "T.go")["certain"], "b/src/main.rs") == [3, 5]
    assert lines(uses(files, "make")["certain"], "b/src/main.rs") == [3]


def test_a_test_of_several_files_is_one_crate() -> None:
    files = {
        "Cargo.toml": '[package]\nname = "m"\n',
        "tests/lib.rs": "use crate::kit::Kit;\nmod kit;\nmod one;\nmod words;\n",
        "tests/kit.rs": "pub struct Kit;\nimpl Kit { pub fn go(&self) {} }\n",
        "tests/words.rs": "pub fn get() {}\n",
        "tests/one.rs": "use super::*;\nfn f(k: Kit) {\n    k.go();\n    words::get();\n}\n",
    }
    assert uses(files, "Kit.go")["certain"] == ["tests/one.rs:3 call f"]
    assert uses(files, "get")["certain"] == ["tests/one.rs:4 call f"]


def test_code_in_attributes_and_macros_is_a_use() -> None:
    code = """fn help(a: u8) -> u8 { a }
macro_rules! m {
    () => { $crate::help(1) };
    ($a:expr) => { help($a) };
}
#[case(help(1))]
#[case(1, crate::help(1))]
#[help]
#[cfg(help)]
fn t() { m!(help(2)); }
"""
    found = uses({"Cargo.toml": '[package]\nname = "m"\n', "src/lib.rs": code}, "help")
    lines = [it.partition(" ")[0] for it in found["certain"]]
    assert lines == [f"src/lib.rs:{it}" for it in (3, 4, 7, 10)]
    assert found["possible"] == ["src/lib.rs:6 call"]


def test_a_closure_is_used_by_the_name_of_its_variable() -> None:
    code = "fn f() {\n    let help = |a: u8| a;\n    g(help(1), help);\n}\n"
    found = uses({"src/lib.rs": code}, "f.help")["certain"]
    assert found == ["src/lib.rs:3 call f", "src/lib.rs:3 read f"]


def test_a_qualified_call_of_a_type_from_elsewhere_is_no_possible_use() -> None:
    code = {
        "Cargo.toml": '[package]\nname = "m"\n',
        "src/lib.rs": "use blob::Blobstore;\nuse std::fmt::Display;\nstruct Shard;\n"
        "impl Shard { fn open() -> Self { Shard } }\n"
        "impl Display for Shard { fn fmt(&self) {} }\n"
        "fn other() { Blobstore::open(); }\nfn own() { Shard::open(); }\n",
    }
    found = uses(code, "Shard.open")
    assert found["certain"] == ["src/lib.rs:7 call own"]
    assert found["possible"] == []


def test_what_a_macro_inside_of_a_module_names_is_what_the_module_has() -> None:
    text = (
        "mod tests {\n    fn make(x: u32) -> u32 { x }\n    macro_rules! check {\n"
        "        ($name:ident) => {\n            fn $name() { let e = make(1); }\n        };\n"
        "    }\n    check!(one);\n    fn two() { make(2); }\n}\n"
    )
    found = uses({"src/lib.rs": text}, "src/lib.rs::tests.make")
    lines = [it.partition(" ")[0] for it in found["certain"]]
    assert (lines, found["possible"]) == (["src/lib.rs:5", "src/lib.rs:9"], [])


NESTED = """struct Fake;
trait Show {}

mod tests {
    struct Fake;
    static ONE: Fake = Fake;
    impl super::Show for Fake {}
    impl super::Show for super::Fake {}
    mod deeper {
        struct Fake;
        impl Drop for Fake {}
    }
}
impl Show for Fake {}
"""


def test_code_of_a_module_that_is_in_no_function_sees_the_names_of_its_module() -> None:
    files = {"lib.rs": NESTED}
    outer = [f"lib.rs:{it} type" for it in (8, 14)]
    assert uses(files, "lib.rs::Fake") == {"certain": outer, "possible": [], "mention": []}
    inner = ["lib.rs:6 read", "lib.rs:6 write", "lib.rs:7 type"]
    assert uses(files, "lib.rs::tests.Fake")["certain"] == inner
    assert uses(files, "lib.rs::tests.deeper.Fake")["certain"] == ["lib.rs:11 type"]


def test_an_enum_that_is_opened_in_a_function_hides_what_the_file_has() -> None:
    code = "struct Byte;\nenum Unit { Byte }\nfn f() {\n    use Unit::*;\n    Byte;\n}\n"
    found = uses({"lib.rs": code}, "lib.rs::Byte")
    assert (found["certain"], found["possible"]) == ([], ["lib.rs:5 read f"])


def test_the_modules_of_a_program_beside_a_library_are_its_own() -> None:
    files = {
        "Cargo.toml": '[package]\nname = "a"\n',
        "src/lib.rs": "pub struct Byte;\nmod kept;\n",
        "src/kept.rs": "use super::Byte;\n",
        "src/main.rs": "struct Byte;\n#[cfg(test)]\nmod tests;\n",
        "src/tests.rs": "use super::*;\nfn f() { Byte; }\nfn g() { crate::Byte; }\n",
    }
    assert uses(files, "src/lib.rs::Byte")["certain"] == ["src/kept.rs:1 import"]
    own = ["src/tests.rs:2 read f", "src/tests.rs:3 read g"]
    assert uses(files, "src/main.rs::Byte")["certain"] == own


def test_what_an_implementation_declares_for_itself_is_no_use() -> None:
    code = """struct IntoIter;
const MAX: u8 = 1;
impl IntoIterator for Shop {
    type IntoIter = IntoIter;
    const MAX: u8 = MAX;
}
trait Many { type IntoIter; const MAX: u8; }
"""
    assert uses({"lib.rs": code}, "lib.rs::IntoIter")["certain"] == ["lib.rs:4 read"]
    assert uses({"lib.rs": code}, "lib.rs::MAX")["certain"] == ["lib.rs:5 read"]


def test_a_path_through_a_package_that_is_exported_again_is_a_possible_use() -> None:
    files = {
        "Cargo.toml": '[workspace]\nmembers = ["core", "types", "app"]\n',
        "core/Cargo.toml": '[package]\nname = "core_lib"\n',
        "core/src/lib.rs": "pub mod documents;\n",
        "core/src/documents.rs": "pub fn check() {}\n",
        "types/Cargo.toml": (
            '[package]\nname = "types"\n[dependencies]\ncore_lib = { path = "../core" }\n'
        ),
        "types/src/lib.rs": "pub use {core_lib, other_lib};\n",
        "app/Cargo.toml": (
            '[package]\nname = "app"\n[dependencies]\ntypes = { path = "../types" }\n'
        ),
        "app/src/lib.rs": (
            "use types::{core_lib, Unknown};\n"
            "fn run() { core_lib::documents::check(); }\n"
            "fn other() { core_lib::prices::check(); Unknown::check(); }\n"
        ),
    }
    found = uses(files, "core/src/documents.rs::check")
    assert found["certain"] + found["possible"] == ["app/src/lib.rs:2 call run"]
