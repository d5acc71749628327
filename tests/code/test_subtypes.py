"""Which types implement or inherit from a type, and which methods override one."""

from collections.abc import Mapping
from types import MappingProxyType

import pytest

from benchpin.code import one_symbol
from benchpin.code.subtypes import Implementation, implementations_of
from benchpin.core.calls import Job
from navigation_kit import indexed


def related(
    code: str,
    symbol: str,
    member: str = "",
    *,
    file: str = "a.go",
    more: Mapping[str, str] = MappingProxyType({}),
) -> tuple[list[str], list[str]]:
    """Return what is below and above a symbol, each as a name and how it is known."""
    index = indexed({file: code, **more})
    found = implementations_of(index.types, one_symbol(index, symbol, Job())[0], member)
    return [*map(_said, found.below)], [*map(_said, found.above)]


def _said(found: Implementation) -> str:
    name = found.id.rpartition("::")[2] if found.file in found.id else found.id
    pointer = " pointer" if found.is_by_reference else ""
    possible = "" if found.certainty == "certain" else " possible"
    return f"{name} {found.how}{pointer}{possible}"


GO = """
package p
import "io"
type Shape interface { Area(x int, names ...string) (float64, error); Closer }
type Closer interface { Close() error }
type Value struct{ base }
func (v Value) Area(n int, _ ...string) (area float64, err error) { return 1, nil }
type base struct{}
func (base) Close() error { return nil }
type Pointer struct{ *base }
func (p *Pointer) Area(int, ...string) (float64, error) { return 1, nil }
type Func func()
func (f Func) Area(x int, names ...string) (float64, error) { return 1, nil }
type OtherResult struct{ base }
func (OtherResult) Area(x int, names ...string) (float32, error) { return 1, nil }
type OtherArgument struct{ base }
func (OtherArgument) Area(x int, names []string) (float64, error) { return 1, nil }
type Big interface { Shape; More() }
type Empty interface{}
type Reading struct{ io.ReadCloser }
"""


def test_types_of_go_implement_what_they_have_all_methods_of() -> None:
    below, above = related(GO, "Shape")
    assert below == ["Value members", "Pointer members pointer", "Big members"]
    assert above == ["Closer declared"]
    assert related(GO, "Empty")[0] == []


def test_methods_of_embedded_types_count_also_those_of_the_library() -> None:
    below, _ = related(GO, "Closer")
    assert {"Value members", "Pointer members", "base members", "Reading members"} <= set(below)
    assert related(GO, "Value")[1] == ["base declared", "Shape members", "Closer members"]
    assert related(GO, "base.Close")[1] == ["Closer.Close members"]


def test_types_of_go_are_compared_across_packages_and_names_of_imports() -> None:
    more = {
        "go.mod": "module m\n",
        "fs/fs.go": "package fs\ntype File struct{}\ntype Handle = File\n",
        "b/b.go": 'package b\nimport other "m/fs"\ntype T struct{}\n'
        "func (T) Open(f *other.File) []byte { return nil }\n"
        "type U struct{}\nfunc (U) Open(f *File) []byte { return nil }\ntype File struct{}\n",
    }
    code = 'package a\nimport "m/fs"\ntype I interface { Open(*fs.Handle) []uint8 }\n'
    assert related(code, "I", file="a/a.go", more=more)[0] == ["T members"]


