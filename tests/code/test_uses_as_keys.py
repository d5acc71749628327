"""Names before a colon, an arrow or an equals sign: uses where they are evaluated, else not."""

import pytest

from benchpin.code import one_symbol
from benchpin.code.references import find_uses
from benchpin.core.calls import Job
from navigation_kit import indexed

GO = "package m\n\ntype Kind int\n\nconst KEY Kind = 1\n\n"
FOUND = {
    "python dictionary": ("a.py", "KEY = 1\nd = {KEY: 2}\ne = {0: 1, KEY: 2}\n", "certain"),
    "python class as key": ("a.py", "class KEY: ...\nd = {KEY: 2}\n", "certain"),
    "python format": ("a.py", 'KEY = 1\ns = f"{KEY:>3} {KEY=}"\n', "certain"),
    "javascript computed": ("a.js", "const KEY = 1;\nlet o = {[KEY]: 2};\n", "certain"),
    "javascript argument": ("a.js", "let KEY = 1;\nfunction f() { g(KEY = 2); }\n", "certain"),
    "typescript computed": ("a.ts", "const KEY = 1;\nlet o = {a: 1, [KEY]: 2};\n", "certain"),
    "jsx value": ("a.jsx", "const KEY = 1;\nf(<B a={KEY} />);\n", "certain"),
    "javascript assignment": ("a.js", "let KEY = 1;\nif (a) {}\nKEY = {};\n", "certain"),
    "typescript condition": (
        "a.ts",
        "const KEY = 1;\nconst f = () => {\n  return a ?\n    KEY : 2;\n};\n",
        "certain",
    ),
    "typescript call in a block": ("a.ts", "function KEY() {}\nf(() => { KEY(); });\n", "certain"),
    "go map": ("a.go", f"{GO}var o = map[Kind]string{{KEY: `a`}}\n", "certain"),
    "go map of structs": ("a.go", f"{GO}var o = map[Kind]struct{{}}{{KEY: {{}}}}\n", "certain"),
    "go map in map": ("a.go", f"{GO}var o = map[int]map[Kind]int{{1: {{KEY: 1}}}}\n", "certain"),
    "go array": ("a.go", f"{GO}var o = [...]string{{KEY: `a`}}\n", "certain"),
    "go slice": ("a.go", f"{GO}var o = []*Kind{{nil, KEY: nil}}\n", "certain"),
    "go case": ("a.go", f"{GO}func f(k Kind) {{ switch k {{ case 2, KEY: f(k) }} }}\n", "certain"),
    "go named map": ("a.go", f"{GO}type M map[Kind]int\n\nvar o = M{{KEY: 1}}\n", "certain"),
    "go other package": ("a.go", f"{GO}var o = x.Header{{KEY: 1}}\n", "possible"),
    "rust bound": (
        "a.rs",
        "struct KEY;\ntrait A { fn f<T>() where T: A, KEY: B { } }\n",
        "certain",
    ),
    "rust macro": ("a.rs", "const KEY: u8 = 1;\nfn f() { map!{ KEY: 2 } }\n", "possible"),
    "rust macro argument": ("a.rs", "const KEY: u8 = 1;\nfn f() { log!(KEY = 2) }\n", "possible"),
    "java assignment": ("A.java", "class A { int KEY; void f() { g(KEY = 2); } }\n", "certain"),
    "java case": (
        "A.java",
        "class A { static final int KEY = 1; { switch (i) { case 2, KEY: f(i); } } }\n",
        "certain",
    ),
    "java annotation": (
        "A.java",
        "@interface A { int KEY(); }\n@A(KEY = 1) class B { }\n",
        "certain",
    ),
    "c index": ("a.c", "int KEY(void) { return 1; }\nint o[] = {[KEY()] = 2};\n", "any"),
    "c# index": (
        "A.cs",
        "class KEY { }\nclass B { object o = new D { [new KEY()] = 1 }; }\n",
        "any",
    ),
    "kotlin map": ("a.kt", "class KEY\nval o = mapOf(KEY to 1)\n", "any"),
    "scala map": ("a.scala", "object KEY\nobject B { val o = Map(KEY -> 1) }\n", "any"),
    "swift dictionary": ("a.swift", "func KEY() -> Int { 1 }\nlet o = [KEY(): 1]\n", "any"),
    "php array": ("a.php", "<?php\nfunction KEY() {}\n$o = [KEY() => 1];\n", "any"),
    "ruby hash": ("a.rb", "class KEY\nend\nO = { KEY => 1 }\n", "any"),
}
NOT_FOUND = {
    "python argument": ("a.py", "def KEY(): ...\nf(KEY=1)\n"),
    "javascript object": ("a.js", "const KEY = 1;\nlet o = {KEY: 2};\n"),
    "typescript pattern": ("a.ts", "const KEY = 1;\nconst {KEY: b} = f();\n"),
    "typescript optional member": ("a.ts", "function KEY() {}\nlet f: {KEY?: 1; KEY?(): 1};\n"),
    "typescript member after a line": (
        "a.ts",
        "function KEY() {}\nfunction f(o: {\n  a: 1\n  KEY: 2\n  KEY(): 3\n}) {}\n",
    ),
    "typescript parameter in a type": ("a.ts", "function KEY() {}\nlet f: (KEY?: 1) => 2;\n"),
    "typescript label of an element": ("a.ts", "function KEY() {}\nlet f: [KEY: 1, KEY?: 2];\n"),
    "typescript index": ("a.ts", "function KEY() {}\nlet f: {[KEY: string]: 1};\n"),
    "typescript mapped": ("a.ts", "function KEY() {}\ntype F<T> = {[KEY in T]: 1};\n"),
    "jsx attribute": ("a.jsx", 'function KEY() {}\nf(<B.C a={1} b="2" {...c} d KEY={3} />);\n'),
    "go struct": ("a.go", f"{GO}type S struct {{\n\tKEY int\n}}\n\nvar o = S{{KEY: 1}}\n"),
    "go structs": ("a.go", f"{GO}type S struct {{\n\tKEY int\n}}\n\nvar o = []*S{{{{KEY: 1}}}}\n"),
    "go unnamed struct": ("a.go", f"{GO}var o = struct{{ KEY int }}{{KEY: 1}}\n"),
    "rust struct": ("a.rs", "fn KEY() {}\nstruct S { KEY: u8 }\nfn f() { S { KEY: 1 } }\n"),
    "java label": ("A.java", "class A { int KEY; void f() { KEY: for (;;) { } } }\n"),
}


