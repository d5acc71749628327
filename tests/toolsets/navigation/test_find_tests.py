from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.toolsets.navigation._tests import RelatedTestsReport
from benchpin.toolsets.navigation.find_tests import FindTestsParams, find_tests
from coverage_kit import database_of_tests

CODE = """\
LIMITS = {
    "small": 1,
    "large": 9,
}


def limit(name):
    return LIMITS[name]


def lone():
    return 1
"""
TESTS = """\
import lib
import pytest


def test_limit():
    assert lib.limit("small") == 1


class TestLone:
    @pytest.mark.parametrize("name", ["lone"])
    def test_by_name(self, name):
        getattr(lib, name)()


def test_nothing():
    pass
"""
PATCH = """\
--- a/lib.py
+++ b/lib.py
@@ -2,3 +2,3 @@
     "small": 1,
-    "large": 9,
+    "large": 8,
 }
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "tests").mkdir()
    (tmp_path / "lib.py").write_text(CODE, encoding="utf-8")
    (tmp_path / "tests" / "test_lib.py").write_text(TESTS, encoding="utf-8")
    return tmp_path


def found(project: Path, **params: object) -> RelatedTestsReport:
    bench = Workbench.open(project)
    try:
        return bench.run(find_tests, FindTestsParams.model_validate(params))
    finally:
        bench.close()


@pytest.mark.parametrize(
    "context",
    ["tests/test_lib.py::TestLone::test_by_name[lone]|run", "tests.test_lib.TestLone.test_by_name"],
)
@pytest.mark.parametrize("is_absolute", [True, False])
def test_tests_that_ran_the_code_by_the_last_coverage_are_related(
    project: Path, context: str, *, is_absolute: bool
) -> None:
    path = str(project / "lib.py") if is_absolute else "lib.py"
    ran = {context: {11, 12}, "tests/test_lib.py::test_limit|run": {7, 8}, "gone.test_x": {12}}
    database_of_tests(project / ".coverage", path, ran)
    report = found(project, symbol="lone", each=True)
    assert [(it.id, it.reason, it.certainty) for it in report.tests] == [
        ("tests/test_lib.py::TestLone.test_by_name", "covered it", "certain")
    ]
    assert report.command == "pytest tests/test_lib.py::TestLone::test_by_name"


def test_a_test_that_calls_it_stays_before_one_that_only_ran_it(project: Path) -> None:
    ran = {"tests.test_lib.test_nothing": {8}, "tests.test_lib.test_limit": {8}}
    database_of_tests(project / ".coverage", "lib.py", ran)
    assert [(it.id, it.reason) for it in found(project, symbol="limit", each=True).tests] == [
        ("tests/test_lib.py::test_limit", "calls it"),
        ("tests/test_lib.py::test_nothing", "covered it"),
    ]


def test_a_damaged_data_file_is_passed_over(project: Path) -> None:
    (project / ".coverage").write_bytes(b"SQLite format 3\0" + b"x" * 1000)
    [only] = found(project, symbol="limit").tests
    assert only.reason == "calls it"


def test_a_change_of_a_table_is_one_of_the_code_that_looks_into_it(project: Path) -> None:
    [only] = found(project, patch=PATCH, each=True).tests
    assert (only.id, only.reason, only.distance) == (
        "tests/test_lib.py::test_limit",
        "reaches it",
        2,
    )


MOCKED = """\
from unittest import mock

import lib
import pytest


def around():
    return lib.limit("small")


@mock.patch("lib.limit")
def test_decorated(limit):
    around()


def test_inside(monkeypatch):
    monkeypatch.setattr("lib.limit", None)
    around()


def test_really():
    around()


def test_with_another_mocked(monkeypatch):
    monkeypatch.setattr("lib.lone", None)
    around()
"""


def test_a_test_that_replaces_it_by_a_mock_is_left_out_and_named(project: Path) -> None:
    (project / "tests" / "test_mocked.py").write_text(MOCKED, encoding="utf-8")
    report = found(project, symbol="lib.py::limit", each=True)
    assert [(it.id.partition("::")[2], it.reason) for it in report.tests] == [
        ("test_limit", "calls it"),
        ("test_really", "reaches it"),
        ("test_with_another_mocked", "reaches it"),
    ]
    mocked = [f"tests/test_mocked.py::{it}" for it in ("test_decorated", "test_inside")]
    assert report.mocked == mocked
    assert "left out: 2 tests with a mock in its place" in report.to_text()


PARTLY = """\
from unittest import mock

