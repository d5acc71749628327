import pytest

from navigation_kit import uses


def test_a_long_chain_of_types_ends() -> None:
    code = "".join(f"x{at}: x{at + 1}.T\n" for at in range(2_000)) + "def f(): ...\nx0.f()\n"
    assert uses({"a.py": code}, "f")["certain"] == []


def test_a_long_chain_of_calls_ends() -> None:
    code = "class A:\n    def f(self): return self\nA()" + ".f()" * 3_000 + "\n"
    found = uses({"a.py": code}, "A.f")
    assert found["certain"]


def test_results_that_depend_on_one_another_end() -> None:
    code = "".join(f"def f{at}(): return f{(at + 1) % 500}()\n" for at in range(500))
    assert len(uses({"a.py": code + "f0().f1\n"}, "f0")["certain"]) == 2


def test_types_that_name_themselves_many_times_end() -> None:
    many = ", ".join(["T"] * 20)
    java = f"class A<T extends A<{many}>> {{ T t; void f() {{ t.f(); }} }}\n"
    assert uses({"A.java": java}, "A.f")["certain"]
    rust = f"struct S;\nimpl S {{ fn f(&self) {{}} }}\ntype T = Vec<({many})>;\n"
    rust += "type U = Vec<U>;\nfn g(t: T, u: U, s: S) { t.f(); u.f(); s.f(); }\n"
    assert uses({"a.rs": rust + f"type V = Map<{many.replace('T', 'V')}>;\n"}, "S.f")["certain"]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("a.py", "def f(): ...\n" + "for " * 4_000 + "\nf()\n"),
        ("a.py", "def f(): ...\n" + "x = (" * 3_000 + "\nf()\n"),
        ("a.ts", "function f() {}\n" + "a = " * 4_000 + "f();\n"),
        ("a.ts", "function f() {}\nconst a = " + "b < c, " * 4_000 + "f();\n"),
        ("a.go", "package m\n\nfunc f() {\n" + "a := range " * 4_000 + "\n}\n"),
        (
            "A.java",
            "class A { void f() {} }\nclass B { void g() { "
            + "a < b, c > d, " * 3_000
            + "f(); } }\n",
        ),
        (
            "A.java",
            "class A { void f() {} }\nclass B { void g() { " + "for (A a : " * 3_000 + "f(); } }\n",
        ),
        (
            "A.java",
            "class A { void f() {} }\nclass B { void g() { switch (a) { case "
            + "a, " * 3_000
            + "f: f(); } } }\n",
        ),
        ("a.rs", "fn f() {}\nfn g() { " + "match a { Some(b) => " * 2_000 + "f() }\n"),
        ("a.rs", "fn f() {}\nfn g() { " + "let a = " * 3_000 + "f(); }\n"),
        ("a.rs", "fn f() {}\nfn g() { " + "a::<b>::" * 3_000 + "f(); }\n"),
    ],
)
def test_code_that_never_ends_is_read_to_its_end(path: str, code: str) -> None:
    uses({path: code, "go.mod": "module m\n"}, "f")
