from collections.abc import Mapping

from benchpin.code import one_symbol
from benchpin.code.references import Direction, find_path, trace
from benchpin.core.calls import Job
from navigation_kit import indexed

CODE = {
    "a.py": """
class Base:
    def run(self): ...
class Child(Base):
    def __init__(self): helper()
    def run(self): helper()
def helper(): ...
def deco(f): return f
@deco
def make() -> Base:
    return Child()
def main():
    make().run()
def unknown(it):
    it.run()
make()
"""
}


def traced(
    symbol: str, direction: Direction, depth: int = 1, files: Mapping[str, str] = CODE
) -> list[str]:
    index = indexed(files)
    found, _ = one_symbol(index, symbol, Job())
    calls = trace(index, found, direction, depth, Job()).calls
    short = [(it.caller.rpartition("::")[2], it.callee.rpartition("::")[2]) for it in calls]
    return [
        f"{it.depth} {it.certainty} {caller} -> {callee}"
        for it, (caller, callee) in zip(calls, short, strict=True)
    ]


def test_callers_are_functions_or_the_file_itself() -> None:
    assert traced("make", "callers") == ["1 certain main -> make", "1 certain a.py -> make"]


def test_callers_are_followed_to_a_depth() -> None:
    assert traced("helper", "callers", 2) == [
        "1 certain Child.__init__ -> helper",
        "1 certain Child.run -> helper",
        "2 certain make -> Child.__init__",
        "2 possible main -> Child.run",
        "2 possible unknown -> Child.run",
    ]


def test_a_call_in_a_closure_is_one_of_the_function_around_it() -> None:
    files = {
        "a.py": "def low(): ...\ndef mid():\n    def inner():\n        low()\n    inner()\n"
        "def top(): mid()\n",
        "b.ts": "export function low() {}\nclass A {\n  mid() { const f = () => low(); f() }\n}\n",
    }
    found = traced("a.py::low", "callers", 2, files)
    assert found == ["1 certain mid -> low", "2 certain top -> mid"]
    assert traced("b.ts::low", "callers", 1, files) == ["1 certain A.mid -> low"]


def test_callees_follow_constructors_and_decorators() -> None:
    assert traced("make", "callees") == [
        "1 certain make -> deco",
        "1 certain make -> Child.__init__",
    ]


def test_a_call_of_a_method_may_run_what_overrides_it() -> None:
    assert traced("unknown", "callees") == [
        "1 possible unknown -> Base.run",
        "1 possible unknown -> Child.run",
    ]


def test_a_path_is_a_chain_of_calls() -> None:
    index = indexed(CODE)
    start, goal = (one_symbol(index, it, Job())[0] for it in ("main", "helper"))
    path = find_path(index, start, goal, Job()).calls
    assert [it.callee.rpartition("::")[2] for it in path] == ["make", "Child.__init__", "helper"]


def test_no_path_is_no_calls() -> None:
    index = indexed(CODE)
    start, goal = (one_symbol(index, it, Job())[0] for it in ("helper", "main"))
    assert find_path(index, start, goal, Job()).calls == []


JAVA = {
    "src/p/Shape.java": "package p;\ninterface Shape { double area(); }\n",
    "src/p/Disc.java": "package p;\nclass Disc implements Shape {\n"
    "  Disc() { check(); }\n  public double area() { return 1; }\n  void check() {}\n}\n",
    "src/p/Main.java": "package p;\nclass Main {\n  double sum(Shape s) { return s.area(); }\n"
    "  double go() { return sum(new Disc()); }\n}\n",
}
RUST = {
    "Cargo.toml": '[package]\nname = "m"\n',
    "src/lib.rs": "trait Shape { fn area(&self) -> f64; }\nstruct Disc;\nenum E { One(u32) }\n"
    "impl Disc { fn new() -> Self { check(); Disc } }\n"
    "impl Shape for Disc { fn area(&self) -> f64 { 1.0 } }\nfn check() { E::One(1); }\n"
    "fn sum(s: &dyn Shape) -> f64 { s.area() }\nfn go() -> f64 { sum(&Disc::new()) }\n",
}


def test_calls_of_java_go_through_constructors_and_interfaces() -> None:
    assert traced("Main.go", "callees", 3, JAVA) == [
        "1 certain Main.go -> Disc.Disc",
        "1 certain Main.go -> Main.sum",
        "2 certain Disc.Disc -> Disc.check",
        "2 certain Main.sum -> Shape.area",
        "2 possible Main.sum -> Disc.area",
    ]
    assert traced("Disc.area", "callers", 1, JAVA) == ["1 possible Main.sum -> Disc.area"]
    assert traced("Disc.check", "callers", 2, JAVA) == [
        "1 certain Disc.Disc -> Disc.check",
        "2 certain Main.go -> Disc.Disc",
    ]