import lib


def around():
    return lib.limit("small")


def test_before():
    around()
    with mock.patch("lib.limit"):
        around()


def test_after():
    with (
        mock.patch("lib.lone"),
        mock.patch("lib.limit"),
    ):
        around()

    around()


def test_within():
    name = "small"
    with mock.patch("lib.limit"):
        around()

        around()
    assert name


@mock.patch("lib.limit")
class TestAll:
    def test_each(self, limit):
        around()
"""


def test_a_test_with_a_mock_for_a_part_of_it_is_listed_and_said(project: Path) -> None:
    (project / "tests" / "test_mocked.py").write_text(PARTLY, encoding="utf-8")
    report = found(project, symbol="lib.py::limit", each=True)
    assert [it.id.partition("::")[2] for it in report.tests] == [
        "test_limit",
        "test_before",
        "test_after",
    ]
    replaced = [f"tests/test_mocked.py::{it}" for it in ("test_before", "test_after")]
    assert report.replaced == replaced
    assert f"replaced in part by a mock, and listed: {', '.join(replaced)}" in report.to_text()
    mocked = [f"tests/test_mocked.py::{it}" for it in ("test_within", "TestAll.test_each")]
    assert report.mocked == mocked


def test_files_come_first_with_counts_and_one_command(project: Path) -> None:
    (project / "tests" / "test_mocked.py").write_text(MOCKED, encoding="utf-8")
    report = found(project, symbol="lib.py::limit")
    assert [(it.id, it.calls, it.reaches) for it in report.tests] == [
        ("tests/test_lib.py", 1, 0),
        ("tests/test_mocked.py", 0, 2),
    ]
    assert report.command == "pytest tests/test_lib.py tests/test_mocked.py"
    first, _, _ = report.to_text().partition("\n")
    assert first == "2 files of tests for lib.py::limit: 1 calls it, 1 reaches it"
    each = found(project, symbol="lib.py::limit", each=True).to_text()
    assert each.startswith("3 tests for lib.py::limit: 1 calls it, 2 reach it\n")


def test_a_common_name_of_a_file_relates_only_what_is_near(tmp_path: Path) -> None:
    for place in ("cart", "stock"):
        (tmp_path / "shop" / place / "tests").mkdir(parents=True)
        (tmp_path / "shop" / place / "utils.py").write_text(f"def {place}(): ...\n")
        (tmp_path / "shop" / place / "tests" / "test_utils.py").write_text("def test_it(): ...\n")
    report = found(tmp_path, symbol="cart")
    assert [it.id for it in report.tests] == ["shop/cart/tests/test_utils.py"]


def written(folder: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def test_the_tests_of_its_file_and_of_its_callers_come_first_also_without_names(
    tmp_path: Path,
) -> None:
    case = "const cases = [1];\ndescribe('x', () => {\n"
    case += "  test.each(cases)('y', () => { %s(); });\n});\n"
    names = {"a-user": "use", "skip": "skip", "headers": "headers"}
    tests = {
        f"src/{it}.test.ts": f"import {{ {one} }} from './{it}.js';\n{case % one}"
        for it, one in names.items()
    }
    importing = "import { skip } from './skip.js';\nexport function headers() { return skip(); }\n"
    through = "import { skip } from './skip.js';\nexport function use() { return skip(); }\n"
    code = {
        "src/skip.ts": "export function skip() { return 1; }\n",
        "src/headers.ts": importing,
        "src/a-user.ts": through,
        "src/a-also.test.ts": tests["src/headers.test.ts"],
    }
    report = found(written(tmp_path, code | tests), symbol="skip")
    assert [(it.id, it.reason) for it in report.tests] == [
        ("src/skip.test.ts", "calls it"),
        ("src/a-user.test.ts", "reaches it"),
        ("src/headers.test.ts", "reaches it"),
        ("src/a-also.test.ts", "reaches it"),
    ]
    assert report.to_text().startswith("4 files of tests for src/skip.ts::skip: 1 calls it, 3 re")


HANDLERS = "".join(f"def handle{it}(): ...\n" for it in range(25))
ROUTES = "".join(f"    add('/{it}', handle{it})\n" for it in range(25))


@pytest.mark.parametrize(
    "code",
    [
        f"{HANDLERS}def subject(): ...\ndef routes(add):\n{ROUTES}    add('/', subject)\n",
        "def subject(): ...\ndef create_app():\n    subject()\ndef routes(): create_app()\n",
    ],
)
def test_tests_that_start_the_whole_program_are_counted_and_not_listed(
    tmp_path: Path, code: str
) -> None:
    tests = "import web\ndef test_near(): web.subject()\ndef test_all(): web.routes(print)\n"
    project = written(tmp_path, {"web.py": code, "tests/test_web.py": tests})
    report = found(project, symbol="subject", each=True)
    assert [it.id for it in report.tests] == ["tests/test_web.py::test_near"]
    assert report.starting == 1
    assert "1 more starts the whole program and may reach it" in report.to_text()


def test_a_function_that_passes_on_a_few_functions_is_no_whole_program(tmp_path: Path) -> None:
    code = "def subject(): ...\ndef both(add):\n    add('/', subject)\n"
    tests = "import web\ndef test_both(): web.both(print)\n"
    project = written(tmp_path, {"web.py": code, "tests/test_web.py": tests})
    assert found(project, symbol="subject").starting == 0


def test_a_file_without_tests_is_neither_listed_nor_run(project: Path) -> None:
    typing = "import lib\n\nchecked: int = lib.limit('small')\n"
    report = found(written(project, {"tests/typing/typing_limit.py": typing}), symbol="limit")
    assert [it.id for it in report.tests] == ["tests/test_lib.py"]
    assert report.command == "pytest tests/test_lib.py"


def test_the_command_runs_what_calls_or_reaches_it(project: Path) -> None:
    loose = {"more/tests/test_lib.py": "def test_it():\n    pass\n"}
    report = found(written(project, loose), symbol="limit")
    assert [(it.id, it.reason) for it in report.tests] == [
        ("tests/test_lib.py", "calls it"),
        ("more/tests/test_lib.py", "is named after its file"),
    ]
    assert report.command == "pytest tests/test_lib.py"


VISITORS = """\
class Visitor:
    def method_for(self, kind):
        return getattr(self, f"visit_{kind}")

    def visit(self, kind):
        return self.method_for(kind)()