DECLARED = {
    "a.cs": "interface IShape { double Area(); }\n"
    "abstract class B : IShape { public abstract double Area(); }\n"
    "class C : B { public override double Area() => 1; }\n",
    "a.kt": "interface IShape {\n  fun Area(): Double\n}\n"
    "abstract class B : IShape {\n  abstract override fun Area(): Double\n}\n"
    "class C : B() {\n  override fun Area() = 1.0\n}\n",
    "a.cpp": "class IShape { public: virtual double Area() = 0; };\n"
    "class B : public IShape { double Area() override = 0; };\n"
    "class C : public B { double Area() override; };\ndouble C::Area() { return 1; }\n",
    "a.php": "<?php\ninterface IShape { public function Area(): float; }\n"
    "abstract class B implements IShape { abstract function Area(): float; }\n"
    "class C extends B { function Area(): float { return 1; } }\n",
    "a.swift": "protocol IShape { func Area() -> Double }\n"
    "class B: IShape { func Area() -> Double { 2 } }\n"
    "class C: B { override func Area() -> Double { 1 } }\n",
    "A.java": "interface IShape { double Area(); }\n"
    "abstract class B implements IShape { public abstract double Area(); }\n"
    "class C extends B { public double Area() { return 1; } }\n",
    "a.ts": "interface IShape { Area(): number }\n"
    "abstract class B implements IShape { abstract Area(): number }\n"
    "class C extends B { Area() { return 1 } }\n",
    "a.py": "from abc import ABC, abstractmethod\nclass IShape(ABC):\n    @abstractmethod\n"
    "    def Area(self): ...\nclass B(IShape):\n    def Area(self): return 2\n"
    "class C(B):\n    def Area(self): return 1\n",
}


@pytest.mark.parametrize("file", DECLARED)
def test_heirs_and_overriding_methods_are_found_in_both_directions(file: str) -> None:
    code = DECLARED[file]
    assert related(code, "IShape", file=file)[0] == ["B declared", "C inherited"]
    assert related(code, "C", file=file)[1] == ["B declared", "IShape inherited"]
    # Where variables are not read, a method without a body is no symbol.
    asked = ("IShape.Area", "") if file in {"A.java", "a.ts", "a.py"} else ("IShape", "Area")
    below, _ = related(code, *asked, file=file)
    assert below == ["B.Area declared", "C.Area inherited"]
    assert related(code, "C.Area", file=file)[1] == ["B.Area declared", "IShape.Area inherited"]


def test_extensions_of_swift_implement_for_a_type() -> None:
    code = "protocol P {\n func f()\n}\nstruct S {}\nextension S: P {\n func f() {}\n}\n"
    assert related(code, "P", file="a.swift")[0] == ["S declared"]


def test_impl_blocks_of_rust_are_found_wherever_they_are() -> None:
    lib = (
        "mod far;\npub trait Shape { fn area(&self) -> f64; }\npub struct Disc;\n"
        "impl Shape for Disc { fn area(&self) -> f64 { 1.0 } }\n"
        "impl<T: Clone> Shape for Vec<T> { fn area(&self) -> f64 { 1.0 } }\n"
        "impl<T> Shape for T where T: Copy { fn area(&self) -> f64 { 1.0 } }\n"
    )
    far = "pub struct Far;\nimpl crate::Shape for Far { fn area(&self) -> f64 { 2.0 } }\n"
    more = {"Cargo.toml": '[package]\nname = "m"\n', "src/far.rs": far}
    below, _ = related(lib, "Shape", file="src/lib.rs", more=more)
    assert below == ["Far declared", "Disc declared", "Vec<T> declared", "T declared possible"]
    assert related(lib, "Far", file="src/lib.rs", more=more)[1] == ["Shape declared"]
    below, _ = related(lib, "Shape.area", file="src/lib.rs", more=more)
    assert "Far.area declared" in below


def test_classes_of_typescript_with_the_members_may_implement_an_interface() -> None:
    code = """
interface Shape { area(x: number): number; name?: string }
class Fewer { area() { return 1 } }
class More { area(x: number, y: number) { return 1 } }
class Text { area(x: number): string { return '' } }
class Heir extends Fewer {}
class Arrow { area = (x: number) => 1 }
"""
    below, _ = related(code, "Shape", file="a.ts")
    assert below == ["Fewer members possible", "Heir members possible", "Arrow members possible"]


