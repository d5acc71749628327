from benchpin.core import Job
from benchpin.engines.navigation.calls import Direction, find_path, trace
from benchpin.engines.navigation.search import one_symbol
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


def traced(symbol: str, direction: Direction, depth: int = 1) -> list[str]:
    index = indexed(CODE)
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
