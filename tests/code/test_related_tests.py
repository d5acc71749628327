from collections.abc import Mapping

import pytest

from benchpin.code import one_symbol, scope_of
from benchpin.code.references import command_for, find_related_tests
from benchpin.core.calls import Job
from navigation_kit import indexed

CODE = "def base(): ...\ndef middle(): return base()\ndef other(): ...\n"


def related(tests: Mapping[str, str], symbol: str = "base") -> list[str]:
    index = indexed({"lib.py": CODE, **tests})
    found, _ = one_symbol(index, symbol, Job())
    return [
        f"{it.id.rpartition('/')[2]} {it.reason} {it.distance}"
        for it in find_related_tests(index, [found], [], Job())
    ]


def test_tests_that_call_it_come_first_the_nearest_before_the_others() -> None:
    tests = "from lib import base, middle, other\n"
    tests += "def test_far(): middle()\ndef test_near(): base()\ndef test_not(): other()\n"
    assert related({"tests/test_lib.py": tests}) == [
        "test_lib.py::test_near calls it 1",
        "test_lib.py::test_far reaches it 2",
    ]


@pytest.mark.parametrize(
    "tests",
    [
        {
            "tests/conftest.py": "from pytest import fixture\nimport lib\n"
            "@fixture\ndef made(): lib.base()\n",
            "tests/test_a.py": "def test_a(made): ...\ndef test_b(unmade): ...\n",
        },
        {
            "tests/test_a.py": "import lib\nclass TestA:\n    def setUp(self): lib.base()\n"
            "    def test_a(self): ...\ndef test_b(): ...\n"
        },
        {
            "tests/test_a.py": "import lib\ndef help_me(): lib.base()\n"
            "def test_a(): help_me()\ndef test_b(): ...\n"
        },
    ],
)
def test_fixtures_set_up_and_helpers_stand_for_the_tests_that_they_serve(
    tests: Mapping[str, str],
) -> None:
    assert [it.rpartition("test_a")[1:] for it in related(tests) if "test_b" in it] == []
    ways = "test_a calls it", "test_a reaches it"
    assert any("test_a.py" in it and any(way in it for way in ways) for it in related(tests))


def test_a_file_of_tests_that_is_named_after_the_file_is_related() -> None:
    assert related({"tests/test_lib.py": "def test_it(): ...\n"}) == [
        "test_lib.py is named after its file 9"
    ]


def test_a_method_of_unknown_receiver_may_be_called() -> None:
    tests = "def test_it(x): x.go()\n"
    index = indexed({"lib.py": "class A:\n    def go(self): ...\n", "tests/test_x.py": tests})
    found, _ = one_symbol(index, "A.go", Job())
    [only] = find_related_tests(index, [found], [], Job())
    assert (only.reason, only.certainty) == ("may call it", "possible")


def test_the_command_runs_exactly_the_tests() -> None:
    tests = "from lib import base\nclass TestA:\n    def test_a(self): base()\n"
    index = indexed({"lib.py": CODE, "tests/test_lib.py": tests})
    found, _ = one_symbol(index, "base", Job())
    listed = find_related_tests(index, [found], [], Job())
    assert command_for(index, listed) == "pytest tests/test_lib.py::TestA::test_a"


def test_tests_of_go_are_run_by_name_and_package() -> None:
    files = {
        "go.mod": "module m\n",
        "a/a.go": "package a\n\nfunc Base() {}\n",
        "a/a_test.go": 'package a\n\nimport "testing"\n\nfunc TestBase(t *testing.T) { Base() }\n',
    }
    index = indexed(files)
    found, _ = one_symbol(index, "Base", Job())
    listed = find_related_tests(index, [found], [], Job())
    assert command_for(index, listed) == "go test -run '^(TestBase)$' ./a"


LIBRARY = """\
class Base:
    def run(self): return self._step()
    def _step(self): ...
class Left(Base):
    def _step(self): ...
class Right(Base):
    def _step(self): ...
    def __len__(self): ...
def helper(): ...
TABLE = {"a": helper}
def look(name): return TABLE[name]()
def decorate(f):
    def inner(): return f()
    return inner
def other(): ...
"""


def names(tests: str, symbol: str) -> list[str]:
    index = indexed({"lib.py": LIBRARY, "tests/test_lib.py": f"import lib, pytest\n{tests}"})
    found, _ = one_symbol(index, symbol, Job())
    listed = find_related_tests(index, [found], [], Job())
    return [it.id.removeprefix("tests/test_lib.py").removeprefix("::") for it in listed]