def test_calls_of_rust_go_through_functions_of_types_and_traits() -> None:
    assert traced("go", "callees", 2, RUST) == [
        "1 certain go -> Disc.new",
        "1 certain go -> sum",
        "2 certain Disc.new -> check",
        "2 certain sum -> Shape.area",
        "2 possible sum -> Disc.area",
    ]
    assert traced("check", "callers", 2, RUST) == [
        "1 certain Disc.new -> check",
        "2 certain go -> Disc.new",
    ]


HANDED_ON = {
    "a.py": """
from functools import partial
def run(task): task()
def work(): ...
def later(): run(work)
def fixed(): run(partial(work, 1))
TABLE = {"work": work}
def first(): later()
def second(): first()
"""
}


def test_a_function_that_is_handed_on_is_possibly_called_and_so_is_what_leads_there() -> None:
    assert traced("work", "callers", 3, HANDED_ON) == [
        "1 possible later -> work",
        "1 possible fixed -> work",
        "1 possible a.py -> work",
        "2 possible first -> later",
        "3 possible second -> first",
    ]
    assert traced("second", "callees", 3, HANDED_ON) == [
        "1 certain second -> first",
        "2 certain first -> later",
        "3 certain later -> run",
        "3 possible later -> work",
    ]


def test_what_certain_calls_reach_is_not_called_possible() -> None:
    code = {
        "a.py": "def end(): ...\ndef middle(): end()\ndef far(): middle()\n"
        "def near():\n    keep(far)\n    middle()\ndef keep(it): ...\n"
    }
    assert traced("near", "callees", 3, code) == [
        "1 certain near -> keep",
        "1 certain near -> middle",
        "1 possible near -> far",
        "2 certain middle -> end",
        "2 possible far -> middle",
    ]


def test_properties_are_run_where_they_are_read() -> None:
    code = {
        "a.py": "class A:\n    @property\n    def size(self): return 1\n"
        "def show(a: A): return a.size\n"
    }
    assert traced("A.size", "callers", 1, code) == ["1 certain show -> A.size"]


CLASS_METHODS = {
    "a.py": """
class Base:
    @classmethod
    def mutate(cls):
        cls.perform()
    @classmethod
    def perform(cls): ...
class Heir(Base):
    @classmethod
    def perform(cls): ...
def exact():
    Base.perform()
"""
}


def test_a_call_on_cls_may_run_the_method_of_a_heir_and_one_on_a_named_class_not() -> None:
    assert traced("Heir.perform", "callers", 1, CLASS_METHODS) == [
        "1 possible Base.mutate -> Heir.perform"
    ]
    assert traced("Base.mutate", "callees", 1, CLASS_METHODS) == [
        "1 certain Base.mutate -> Base.perform",
        "1 possible Base.mutate -> Heir.perform",
    ]


GO_CALLS = {
    "go.mod": "module m\n",
    "a.go": """
package m
import "os"
type Doer interface { Do(path string) error }
type one struct{}
func (one) Do(path string) error { return nil }
type other struct{}
func (other) Do(path string) {}
func wrapped(f func(string) error) { f("") }
func value(d one) { wrapped(d.Do) }
func through(d Doer) { d.Do("") }
func table(all map[string]*one, list chan one, d one) {
	for _, each := range all { each.Do("") }
	for each := range list { each.Do("") }
	all["a"].Do("")
	os.Do("")
	file, _ := os.Open("")
	file.Do("")
}
""",
}


def test_calls_of_go_go_through_values_interfaces_and_containers() -> None:
    assert traced("one.Do", "callers", 1, GO_CALLS) == [
        "1 certain table -> one.Do",
        "1 possible value -> one.Do",
        "1 possible through -> one.Do",
    ]
    assert traced("other.Do", "callers", 1, GO_CALLS) == []


OVERLOADS = {
    "Select.java": """
class Select {
    static String parse(String name) { return name; }
    static String method(String name) { return method(null, name); }
    static String method(ClassLoader loader, String name) { return parse(name); }
    static String method(ClassLoader loader, String type, String name) { return type; }
    static String method(String first, Object second) { return first; }
}
class Use {
    void one() { Select.method("a"); }
    void two() { Select.method(null, "a"); }
    void three() { Select.method(null, "A", "a"); }
}
"""
}


def test_only_calls_with_the_arguments_of_the_overload_are_followed() -> None:
    """Those with as many arguments stay; the overload that calls it is a level of its own."""
    assert traced("Select.parse", "callers", 2, OVERLOADS) == [
        "1 certain Select.method -> Select.parse",
        "2 certain Select.method -> Select.method",
        "2 certain Use.two -> Select.method",
    ]
    assert traced("Select.parse", "callers", 3, OVERLOADS)[3:] == [
        "3 certain Use.one -> Select.method",
    ]


def test_who_calls_any_overload_is_listed_when_all_are_asked_for() -> None:
    callers = ["1 certain Use.one", "1 certain Use.two", "1 certain Use.three"]
    found = [it.partition(" -> ")[0] for it in traced("Select.method", "callers", 1, OVERLOADS)]
    assert found == callers
