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
