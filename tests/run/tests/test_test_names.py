"""Whether a name that a runner gives is that of a test."""

import pytest

from benchpin.run.tests import is_named


@pytest.mark.parametrize(
    ("name", "test", "is_it"),
    [
        ("tests/test_a.py::test_one", "tests/test_a.py::test_one", True),
        ("tests/test_a.py::test_one[2]", "tests/test_a.py::test_one", True),
        ("tests/test_a.py::test_one_more", "tests/test_a.py::test_one", False),
        ("group adds up", "test/a.test.ts::adds up", True),
        ("group > adds up", "test/a.test.ts::adds up", True),
        ("group never adds up to 1.5", "test/a.test.ts::adds up to 2.5", False),
        ("group adds up to 1.5", "test/a.test.ts::adds up to 1.5", True),
        ("group readds up", "test/a.test.ts::adds up", False),
        ("group adds 1 to 2", "test/a.test.ts::adds %i to %i", True),
        ("group adds one to two", "test/a.test.ts::adds ${first} to ${second}", True),
        ("group takes one from two", "test/a.test.ts::adds ${first} to ${second}", False),
    ],
)
def test_a_test_has_the_name_that_a_runner_gives(name: str, test: str, is_it: bool) -> None:  # noqa: FBT001
    assert is_named(name, test) is is_it
