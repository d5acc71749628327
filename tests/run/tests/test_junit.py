"""JUnit XML: forms that runners write, and hostile ones."""

import pytest

from benchpin.run.tests import UnreadableReport
from benchpin.run.tests._results import MAX_FAILURES, JUnitReport, read_junit

BOMB = '<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><testsuite name="&b;"/>'


def read(*texts: str) -> JUnitReport:
    return read_junit((f"{number}.xml", text) for number, text in enumerate(texts))


def test_reports_of_several_files_are_added() -> None:
    one = '<testsuite><testcase name="a"/><testcase name="b"><skipped/></testcase></testsuite>'
    two = '<testsuites><testsuite name="s"><testcase name="c" classname="C" line="7" file="f">'
    two += '<error message="m">text</error></testcase></testsuite></testsuites>'
    found = read(one, two)
    assert (found.passed, found.failed, found.skipped) == (1, 1, 1)
    (case,) = found.failures
    assert (case.name, case.class_name, case.suites) == ("c", "C", ("s",))
    assert (case.file, case.line, case.message, case.text) == ("f", 7, "m", "text")


def test_a_test_with_a_failure_and_an_error_counts_once() -> None:
    found = read(
        '<testsuite><testcase name="a"><failure message="x">1</failure><error>2</error>'
        "</testcase></testsuite>"
    )
    assert (found.failed, found.failures[0].text) == (1, "12")


@pytest.mark.parametrize(
    "text",
    [
        BOMB,
        "<testsuite>",
        "",
        "no XML",
        "<html></html>",
        "<testsuite>" + "<a>" * 100 + "</a>" * 100 + "</testsuite>",
    ],
    ids=["entities", "cut off", "empty", "text", "another format", "deep"],
)
def test_a_hostile_or_damaged_report_is_refused(text: str) -> None:
    with pytest.raises(UnreadableReport):
        read(text)


def test_very_many_failures_are_counted_and_some_are_kept() -> None:
    case = '<testcase name="a" line="99999999999999"><failure>' + "x" * 1000
    found = read("<testsuite>" + (case + "</failure></testcase>") * 2000 + "</testsuite>")
    assert found.failed == 2000
    assert len(found.failures) == MAX_FAILURES
    assert found.failures[0].line is None


def test_a_huge_text_is_cut() -> None:
    text = f"<testsuite><testcase><failure>{'x' * 1_000_000}</failure></testcase></testsuite>"
    assert len(read(text).failures[0].text) == 64 << 10


def test_the_encoding_that_a_report_names_does_not_matter() -> None:
    for encoding in ("UTF-9", "utf-16", "hex"):
        head = f'<?xml version="1.0" encoding="{encoding}"?>'
        assert read(f'{head}<testsuite><testcase name="é"/></testsuite>').passed == 1
