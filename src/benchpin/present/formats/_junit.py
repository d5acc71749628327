"""JUnit XML, for whatever shows test results: one test case for each finding or check."""

from collections.abc import Sequence
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from benchpin.core.text import plain
from benchpin.present import Check, Finding

if TYPE_CHECKING:
    from benchpin.present import Report


def render(report: "Report") -> str:
    """Return one test suite; a report without findings is one test that passes."""
    view = report.view
    make = view.checks or _checks
    cases = [_case(it, view.title) for it in make(report)]
    counts = {
        "tests": str(len(cases)),
        "failures": str(sum(case.find("failure") is not None for case in cases)),
        "errors": "0",
        "skipped": str(sum(case.find("skipped") is not None for case in cases)),
    }
    name = {"name": view.title}
    suites = ET.Element("testsuites", name | counts)
    ET.SubElement(suites, "testsuite", name | counts).extend(cases)
    ET.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suites, "unicode") + "\n"


def _checks(report: "Report") -> Sequence[Check]:
    found = [_check(it) for it in report.view.findings(report)]
    return found or [Check(report.view.title)]


def _check(finding: Finding) -> Check:
    """Return a test case that fails, unless the finding is only a note."""
    name = f"{finding.rule} {finding.path}:{finding.line}"
    if finding.level == "note":
        return Check(name, output=finding.message, path=finding.path, line=finding.line)
    return Check(name, failure=finding.message, path=finding.path, line=finding.line)


def _case(check: Check, title: str) -> ET.Element:
    case = ET.Element("testcase", {"classname": title, "name": plain(check.name)})
    if check.path:
        case.set("file", plain(check.path))
        case.set("line", str(check.line))
    if check.failure:
        message = {"type": plain(check.name), "message": plain(check.failure)}
        failure = ET.SubElement(case, "failure", message)
        failure.text = "\n".join(map(plain, check.details))
    elif check.skipped:
        ET.SubElement(case, "skipped", {"message": plain(check.skipped)})
    elif check.output:
        ET.SubElement(case, "system-out").text = plain(check.output)
    return case