def test_classes_of_python_with_the_members_may_implement_a_protocol() -> None:
    code = """
from abc import ABC
from typing import Protocol
class Named(Protocol):
    name: str
    def rename(self, to: str) -> None: ...
class Person:
    def __init__(self): self.name = ""
    def rename(self, to, *, quick=False): ...
class Nameless:
    def rename(self, to): ...
class Keys(ABC): ...
class Made: ...
Keys.register(Made)
"""
    assert related(code, "Named", file="a.py")[0] == ["Person members possible"]
    assert related(code, "Person.rename", file="a.py")[1] == ["Named.rename members possible"]
    assert related(code, "Keys", file="a.py")[0] == ["Made declared"]


def test_classes_without_a_name_implement_too() -> None:
    code = (
        "interface Shape { double area(); }\nclass C { Shape made() { return new Shape() {\n"
        "  public double area() { return 1; } }; } }\n"
    )
    assert related(code, "Shape", file="A.java")[0] == ["C.made.(anonymous) declared"]
    assert related(code, "Shape.area", file="A.java")[0] == ["C.made.(anonymous).area declared"]


def test_bases_beside_a_class_and_in_a_package_are_found() -> None:
    code = (
        "from kit import parts\nclass Outer:\n    class Base: ...\n    class Heir(Base): ...\n"
        "class Far(parts.wheels.Wheel): ...\n"
    )
    more = {
        "kit/__init__.py": "",
        "kit/parts/__init__.py": "",
        "kit/parts/wheels.py": "class Wheel: ...\n",
    }
    assert related(code, "Outer.Base", file="a.py", more=more)[0] == ["Outer.Heir declared"]
    assert related(code, "Wheel", file="a.py", more=more)[0] == ["Far declared"]


def test_a_protocol_of_special_methods_alone_is_implemented_by_who_names_it() -> None:
    code = (
        "from typing import Protocol\nclass Called(Protocol):\n    def __call__(self): ...\n"
        "class Some:\n    def __call__(self): ...\nclass Named(Called):\n    ...\n"
    )
    assert related(code, "Called", file="a.py")[0] == ["Named declared"]


def test_an_interface_of_one_field_has_only_types_that_name_it() -> None:
    code = """
interface Kinded { kind: string }
interface Runs { run(): void }
class Cat { kind = 'cat'; run() {} }
class Dog implements Kinded { kind = 'dog' }
"""
    assert related(code, "Kinded", file="a.ts")[0] == ["Dog declared"]
    assert related(code, "Runs", file="a.ts")[0] == ["Cat members possible"]


def test_what_inherits_from_a_type_that_is_certain_after_all_is_certain() -> None:
    code = """
interface Codec { encode(): void; decode(): void }
class Software implements Codec { encode() {} decode() {} }
abstract class Base implements Codec { encode() {} decode() {} }
class Hardware extends Base { encode() {} }
class Nested extends Hardware { decode() {} }
"""
    below = related(code, "Codec", file="a.ts")[0]
    assert not [it for it in below if "possible" in it]


_GO_PACKAGE = "package base\ntype Thing struct{}\n"


@pytest.mark.parametrize(
    ("file", "code", "more"),
    [
        (
            "p/a.go",
            'package p\nimport "m/p/base"\ntype Own struct{ *base.Thing }\n',
            {"go.mod": "module m\n", "p/base/base.go": _GO_PACKAGE},
        ),
        (
            "p/a.py",
            "from . import base\nclass Own(base.Thing): pass\n",
            {"p/base.py": "class Thing: pass\n"},
        ),
        (
            "a.ts",
            'import * as parent from "./parent";\nclass Own extends parent.Thing {}\n',
            {"parent.ts": "export class Thing {}\n"},
        ),
    ],
)
def test_a_module_may_be_called_as_what_other_languages_call_the_base(
    file: str, code: str, more: Mapping[str, str]
) -> None:
    assert related(code, "Thing", file=file, more=more)[0] == ["Own declared"]
