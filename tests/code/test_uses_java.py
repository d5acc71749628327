import pytest

from navigation_kit import uses

TILL = """package shop;

public class Till extends Box implements Openable {
  private Till next;
  private final java.util.List<Till> all = null;

  public Till(int size) {}

  public Till open() { return this; }

  public Till open(int times) { return null; }

  public static Till make() { return new Till(1); }

  void shut() {
    open();
    this.open();
    next.open();
    this.next.open().open();
  }

  public static class Slot {
    Till till;

    Till get() { return till; }
  }
}
"""

SHOP = """package app;

import java.util.List;
import java.util.Optional;
import shop.Till;
import shop.Till.Slot;
import static shop.Till.make;

class Shop {
  Till open;

  void run(Till given, List<Till> list, Till[] row, Optional<Till> maybe, Till... rest) {
    given.open();
    Till typed = null;
    typed.open();
    var made = new Till(1);
    made.open();
    for (Till each : list) { each.open(); }
    for (var each : list) { each.open(); }
    row[0].open();
    maybe.get().open();
    make().open();
    Till.make().open(2);
    new Slot().get().open();
    new Slot().till.open();
    open.open();
    ((Till) null).open();
    list.forEach(Till::open);
    list.forEach((Till it) -> it.open());
    unknown().open();
  }
}
"""

BASES = {
    "src/shop/Box.java": "package shop;\n\nclass Box {\n  void keep() {}\n}\n",
    "src/shop/Openable.java": "package shop;\n\ninterface Openable {\n  Openable open();\n}\n",
}
FILES = {**BASES, "src/shop/Till.java": TILL, "src/app/Shop.java": SHOP}


def lines(found: list[str], file: str) -> list[int]:
    return [int(it.partition(":")[2].split()[0]) for it in found if it.startswith(f"{file}:")]


def test_declared_types_results_and_items_make_calls_certain() -> None:
    found = uses(FILES, "Till.open")["certain"]
    assert lines(found, "src/shop/Till.java") == [16, 17, 18, 19]
    assert lines(found, "src/app/Shop.java") == [13, 15, *range(17, 30)]


def test_a_receiver_of_unknown_type_makes_a_call_possible() -> None:
    assert uses(FILES, "Till.open")["possible"] == ["src/app/Shop.java:30 call Shop.run"]


def test_a_field_and_a_method_of_one_name_are_told_apart() -> None:
    assert uses(FILES, "Shop.open")["certain"] == ["src/app/Shop.java:26 read Shop.run"]


def test_imports_of_inner_types_and_static_methods_are_followed() -> None:
    assert lines(uses(FILES, "Till.Slot")["certain"], "src/app/Shop.java") == [6, 24, 25]
    assert lines(uses(FILES, "Till.make")["certain"], "src/app/Shop.java") == [7, 22, 23]


def test_new_calls_the_constructor() -> None:
    assert uses(FILES, "Till.Till")["certain"] == [
        "src/app/Shop.java:16 call Shop.run",
        "src/shop/Till.java:13 call Till.make",
    ]


def in_package(**texts: str) -> dict[str, str]:
    return {f"src/p/{name}.java": f"package p;\n{text}" for name, text in texts.items()}


def test_the_number_of_arguments_chooses_between_a_type_and_its_base() -> None:
    files = in_package(
        A="class A { void f(int a) {} }",
        B="class B extends A { void f() {} }",
        C="class C { void g(B b) {\n b.f();\n b.f(1);\n } }",
    )
    assert uses(files, "A.f")["certain"] == ["src/p/C.java:4 call C.g"]
    assert uses(files, "B.f")["certain"] == ["src/p/C.java:3 call C.g"]


def test_methods_that_differ_in_the_types_of_parameters_are_possible() -> None:
    files = in_package(
        A="class A { void f(String a) {} }",
        B="class B extends A { void f(int a) {} }",
        C="class C { void g(B b) { b.f(x()); } }",
    )
    assert uses(files, "A.f")["possible"] == uses(files, "B.f")["possible"]
    assert uses(files, "A.f")["possible"] == ["src/p/C.java:2 call C.g"]


