"""When an import takes place, as far as the file itself shows it."""

import pytest

from benchpin.facts.parsing import extract


def _kinds(text: str, language: str) -> list[str]:
    return [it.kind for it in extract(text.encode(), language).links.imports]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("import a", "runtime"),
        ("try:\n    import a\nexcept ImportError:\n    pass", "runtime"),
        ("class A:\n    from a import b", "runtime"),
        ("def f():\n    from a import b", "lazy"),
        ("class A:\n    async def f(self):\n        if self.x:\n            import a", "lazy"),
        ("if TYPE_CHECKING:\n    from a import b", "type-only"),
        ("if t.TYPE_CHECKING:\n    if x:\n        import a", "type-only"),
        ("if TYPE_CHECKING:\n    pass\nelse:\n    from a import b", "runtime"),
        ("if not TYPE_CHECKING:\n    from a import b", "runtime"),
        ("if __name__ == '__main__':\n    x = 1\n    from a import b", "lazy"),
        ("if __file__ == '__main__':\n    from a import b", "runtime"),
        ("def f():\n    if TYPE_CHECKING:\n        import a", "type-only"),
    ],
)
def test_an_import_of_python_is(text: str, kind: str) -> None:
    assert _kinds(text, "python") == [kind]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("import { A } from './a'; A()", "runtime"),
        ("import './a'", "runtime"),
        ("import type { A } from './a'", "type-only"),
        ("import { type A, type B } from './a'", "type-only"),
        ("import { type A, B } from './a'; B()", "runtime"),
        ("import x, { type A } from './a'; x()", "runtime"),
        ("export type { A } from './a'", "type-only"),
        ("export { type A } from './a'", "type-only"),
        ("export type * from './a'", "type-only"),
        ("export { A } from './a'", "runtime"),
        ("export * from './a'", "runtime"),
        ("const a = await import('./a')", "runtime"),
        ("const later = () => import('./a')", "lazy"),
        ("function f() { const a = require('./a') }", "lazy"),
        ("(function () { const a = require('./a') })()", "runtime"),
        ("(() => { const a = require('./a') }).call(this)", "runtime"),
        # What the compiler drops, because nothing of it is used as a value.
        ("import { A } from './a'; let x: A", "type-only"),
        ("import { A } from './a'; let x: Map<string, A[]>; f({ A: 1 }); x.A", "type-only"),
        ("import { A } from './a'; class B implements A {}", "type-only"),
        ("import { A } from './a'; class B extends A {}", "runtime"),
        ("import { A } from './a'; let x: typeof A", "type-only"),
        ("import * as n from './a'; let x: n.A", "type-only"),
        ("import * as n from './a'; n.f()", "runtime"),
        ("import A from './a'; export { A }", "runtime"),
        ("import { A } from './a'; @Injectable() class B { constructor(a: A) {} }", "runtime"),
    ],
)
def test_an_import_of_typescript_is(text: str, kind: str) -> None:
    assert _kinds(text, "typescript") == [kind]


def test_an_element_of_jsx_is_a_use_as_a_value() -> None:
    assert _kinds("import { A } from './a'; f(<A />)", "tsx") == ["runtime"]


def test_javascript_keeps_imports_that_nothing_uses() -> None:
    assert _kinds("import { A } from './a'", "javascript") == ["runtime"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("use crate::a::A;", "runtime"),
        ("mod a;", "containment"),
        ("pub(crate) mod r#type;", "containment"),
        ("#[cfg(test)]\nmod tests;", "test"),
        ("#[cfg(all(test, unix))]\nuse crate::a::A;", "test"),
        ('#[cfg(any(test, feature = "x"))]\nuse crate::a::A;', "runtime"),
        ("#[cfg(not(test))]\nuse crate::a::A;", "runtime"),
        ('#[cfg(feature = "test")]\nuse crate::a::A;', "runtime"),
        ("#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}", "test"),
        ("#[tokio::test]\nasync fn f() {\n    use crate::a::A;\n}", "test"),
        ("fn f() {\n    use crate::a::A;\n}", "runtime"),
    ],
)
def test_an_import_of_rust_is(text: str, kind: str) -> None:
    assert _kinds(text, "rust") == [kind]


@pytest.mark.parametrize(
    ("text", "language", "kind"),
    [
        ("require_relative 'a'", "ruby", "runtime"),
        ("def f\n  require_relative 'a'\nend", "ruby", "lazy"),
        ("autoload :A, 'a'", "ruby", "lazy"),
        ("<?php require 'a.php';", "php", "runtime"),
        ("<?php function f() { require 'a.php'; }", "php", "lazy"),
        ("f() {\n  source a.sh\n}", "bash", "lazy"),
        ('int f(void) {\n#include "a.h"\n}', "c", "runtime"),
    ],
)
def test_an_import_in_a_function_is_lazy_where_functions_import(
    text: str, language: str, kind: str
) -> None:
    assert _kinds(text, language) == [kind]


@pytest.mark.parametrize(
    ("text", "uses"),
    [
        ('import "x.org/shop/cart"\nvar a = cart.Total(cart.Limit)', ("Limit", "Total")),
        ('import "x.org/shop/cart"\nfunc f(c *cart.Cart) { c.Name() }', ("Cart",)),
        ('import basket "x.org/shop/cart"\nvar a = basket.Total()', ("Total",)),
        ('import "x.org/shop/cart/v2"\nvar a = cart.Total()', ("Total",)),
        ('import "gopkg.in/yaml.v3"\nvar a = yaml.Marshal', ("Marshal",)),
        ('import "x.org/go-isatty"\nvar a = isatty.IsTerminal', ("IsTerminal",)),
        ('import _ "x.org/shop/cart"\nvar a = other.Total()', ()),
    ],
)
def test_an_import_of_go_has_the_names_that_are_used(text: str, uses: tuple[str, ...]) -> None:
    [imported] = extract(f"package main\n{text}\n".encode(), "go").links.imports
    assert imported.uses == uses


def test_constants_and_variables_of_a_go_package_are_declared() -> None:
    text = """package a
const A = 1
const (
	B, C = 1, 2
)
var D int
var (
	E, f = 1, 2
	_ = 3
)
func g() { const H = 1; var i int }
"""
    facts = extract(text.encode(), "go")
    assert facts.links.exports == ("A", "B", "C", "D", "E", "f")
