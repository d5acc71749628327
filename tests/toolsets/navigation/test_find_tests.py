from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.toolsets.navigation.find_tests import FindTestsParams, RelatedTestsReport, find_tests
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
    report = found(project, subject="lone")
    assert [(it.id, it.reason, it.certainty) for it in report.tests] == [
        ("tests/test_lib.py::TestLone.test_by_name", "covered it", "certain")
    ]
    assert report.command == "pytest tests/test_lib.py::TestLone::test_by_name"


def test_a_test_that_calls_it_stays_before_one_that_only_ran_it(project: Path) -> None:
    ran = {"tests.test_lib.test_nothing": {8}, "tests.test_lib.test_limit": {8}}
    database_of_tests(project / ".coverage", "lib.py", ran)
    assert [(it.id, it.reason) for it in found(project, subject="limit").tests] == [
        ("tests/test_lib.py::test_limit", "calls it"),
        ("tests/test_lib.py::test_nothing", "covered it"),
    ]


def test_a_damaged_data_file_is_passed_over(project: Path) -> None:
    (project / ".coverage").write_bytes(b"SQLite format 3\0" + b"x" * 1000)
    [only] = found(project, subject="limit").tests
    assert only.reason == "calls it"


def test_a_change_of_a_table_is_one_of_the_code_that_looks_into_it(project: Path) -> None:
    [only] = found(project, patch=PATCH).tests
    assert (only.id, only.reason, only.distance) == ("tests/test_lib.py::test_limit", "calls it", 2)
