import pytest

from navigation_kit import uses

TILL = """
export class Till {
  open(): void {}
  shut() { this.open(); }
}
export interface Opener { open(): Till; }
export function make(): Till { return new Till(); }
export default Till;
"""
SHOP = """
import Main, { Till, make as build, type Opener } from './till';
import * as all from './till';

class Shop {
  private drawer = new Till();
  till?: Till;
  constructor(private readonly safe: Till, other: Opener) {
    this.late = new Till();
    other.open().open();
  }
  late: Till;
  run(given: Till | undefined, unknown) {
    this.drawer.open();
    this.till!.open();
    this.safe?.open();
    this.late.open();
    given.open();
    const made = new Main();
    made.open();
    const got = build();
    got.open();
    all.make().open();
    (unknown as Till).open();
    unknown.open();
    const list: Till[] = [];
    for (const it of list) it.open();
    list.forEach((each: Till) => each.open());
  }
}
"""


def test_types_of_fields_parameters_and_results_make_calls_certain() -> None:
    found = uses({"till.ts": TILL, "shop.ts": SHOP}, "Till.open")
    lines = [it.partition(" ")[0] for it in found["certain"]]
    shop = [10, 14, 15, 16, 17, 18, 20, 22, 23, 24, 27, 28]
    assert lines == [*(f"shop.ts:{it}" for it in shop), "till.ts:4"]


def test_a_call_on_an_object_of_unknown_type_is_possible() -> None:
    found = uses({"till.ts": TILL, "shop.ts": SHOP}, "Till.open")
    assert found["possible"] == ["shop.ts:25 call Shop.run"]


@pytest.mark.parametrize(
    "code",
    [
        "function f(helper) { helper(); }",
        "const f = (helper) => helper();",
        "const f = helper => helper();",
        "function f() { const helper = 1; return helper; }",
        "function f(x) { const { helper } = x; return helper; }",
        "function f(x) { try {} catch (helper) { helper(); } }",
        "const x = { helper: 1 };",
        "class A { helper() {} }",
        "import { helper } from 'elsewhere'; helper();",
    ],
)
def test_something_else_of_the_same_name_is_no_use(code: str) -> None:
    files = {"lib.ts": "export function helper() {}", "main.ts": code}
    assert uses(files, "helper") == {"certain": [], "possible": [], "mention": []}


@pytest.mark.parametrize(
    "code",
    [
        "import { helper } from './lib';\nhelper();",
        "import { helper as h } from './lib';\nh();",
        "import * as lib from './lib';\nlib.helper();",
        "import { helper } from './index';\nhelper<number>();",
    ],
)
def test_an_imported_function_is_certain(code: str) -> None:
    files = {
        "lib.ts": "export const helper = () => 1;",
        "index.ts": "export { helper } from './lib';",
        "main.ts": code,
    }
    found = uses(files, "lib.ts::helper")["certain"]
    assert [it for it in found if it.endswith("call")] == ["main.ts:2 call"]


def test_an_inner_function_of_a_constant_is_certain() -> None:
    code = "function f() {\n  const inner = () => 1;\n  return inner();\n}"
    assert uses({"a.ts": code}, "f.inner")["certain"] == ["a.ts:3 call f"]


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("const f: Handler<A> = async () => f();\n", "f"),
        ("class A {\n  size = 1;\n  g() { return this.size; }\n}\n", "A.size"),
        ("interface A {\n  size(): number;\n}\nfunction g(a: A) { a.size(); }\n", "A.size"),
        ("class A {\n  f = () => 1;\n  g() { return this.f(); }\n}\n", "A.f"),
        ("const LIMIT = 3;\nfunction g() { return LIMIT; }\n", "LIMIT"),
    ],
)
def test_a_definition_is_no_use_of_what_it_defines(code: str, name: str) -> None:
    found = uses({"a.ts": code}, name)
    assert len(found["certain"]) == 1
    assert found["possible"] == []


def test_a_class_is_used_by_inheriting_annotating_and_making() -> None:
    code = "class A {}\nclass B extends A {}\nfunction f(x: A): Array<A> { return [new A()]; }"
    assert [it.split()[1] for it in uses({"a.ts": code}, "A")["certain"]] == [
        "inherit",
        "call",
        "type",
    ]


def test_a_promise_that_catches_binds_only_the_parameter_of_its_callback() -> None:
    code = "import { helper } from './lib';\nfunction f(p) {\n  p.catch((e) => helper(e));\n}"
    files = {"lib.ts": "export function helper(e) {}", "main.ts": code}
    assert "main.ts:3 call f" in uses(files, "helper")["certain"]


def test_names_of_a_namespace_are_visible_inside_and_possible_outside() -> None:
    code = "export namespace N {\n  export interface A {}\n  export interface B extends A {}\n}"
    files = {"n.ts": code, "m.ts": "import { N } from './n';\nlet x: N.A;"}
    found = uses(files, "N.A")
    assert found["certain"] == ["n.ts:3 inherit N.B"]
    assert found["possible"] == ["m.ts:2 type"]


@pytest.mark.parametrize("member", ["open() {}", "open: () => 1", "open: function () {}"])
def test_methods_of_an_object_are_possibly_called_by_members_of_that_name(member: str) -> None:
    files = {
        "a.ts": f"export const api = {{\n  {member},\n}};\napi.open();\n",
        "b.ts": "import { api } from './a';\napi.open();\nopen();\n",
    }
    assert uses(files, "open")["possible"] == ["a.ts:4 call", "b.ts:2 call"]


def test_a_member_of_an_interface_may_be_that_of_an_object() -> None:
    code = "interface Api { open(): void }\nfunction f(a: Api) { a.open(); }\nf({ open() {} });\n"
    assert uses({"a.ts": code}, "a.ts:3")["possible"] == ["a.ts:2 call f"]


def test_let_and_const_are_visible_in_their_blocks() -> None:
    code = """function help() {}
function f() {
  help();
  if (a) { const help = 1; g(help); }
  for (const help of all) { g(help); }
  for (let help = 0; help < 2; help++) g(help);
  try { help(); } catch (help) { g(help); }
  help();
}
{
  let help = 1;
  g(`${help}`);
}
help();
"""
    found = uses({"a.ts": code}, "help")["certain"]
    assert found == [f"a.ts:{it} call f" for it in (3, 7, 8)] + ["a.ts:14 call"]


def test_code_of_a_namespace_sees_its_names() -> None:
    code = """namespace A {
  class X {}
  const made = new X();
  namespace B.C { class X {} const made = new X(); }
}
namespace D { class X {} const made = new X(); class Y extends X {} }
"""
    assert uses({"a.ts": code}, "A.X")["certain"] == ["a.ts:3 call"]
    assert uses({"a.ts": code}, "A.B.C.X")["certain"] == ["a.ts:4 call"]
    assert uses({"a.ts": code}, "D.X")["certain"] == ["a.ts:6 call", "a.ts:6 inherit D.Y"]