class Printer(Visitor):
    def visit_name(self):
        return "name"


def show(kind):
    return Printer().visit(kind)
"""


def test_a_method_whose_name_is_put_together_is_reached_by_what_asks_for_it(project: Path) -> None:
    (project / "visitors.py").write_text(VISITORS, encoding="utf-8")
    test = "import visitors\n\n\ndef test_show():\n    assert visitors.show('name')\n"
    (project / "tests" / "test_visitors.py").write_text(test, encoding="utf-8")
    found = Workbench.open(project).run(find_tests, FindTestsParams(symbol="Printer.visit_name"))
    assert [(it.file, it.reason) for it in found.tests] == [
        ("tests/test_visitors.py", "may reach it")
    ]


def test_what_runs_a_list_of_functions_does_not_register_them(project: Path) -> None:
    steps = "".join(f"def step_{at}(text):\n    return text\n\n\n" for at in range(25))
    names = ", ".join(f"step_{at}" for at in range(25))
    run = (
        f"def run(text):\n    for step in [{names}]:\n        text = step(text)\n    return text\n"
    )
    (project / "steps.py").write_text(steps + run, encoding="utf-8")
    test = "import steps\n\n\ndef test_run():\n    assert steps.run('a')\n"
    (project / "tests" / "test_steps.py").write_text(test, encoding="utf-8")
    found = Workbench.open(project).run(find_tests, FindTestsParams(symbol="step_3"))
    assert [it.file for it in found.tests] == ["tests/test_steps.py"]
    assert not found.starting


def test_without_a_call_the_tests_that_import_what_uses_its_file_are_named(project: Path) -> None:
    (project / "core.py").write_text("def hidden():\n    return 1\n", encoding="utf-8")
    (project / "surface.py").write_text("import core\n\nTABLE = vars(core)\n", encoding="utf-8")
    test = "import surface\n\n\ndef test_it():\n    assert surface.TABLE['hid' + 'den']()\n"
    (project / "tests" / "test_surface.py").write_text(test, encoding="utf-8")
    found = Workbench.open(project).run(find_tests, FindTestsParams(symbol="hidden"))
    assert [(it.file, it.reason) for it in found.tests] == [
        ("tests/test_surface.py", "imports what uses it")
    ]
