"""Other languages: what each keeps alive, and the same without what it looks for."""

import pytest

from benchpin.engines.source import languages
from benchpin.engines.source.liveness import rules_of
from dead_code_kit import confidences

SURE = 0.8


def _case(language: str, path: str, alive: str, dead: str) -> object:
    is_known = language in languages.NAMES
    reason = f"there is no table for {language} yet"
    return pytest.param(
        path, alive, dead, id=path, marks=pytest.mark.skipif(not is_known, reason=reason)
    )


@pytest.mark.parametrize(
    ("path", "alive", "dead"),
    [
        _case("c", "static.c", "static int it(void) { return 1; }\n"
              "int main(void) { return it(); }\n",
              "static int it(void) { return 1; }\nint main(void) { return 1; }\n"),
        _case("c", "macro.c", "#define RUN(n) do_ ## n\nstatic int do_it(void) { return 1; }\n",
              "#define RUN(n) n\nstatic int do_it(void) { return 1; }\n"),
        _case("c", "body.c", "#define RUN it(1)\nstatic int it(int a) { return a; }\n",
              "int it(int a);\nint it(int a) { return a; }\n"),
        _case("c", "pointer.c", "static int it(void) { return 1; }\n"
              "int (*table[])(void) = { it };\n",
              "static int it(void) { return it(); }\nint (*table[])(void) = { 0 };\n"),
        _case("c", "struct.c", "struct it { int a; };\nint f(struct it *x);\n",
              "struct it { int a; };\nint f(int x);\n"),
        _case("kotlin", "Priv.kt", "class Box {\n  private fun it() = 1\n  fun go() = it()\n}\n",
              "class Box {\n  private fun it() = 1\n  fun go() = 2\n}\nval b = Box().go()\n"),
        _case("kotlin", "Over.kt", "class Box : Shape { override fun it() = 1 }\nval b = Box()\n",
              "private fun it() = 1\n"),
        _case("go", "pkg/low.go", "package pkg\nfunc it() int { return 1 }\nvar A = it()\n",
              "package pkg\nfunc it() int { return it() }\nvar A = 1\n"),
        _case("go", "cmd/main.go", "package main\nfunc main() {}\nfunc init() {}\n",
              "package main\nfunc main() {}\nfunc it() {}\n"),
        _case("go", "pkg/api.go", "package pkg\nfunc It() int { return 1 }\n",
              "package main\nfunc It() int { return 1 }\n"),
        _case("go", "pkg/iface.go", "package pkg\ntype S interface { it() }\ntype B struct{}\n"
              "func (b B) it() {}\nvar A S = B{}\n",
              "package pkg\ntype B struct{}\nfunc (b B) it() {}\nvar A = B{}\n"),
        _case("rust", "src/lib.rs", "fn it() -> i32 { 1 }\npub fn go() -> i32 { it() }\n",
              "fn it() -> i32 { 1 }\npub fn go() -> i32 { 1 }\n"),
        _case("rust", "src/tr.rs", "struct B;\nimpl Shape for B { fn it(&self) {} }\n"
              "pub fn go() -> B { B }\n",
              "struct B;\nimpl B { fn it(&self) {} }\npub fn go() -> B { B }\n"),
        _case("rust", "src/at.rs", "#[no_mangle]\nfn it() -> i32 { 1 }\n",
              "#[inline]\nfn it() -> i32 { 1 }\n"),
        _case("java", "Priv.java", "class Priv { private int it() { return 1; }\n"
              "  public int go() { return it(); } }\n",
              "class Priv { private int it() { return 1; }\n  public int go() { return 1; } }\n"),
        _case("java", "Anno.java", "class Anno { @Test private void it() { } }\n",
              "class Anno { @Deprecated private void it() { } }\n"),
        _case("csharp", "Priv.cs", "class Priv { private int it() { return 1; }\n"
              "  public int Go() { return it(); } }\n",
              "class Priv { private int it() { return 1; }\n  public int Go() { return 1; } }\n"),
        _case("php", "priv.php", "<?php\nclass A { private function it() {}\n"
              "  public function go() { $this->it(); } }\n",
              "<?php\nclass A { private function it() {}\n  public function go() { } }\n"
              "$a = new A(); $a->go();\n"),
        _case("php", "magic.php", "<?php\nclass A { private function __clone() {} }\n"
              "$a = new A();\n",
              "<?php\nclass A { private function it() {} }\n$a = new A();\n"),
        _case("ruby", "priv.rb", "def it\n  1\nend\n\nputs it\n", "def it\n  1\nend\n\nputs 1\n"),
        _case("swift", "Priv.swift", "class A { private func it() {}\n  func go() { it() } }\n"
              "let a = A()\na.go()\n",
              "class A { private func it() {}\n  func go() { } }\nlet a = A()\na.go()\n"),
        _case("scala", "Priv.scala", "class A { private def it = 1\n  def go = it }\n",
              "class A { private def it = 1\n  def go = 2 }\nobject B { val a = new A().go }\n"),
        _case("bash", "run.sh", "_it() { echo 1; }\n_it\n", "_it() { echo 1; }\necho 2\n"),
    ],
)  # fmt: skip
def test_what_a_rule_keeps_alive_is_dead_without_it(path: str, alive: str, dead: str) -> None:
    assert not {name for name, it in confidences({path: alive}).items() if it >= SURE}
    surely_dead = {name for name, it in confidences({path: dead}).items() if it >= SURE}
    assert any(name.lower().endswith("it") for name in surely_dead)


def test_a_static_function_in_a_file_that_is_included_is_not_local() -> None:
    backend = "static int poll_it(void) { return 1; }\n"
    files = {
        "poll.c": backend,
        "main.c": '#include "poll.c"\nint main(void) { return poll_it(); }\n',
    }
    assert confidences(files) == {}
    assert confidences({**files, "main.c": "int main(void) { return poll_it(); }\n"}) == {
        "poll_it": 0.95
    }


def test_a_header_that_declares_a_function_lowers_the_confidence() -> None:
    source = {"lib/area.c": "int area_it(void) { return 1; }\n"}
    assert confidences(source) == {"area_it": 0.8}
    assert confidences({**source, "lib/area.h": "int area_it(void);\n"}) == {"area_it": 0.7}
    assert confidences({**source, "include/area.h": "int area_it(void);\n"}) == {"area_it": 0.5}


def test_every_language_of_the_engine_has_rules_of_its_own() -> None:
    for language in languages.NAMES:
        assert rules_of(language).definition_words or rules_of(language).entry_points, language
