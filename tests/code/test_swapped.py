"""Arguments that are passed in each other's place, as far as names and types say it."""

import pytest

from benchpin.code.signatures import moved_at, swapped_at
from navigation_kit import indexed

GO = "package m\n\nfunc join(root, path string) string { return root }\n\n"
PYTHON = "def join(root: str, path: str): ...\ndef count(size: int, name: str): ...\n"
SWAPPED = {
    "go names": ("a.go", GO + "func f(root, path string) { join(path, root) }\n"),
    "go name and expression": ("a.go", GO + "func f(root, u string) { join(g(u, 1), root) }\n"),
    "python names": ("a.py", PYTHON + "def f(root, path):\n    join(path, root)\n"),
    "python of an object": (
        "a.py",
        PYTHON + "class A:\n    def f(self):\n        join(self.path, self.root)\n",
    ),
    "go getters": ("a.go", GO + "func f(t T) { join(t.GetPath(), t.GetRoot()) }\n"),
    "python parts": ("a.py", PYTHON + "def f(base_root, path):\n    join(path, base_root)\n"),
    "python constant": ("a.py", PYTHON + "def f(path):\n    join(path, BASE_ROOT)\n"),
    "rust parts": (
        "a.rs",
        (
            "fn join(sock_dir: &Path, session_cache_dir: &Path) {}\n"
            "fn f(cache_dir: &Path, sock_dir: &Path) { join(cache_dir, sock_dir) }\n"
        ),
    ),
    "typescript": (
        "a.ts",
        (
            "function join(root: string, path: string) {}\n"
            "class A { f() { join(this.path, this.root) } }\n"
        ),
    ),
    "java overloads": (
        "A.java",
        (
            "class A {\n    String root, path;\n    static void join(Class<?> c, Method path) {}\n"
            "    static void join(String root, String path) {}\n"
            "    void f() { join(this.path, this.root); }\n}\n"
        ),
    ),
    "python types": ("a.py", PYTHON + "def f(a: int, b: str):\n    count(b, a)\n"),
}
FINE = {
    "go names": ("a.go", GO + "func f(root, path string) { join(root, path) }\n"),
    "go expression": ("a.go", GO + "func f(root, u string) { join(root, g(u)) }\n"),
    "go other names": ("a.go", GO + "func f(a, b string) { join(b, a) }\n"),
    "go half": ("a.go", GO + "func f(root, b string) { join(b, root) }\n"),
    "python parts": (
        "a.py",
        PYTHON + "def f(root_path, path_root):\n    join(path_root, root_path)\n",
    ),
    "java overloads": (
        "A.java",
        (
            "class A {\n    String root, path;\n    static void join(String path, String root) {}\n"
            "    static void join(String root, Path path) {}\n"
            "    void f() { join(this.path, this.root); }\n}\n"
        ),
    ),
    "python one name twice": ("a.py", PYTHON + "def f(root):\n    join(root, root)\n"),
}


def problems(path: str, text: str) -> list[str]:
    index = indexed({path: text, "go.mod": "module m\n"})
    module = index.symbols.modules[path]
    assert module.code is not None
    stream = module.code.stream
    defined = module.code.defining("join") | module.code.defining("count")
    calls = [at for name in ("join", "count") for at in stream.positions(name)]
    calls = [at for at in calls if at not in defined]
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


CALLS = {
    "a.py": "from fnmatch import match\n\n\ndef f(name, rule):\n    return match(name, rule)\n",
    "a.go": 'package m\n\nimport "x/y"\n\nfunc f(name, rule string) { y.match(name, rule) }\n',
    "a.ts": "import { match } from 'y'\nfunction f(name, rule) { return match(name, rule) }\n",
    "A.java": "class A {\n    void f(T t) { t.match(name, rule); }\n}\n",
    "a.rs": "fn f(name: T, rule: U) { x::match(name, rule) }\n".replace("match", "matches"),
}


@pytest.mark.parametrize("path", CALLS)
@pytest.mark.parametrize(
    ("now", "said"),
    [
        ("(rule, name)", "rule as argument 1, which was argument 2"),
        ("(rule, other)", "rule as argument 1, which was argument 2"),
        ("(other, rule)", ""),
        ("(name, other)", ""),
        ("(name, rule, other)", ""),
    ],
)
def test_an_argument_that_was_at_another_place(path: str, now: str, said: str) -> None:
    before = indexed({path: CALLS[path]}).symbols.modules[path].code
    after = indexed({path: CALLS[path].replace("(name, rule)", now)}).symbols.modules[path].code
    assert before is not None
    assert after is not None
    name = "matches" if path == "a.rs" else "match"
    found = moved_at(after, after.stream.positions(name)[-1], before)
    assert found == (f"passes {said} before" if said else "")
