"""What the review says nothing about: code that looks broken, and is not."""

from repositories import Tree
from review_kit import commit, places, review

_SEQUENCE = (
    "package m;\n\nimport java.util.Iterator;\n\ninterface Sequence<E> {\n"
    "    Peeking<E> iterator();\n\n    interface Peeking<E> extends Iterator<E> {\n"
    "        E peek();\n    }\n}\n"
)


def test_a_call_that_never_fitted_is_not_blamed_on_the_change(tree: Tree) -> None:
    made = "class App:\n    def __init__(self, name): ...\n"
    head = "import pytest\nfrom app import App\n\n\n"
    test = f"{head}def test_name():\n    with pytest.raises(TypeError):\n        App()\n"
    commit(tree, {"app.py": made, "test_app.py": test})
    found = review(tree, {"app.py": made.replace("name)", "name, debug=False)")})
    assert places(found, "broken-call") == []


def test_a_macro_of_rust_may_come_from_anywhere(tree: Tree) -> None:
    commit(tree, {"src/lib.rs": "pub fn version() -> &'static str {\n    crate_version!()\n}\n"})
    now = 'pub fn version() -> &\'static str {\n    include_str!(concat!(env!("OUT"), "/v"))\n}\n'
    assert places(review(tree, {"src/lib.rs": now}), "broken-reference") == []


def test_a_bracket_in_the_text_of_a_template_closes_nothing(tree: Tree) -> None:
    made = "export function made(options: object) {\n  return options;\n}\n"
    commit(tree, {"src/made.ts": made})
    use = (
        "import { made } from './made';\n\nexport function use(sql: any, by: any, all: any) {\n"
        "  return made({ first: [sql`row (order by ${sql.join(by, sql`, `)})`], all, by });\n}\n"
    )
    assert places(review(tree, {"src/use.ts": use}), "broken-call") == []


def test_a_function_with_a_declared_type_is_called_as_that_type_says(tree: Tree) -> None:
    table = (
        "export interface Made {\n  (name: string): number;\n"
        "  (name: string, more: object): number;\n}\n"
        "export const made: Made = (name, more) => {\n  return 1;\n};\n"
    )
    commit(tree, {"src/made.ts": table})
    use = "import { made } from './made';\n\nexport const users = made('a');\n"
    assert review(tree, {"src/use.ts": use}) == []


def test_a_constructor_that_declares_fields_takes_each_of_them_once(tree: Tree) -> None:
    driver = (
        "export class Driver {\n  constructor(private client: Http, private pool: Pool) {\n"
        "    this.open();\n  }\n}\n"
    )
    commit(tree, {"src/driver.ts": driver})
    use = (
        "import { Driver } from './driver';\n\n"
        "export function made(client: Http, pool: Pool) {\n  return new Driver(client, pool);\n}\n"
    )
    assert places(review(tree, {"src/use.ts": use}), "broken-call") == []
    crossed = use.replace("client, pool);", "pool, client);")
    assert places(review(tree, {"src/use.ts": crossed}), "broken-call") == [("src/use.ts", 4)]


def test_a_module_of_rust_that_a_macro_declares_is_there(tree: Tree) -> None:
    own = "pub struct Conn;\n\n#[cfg(test)]\nmod tests {\n    fn made() {}\n}\n"
    files = {
        "Cargo.toml": '[package]\nname = "m"\nversion = "0.1.0"\n',
        "src/lib.rs": "mod proto;\n",
        "src/proto/mod.rs": (
            'cfg_feature! {\n    #![feature = "http1"]\n\n    pub(crate) mod h1;\n}\n\n'
            "other! {\n    http2 => pub(crate) mod h2;\n}\n"
        ),
        "src/proto/h1/mod.rs": "mod conn;\npub(crate) struct Client;\n",
        "src/proto/h1/conn.rs": own,
        "src/proto/h2/mod.rs": "mod conn;\npub(crate) struct Client;\n",
        "src/proto/h2/conn.rs": own,
    }
    commit(tree, files)
    after = {
        f"src/proto/{it}/conn.rs": own.replace(
            "    fn made",
            f"    use crate::proto::{it}::Client;\n    fn took(_: Client) {{}}\n    fn made",
        )
        for it in ("h1", "h2")
    }
    assert places(review(tree, after), "broken-reference") == []


def test_a_method_that_a_type_has_from_the_library_is_not_missing(tree: Tree) -> None:
    commit(tree, {"m/Sequence.java": _SEQUENCE})
    use = (
        "package m;\n\nclass Use {\n    void use(Sequence.Peeking<String> it) {\n"
        "        it.next();\n        it.peek();\n        it.remove();\n"
        "        it.forEachRemaining(null);\n"
        "        it.push();\n    }\n}\n"
    )
    found = review(tree, {"m/Use.java": use})
    assert places(found, "broken-reference") == [("m/Use.java", 9)]


def test_another_spelling_of_the_same_union_is_the_same_result(tree: Tree) -> None:
    head = "from typing import Union\n\n\n"
    before = f"{head}def f(a) -> Union[\n    int,\n    str,\n]: ...\n\n\nx = f(1)\n"
    commit(tree, {"a.py": before})
    now = "def f(a) -> (\n    int\n    | str\n): ...\n\n\nx = f(1)\n"
    assert places(review(tree, {"a.py": now}), "changed-result") == []


def test_what_a_property_returns_may_take_any_arguments(tree: Tree) -> None:
    text = "class A:\n    @property\n    def made(self):\n        return dict\n\n    def f(self):\n"
    commit(tree, {"a.py": f"{text}        return 1\n"})
    found = review(tree, {"a.py": f"{text}        return self.made(1, 2)\n"})
    assert places(found, "broken-call") == []


def test_a_type_of_the_language_is_there_when_one_of_its_name_is_gone(tree: Tree) -> None:
    own = "export type NoInfer<T> = [T][T extends any ? 0 : never];\nexport type Two = 2;\n"
    use = "import type { NoInfer, Two } from './own';\nexport type A<T> = NoInfer<T> | Two;\n"
    commit(tree, {"own.ts": own, "use.ts": use})
    now = {"own.ts": "export type Two = 2;\n", "use.ts": use.replace("NoInfer, ", "")}
    assert places(review(tree, now), "broken-reference") == []


def test_parameters_of_an_interface_of_go_are_no_names_that_are_missing(tree: Tree) -> None:
    head = "package m\n\ntype Store interface {\n\tName() string\n"
    commit(tree, {"m.go": f"{head}}}\n"})
    more = "\tApply(found map[string]int)\n\tAll(names []string, one, two *int)\n}\n"
    assert places(review(tree, {"m.go": head + more}), "broken-reference") == []


def test_a_value_that_is_entered_in_parentheses_is_still_closed(tree: Tree) -> None:
    before = "def f(worker):\n    with worker(1, limit=100, size=1) as it:\n        it.stop()\n"
    now = before.replace(
        "with worker(1, limit=100, size=1) as it",
        "with (\n        open('a'),\n        worker(1, limit=100, size=1) as it,\n    )",
    )
    commit(tree, {"a.py": before})
    assert places(review(tree, {"a.py": now}), "not-released") == []
