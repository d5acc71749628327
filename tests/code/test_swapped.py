"""Arguments that are passed in each other's place, as far as names and types say it."""

import pytest

from benchpin.code.signatures import swapped_at
from navigation_kit import indexed

GO = "package m\n\nfunc join(root, path string) string { return root }\n\n"
PYTHON = "def join(root: str, path: str): ...\ndef count(size: int, name: str): ...\n"
SWAPPED = {
    "go names": ("a.go", GO + "func f(root, path string) { join(path, root) }\n"),
    "go name and expression": ("a.go", GO + "func f(root, u string) { join(g(u, 1), root) }\n"),
    "python names": ("a.py", PYTHON + "def f(root, path):\n    join(path, root)\n"),
    "python types": ("a.py", PYTHON + "def f(a: int, b: str):\n    count(b, a)\n"),
}
FINE = {
    "go names": ("a.go", GO + "func f(root, path string) { join(root, path) }\n"),
    "go expression": ("a.go", GO + "func f(root, u string) { join(root, g(u)) }\n"),
    "go other names": ("a.go", GO + "func f(a, b string) { join(b, a) }\n"),
    "go half": ("a.go", GO + "func f(root, b string) { join(b, root) }\n"),
    "python one name twice": ("a.py", PYTHON + "def f(root):\n    join(root, root)\n"),
}


def problems(path: str, text: str) -> list[str]:
    index = indexed({path: text, "go.mod": "module m\n"})
    module = index.symbols.modules[path]
    assert module.code is not None
    stream = module.code.stream
    calls = [at for name in ("join", "count") for at in stream.positions(name)[1:]]
    found = (swapped_at(index, module, at) for at in calls)
    return [it.problem for it in found if it is not None]


@pytest.mark.parametrize("case", SWAPPED)
def test_swapped_arguments_are_noticed(case: str) -> None:
    [problem] = problems(*SWAPPED[case])
    assert "may be swapped" in problem


@pytest.mark.parametrize("case", FINE)
def test_other_arguments_are_not(case: str) -> None:
    assert problems(*FINE[case]) == []


def test_an_expression_is_shown_as_people_write_it() -> None:
    [problem] = problems(*SWAPPED["go name and expression"])
    assert problem == "passes g(u, 1), root for root, path; the two may be swapped"