def found(path: str, text: str) -> list[str]:
    index = indexed({path: text, "go.mod": "module m\n"})
    symbol, _ = one_symbol(index, "KEY", Job())
    return [it.certainty for it in find_uses(index, symbol, Job()).found]


@pytest.mark.parametrize("case", FOUND)
def test_a_key_that_is_an_expression_is_a_use(case: str) -> None:
    path, text, certainty = FOUND[case]
    uses = found(path, text)
    assert uses
    assert certainty == "any" or set(uses) == {certainty}


@pytest.mark.parametrize("case", NOT_FOUND)
def test_a_key_that_is_a_name_is_no_use_of_another_thing_of_that_name(case: str) -> None:
    assert found(*NOT_FOUND[case]) == []


def test_the_field_of_an_object_whose_type_is_not_known_is_possible() -> None:
    code = "package m\n\ntype KEY int\n\ntype S struct {\n\tKEY int\n}\n\ntype L []S\n\n"
    index = indexed({"go.mod": "module m\n", "a.go": f"{code}var o = L{{{{KEY: 1}}}}\n"})
    for name in ("S.KEY", "a.go::KEY"):
        symbol, _ = one_symbol(index, name, Job())
        assert [it.certainty for it in find_uses(index, symbol, Job()).found] == ["possible"]


@pytest.mark.parametrize("member", ["open: () => 1", "open() {}", "open: f"])
def test_a_member_of_an_object_may_implement_a_method(member: str) -> None:
    code = f"class A {{ open() {{}} }}\nuse({{ {member} }});\n"
    index = indexed({"a.ts": code})
    symbol, _ = one_symbol(index, "A.open", Job())
    assert [it.certainty for it in find_uses(index, symbol, Job()).found] == ["possible"]