def test_a_method_through_its_base_is_certain_for_the_base_and_possible_for_the_override() -> None:
    files = in_package(
        A="interface A { void f(); }",
        B="class B implements A { @Override public void f() {} }",
        C="class C { void g(A a) { a.f(); super.f(); } }",
    )
    assert uses(files, "A.f")["certain"] == ["src/p/C.java:2 call C.g"]
    assert uses(files, "B.f")["possible"] == ["src/p/C.java:2 call C.g"]


def test_variables_of_blocks_have_their_own_types() -> None:
    code = """class C {
  void g() {
    for (A x : all()) { x.f(); }
    for (B x : all()) { x.f(); }
    try { h(); } catch (A x) { x.f(); }
    Object o = null;
    if (o instanceof B x) { x.f(); }
    run(x -> x.f());
  }
}
"""
    files = in_package(A="class A { void f() {} }", B="class B { void f() {} }", C=code)
    assert lines(uses(files, "A.f")["certain"], "src/p/C.java") == [4, 6]
    assert lines(uses(files, "B.f")["certain"], "src/p/C.java") == [5, 8]


def test_a_class_without_a_name_sees_its_base_before_the_class_around_it() -> None:
    code = """class C {
  void f() {}
  void own() {}
  void g() {
    new A() { void h() { f(); own(); toString(); } };
    new A() { void own() {} void h() { own(); } };
  }
  public String toString() { return null; }
}
"""
    files = in_package(A="class A { void f() {} }", C=code)
    assert lines(uses(files, "A.f")["certain"], "src/p/C.java") == [6]
    assert lines(uses(files, "C.own")["certain"], "src/p/C.java") == [6]
    assert uses(files, "C.toString")["certain"] == []


def test_type_parameters_have_the_members_of_their_bounds() -> None:
    code = "class C<T extends A> {\n T it;\n <S extends A> void g(S s) { s.f();\n it.f(); } }"
    files = in_package(A="class A { void f() {} }", C=code)
    assert lines(uses(files, "A.f")["certain"], "src/p/C.java") == [4, 5]


def test_records_enums_and_their_members() -> None:
    files = in_package(
        P="record P(A left, A right) { void h() { left.f();\n right().f(); } }",
        A="enum A { ONE, TWO; void f() {} }",
        C="class C { void g(P p) {\n A.ONE.f();\n p.left().f(); } }",
    )
    found = uses(files, "A.f")["certain"]
    assert lines(found, "src/p/P.java") == [2, 3]
    assert lines(found, "src/p/C.java") == [3, 4]


@pytest.mark.parametrize("statement", ["import static q.A.*;", "import static q.A.f;"])
def test_static_members_imported_on_demand(statement: str) -> None:
    files = {
        "src/q/A.java": "package q;\npublic class A { public static void f() {} }\n",
        "src/p/C.java": f"package p;\n{statement}\nclass C {{\n void g() {{ f(); }}\n}}\n",
    }
    assert "src/p/C.java:4 call C.g" in uses(files, "A.f")["certain"]


def test_the_name_of_a_case_is_a_constant_of_the_enum_that_is_chosen_from() -> None:
    files = in_package(
        A="enum A { ONE, TWO }",
        C="class C { static final int ONE = 1; void g(A a, Object o) { switch (a) {\n"
        "case ONE: break;\ncase TWO, ONE -> h();\n}\nswitch (o()) {\ncase ONE: } } }",
    )
    assert lines(uses(files, "A.ONE")["certain"], "src/p/C.java") == [3, 4]
    assert uses(files, "C.ONE")["certain"] == []
    assert lines(uses(files, "C.ONE")["possible"], "src/p/C.java") == [7]


def test_type_arguments_between_a_dot_and_a_name_are_no_arguments() -> None:
    files = {
        "A.java": "class A {\n  void check(Object a, Object b) {}\n}\n",
        "B.java": "class B extends A {\n  void f() { check(1, Maps.<String, Object>of(2)); }\n}\n",
    }
    assert uses(files, "A.check")["certain"] == ["B.java:2 call B.f"]