@pytest.mark.parametrize(
    ("symbol", "tests"),
    [
        ("Left._step", "def test_a(): lib.Left().run()\ndef test_b(): lib.Right()\n"),
        ("Right.__len__", "def test_a(): assert lib.Right()\ndef test_b(): lib.Left()\n"),
        ("helper", "def test_a(): lib.look('a')\ndef test_b(): lib.other()\n"),
        ("decorate.inner", "def test_a(): lib.decorate(1)\ndef test_b(): lib.other()\n"),
        (
            "helper",
            (
                "@pytest.mark.parametrize('f', [lib.helper])\ndef test_a(f): f()\n"
                "def test_b(): lib.other()\n"
            ),
        ),
        ("helper", "CASES = [\n    lib.helper,\n]\ndef test_a(): CASES[0]()\ndef test_b(): ...\n"),
        (
            "helper",
            (
                "@pytest.fixture\ndef one(): lib.helper()\n@pytest.fixture\ndef two(one): ...\n"
                "def test_a(two): ...\ndef test_b(three): ...\n"
            ),
        ),
        (
            "helper",
            (
                "@pytest.fixture\ndef one(): lib.helper()\n"
                "@pytest.mark.usefixtures('one')\ndef test_a(): ...\ndef test_b(): ...\n"
            ),
        ),
        (
            "helper",
            (
                "def test_a():\n    with pytest.raises(ValueError):\n        lib.helper()\n"
                "def test_b(): ...\n"
            ),
        ),
    ],
)
def test_tests_that_reach_it_without_naming_it_are_related(symbol: str, tests: str) -> None:
    assert names(tests, symbol) == ["test_a"]


def test_a_test_that_a_class_inherits_is_listed_under_both_names() -> None:
    tests = "class TestBase:\n    def test_a(self): lib.helper()\nclass TestMore(TestBase): ...\n"
    assert names(tests, "helper") == ["TestBase.test_a", "TestMore.test_a"]


def test_set_up_of_a_base_class_runs_for_the_tests_of_all_its_classes() -> None:
    tests = (
        "class Base:\n    def setUp(self): lib.helper()\n"
        "class TestMore(Base):\n    def test_a(self): ...\n"
        "class TestOther:\n    def test_b(self): ...\n"
    )
    assert names(tests, "helper") == ["TestMore.test_a"]


def test_the_tests_of_a_class_that_is_only_inherited_from_are_not_listed_under_its_name() -> None:
    tests = (
        "import unittest\nclass Shared:\n    def test_a(self): lib.helper()\n"
        "class TestOne(Shared): ...\nclass Two(Shared, unittest.TestCase): ...\n"
        "class Three(Two): ...\n"
    )
    assert sorted(names(tests, "helper")) == ["TestOne.test_a", "Three.test_a", "Two.test_a"]


def test_tests_that_another_file_imports_run_there_too() -> None:
    shared = (
        "import lib\nclass TestA:\n    def test_a(self): lib.base()\ndef test_b(): lib.base()\n"
    )
    importing = "from tests.test_a import TestA, test_b\n"
    found = related({"tests/test_a.py": shared, "tests/test_more.py": importing})
    assert sorted(it.partition(" ")[0] for it in found) == [
        *("test_a.py::TestA.test_a", "test_a.py::test_b"),
        *("test_more.py::TestA.test_a", "test_more.py::test_b"),
    ]


INLINE = """\
pub fn base() -> u32 { 1 }
fn middle() -> u32 { base() }
#[cfg(test)]
mod tests {
    use super::*;
    fn help() -> u32 { base() }
    #[test]
    fn one() { base(); }
    #[tokio::test(flavor = "multi_thread")]
    async fn two() { help(); }
    #[test]
    fn other() {}
}
"""


def test_tests_among_the_code_of_a_file_of_rust_are_its_tests() -> None:
    index = indexed({"src/lib.rs": INLINE})
    found, _ = one_symbol(index, "base", Job())
    listed = find_related_tests(index, [found], [], Job())
    assert [(it.id, it.reason) for it in listed] == [
        ("src/lib.rs::tests.one", "calls it"),
        ("src/lib.rs::tests.two", "reaches it"),
    ]


def test_a_module_of_tests_is_tests_in_the_midst_of_a_file() -> None:
    index = indexed({"src/lib.rs": INLINE})
    lines = range(1, INLINE.count("\n"))
    scopes = [scope_of(index, "src/lib.rs", line) for line in lines]
    assert scopes == [*(["production"] * 4), *(["tests"] * 8)]


def test_what_runs_an_operator_has_the_operator() -> None:
    library = "class Path:\n    def __or__(self, other): ...\n    def __lt__(self, other): ...\n"
    tests = "from lib import Path\n\ndef test_or(): Path() | 1\ndef test_less(): 1 > make()\n"
    tests += "def make(): return Path()\ndef test_made(): Path()\n"
    index = indexed({"lib.py": library, "tests/test_path.py": tests})
    for method, expected in (("__or__", "test_or"), ("__lt__", "test_less")):
        found, _ = one_symbol(index, f"Path.{method}", Job())
        listed = find_related_tests(index, [found], [], Job())
        assert [it.id.partition("::")[2] for it in listed] == [expected]
