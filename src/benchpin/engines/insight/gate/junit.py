"""The gate as a JUnit report: one test case for each check, for whatever shows test results."""

from xml.etree import ElementTree as ET

from benchpin.core import plain

from .judging import Check, Gate, Violation, shown

_CLASS = "quality_gate"
_MOST_LISTED = 200


def document(gate: Gate, name: str = "quality gate") -> str:
    """Return the report."""
    cases = [_case(check, is_strict=gate.is_strict) for check in gate.checks]
    if gate.unmeasured_files:
        case = ET.Element("testcase", {"classname": _CLASS, "name": "every file is measured"})
        _mark(case, gate.unmeasured_files, is_strict=gate.is_strict)
        cases.append(case)
    counts = {
        "tests": str(len(cases)),
        "failures": str(sum(case.find("failure") is not None for case in cases)),
        "errors": "0",
        "skipped": str(sum(case.find("skipped") is not None for case in cases)),
    }
    suites = ET.Element("testsuites", {"name": name, **counts})
    suite = ET.SubElement(suites, "testsuite", {"name": name, **counts})
    suite.extend(cases)
    ET.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suites, "unicode") + "\n"


def _case(check: Check, *, is_strict: bool) -> ET.Element:
    title = f"{check.measure.threshold_name} = {shown(check.threshold)}"
    case = ET.Element("testcase", {"classname": _CLASS, "name": title})
    if check.status == "failed":
        first = check.violations[0]
        if first.place is not None:
            case.set("file", plain(first.place.file))
            case.set("line", str(first.place.line))
        count = len(check.violations)
        message = first.message if count == 1 else f"{count:,} violations; {first.message}"
        failure = ET.SubElement(case, "failure", {"type": title, "message": plain(message)})
        failure.text = "\n".join(plain(line) for line in _lines(check))
    elif check.status == "not_measured":
        _mark(case, f"not measured: {check.reason}", is_strict=is_strict)
    elif check.reason:
        value = "" if check.value is None else f"{shown(check.value)}; "
        ET.SubElement(case, "system-out").text = value + plain(check.reason)
    return case


def _mark(case: ET.Element, reason: str, *, is_strict: bool) -> None:
    """Skip a case that was not measured; where that is not to be, have it fail."""
    ET.SubElement(case, "failure" if is_strict else "skipped", {"message": plain(reason)})


def _lines(check: Check) -> list[str]:
    lines = [line for it in check.violations[:_MOST_LISTED] for line in _told(it)]
    more = len(check.violations) - _MOST_LISTED
    return [*lines, f"and {more:,} more"] if more > 0 else lines


def _told(it: Violation) -> list[str]:
    if it.place is not None:
        return [f"{it.place.file}:{it.place.line}: {it.message}"]
    parts = [f"{part.place.file}:{part.place.line}: {part.place.name}" for part in it.parts]
    return [it.message, *(f"  {part.removesuffix(': ')}" for part in parts)]
