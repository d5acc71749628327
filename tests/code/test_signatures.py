import pytest

from benchpin.code import one_symbol
from benchpin.code.signatures import find_misfits
from benchpin.core.calls import Job
from navigation_kit import indexed


def problems(files: dict[str, str], symbol: str) -> list[str]:
    index = indexed(files)
    found, _ = one_symbol(index, symbol, Job())
    return [it.problem for it in find_misfits(index, found, Job())]


@pytest.mark.parametrize(
    ("signature", "call", "problem"),
    [
        ("a, b", "f(1)", "passes 1 argument, fewer than the 2 required"),
        ("a", "f(1, 2)", "passes 2 arguments, more than the 1 accepted"),
        ("a", "f(b=1)", "passes b, and no parameter is called that"),
        ("a, *, b", "f(1, 2)", "passes 2 arguments, more than the 1 accepted"),
        ("a, b=1", "f(1)", ""),
        ("a: dict[str, int], b: int = 0", "f(1, b=2)", ""),
        ("*args", "f(1, 2, 3)", ""),
        ("a, **more", "f(1, b=2)", ""),
        ("a, b", "f(*x)", ""),
        ("a: Callable[..., int]", "f()", "passes 0 arguments, fewer than the 1 required"),
        ("a, b", "f((1, 2), [3, 4])", ""),
    ],
)
def test_a_call_in_python_fits_or_the_problem_is_said(
    signature: str, call: str, problem: str
) -> None:
    found = problems({"a.py": f"def f({signature}): ...\n{call}\n"}, "f")
    assert found == ([problem] if problem else [])


def test_the_receiver_of_a_method_is_not_passed() -> None:
    code = "class A:\n    def f(self, a): ...\nA().f(1)\nA().f()\nA.f(A(), 1)\n"
    assert problems({"a.py": code}, "A.f") == ["passes 0 arguments, fewer than the 1 required"]


def test_a_constructor_is_called_by_the_name_of_its_type() -> None:
    code = "class A:\n    def __init__(self, a): ...\nA(1)\nA()\n"
    assert problems({"a.py": code}, "A.__init__") == [
        "passes 0 arguments, fewer than the 1 required"
    ]


def test_optional_parameters_of_typescript_may_be_left_out() -> None:
    code = "function f(a: Map<string, number>, b?: string, c = 1) {}\nf(x);\nf();\n"
    assert problems({"a.ts": code}, "f") == ["passes 0 arguments, fewer than the 1 required"]


def test_a_parameter_called_self_outside_of_types_is_passed() -> None:
    assert problems({"a.py": "def f(self, a): ...\nf(1, 2)\nf(1)\n"}, "f") == [
        "passes 1 argument, fewer than the 2 required"
    ]


@pytest.mark.parametrize(
    "argument",
    [
        "new Map<string, number>()",
        "x as Atom<number, [number], void>",
        "new Map<string, (a: number, b: number) => void>()",
        "a < b",
    ],
)
def test_type_arguments_are_no_arguments(argument: str) -> None:
    code = f"function f(a: unknown, b: unknown) {{}}\nf({argument}, 1);\nf(1);\n"
    assert problems({"a.ts": code}, "f") == ["passes 1 argument, fewer than the 2 required"]


def test_parentheses_in_type_parameters_are_no_parameters() -> None:
    head = (
        "function f<A extends {\n  util: { reset(): any },\n  make: () => A,\n}, R = Map<any, any>>"
    )
    code = f"{head}(api: A, more?: R) {{}}\nf(x, y);\nf();\n"
    assert problems({"a.ts": code}, "f") == ["passes 0 arguments, fewer than the 1 required"]


def test_the_end_of_another_name_is_not_where_parameters_begin() -> None:
    code = "fn n<F: Fn(u8) -> u8>(f: F, b: u8) {}\nfn g() { n(x, 1); n(x); }\n"
    assert problems({"src/lib.rs": code}, "n") == ["passes 1 argument, fewer than the 2 required"]
