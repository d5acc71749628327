"""Say which tests were skipped, and why: `skipped.py tests.xml`, which pytest wrote."""

import sys
from collections import Counter
from xml.etree import ElementTree as ET


def summary(place: str) -> list[str]:
    """Return how many tests of a report were skipped, and a line for each reason."""
    tests, reasons = 0, Counter[str]()
    for _, case in ET.iterparse(place):  # noqa: S314 - written by our own pytest
        if case.tag != "testcase":
            continue
        tests += 1
        reasons.update(it.get("message", "no reason") for it in case.iterfind("skipped"))
        case.clear()
    lines = [f"{reasons.total():,} of {tests:,} tests were skipped."]
    return [*lines, *(f"  {count:,}: {reason}" for reason, count in reasons.most_common())]


if __name__ == "__main__":
    print("\n".join(summary(sys.argv[1])))
