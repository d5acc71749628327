from pathlib import Path

from skipped import summary

REPORT = """<testsuites><testsuite>
<testcase name="a"/>
<testcase name="b"><skipped type="pytest.skip" message="Chromium is not installed"/></testcase>
<testcase name="c"><skipped type="pytest.skip" message="go is not installed"/></testcase>
<testcase name="d"><skipped type="pytest.skip" message="go is not installed"/></testcase>
</testsuite></testsuites>
"""


def test_skipped_tests_are_counted_by_their_reason(tmp_path: Path) -> None:
    place = tmp_path / "tests.xml"
    place.write_text(REPORT, encoding="utf-8")
    assert summary(str(place)) == [
        "3 of 4 tests were skipped.",
        "  2: go is not installed",
        "  1: Chromium is not installed",
    ]
