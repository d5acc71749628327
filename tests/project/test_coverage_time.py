"""Lines and elements of coverage reports that are not kept take time as well."""

import pytest

from benchpin.core.calls import Job
from benchpin.core.errors import TimeLimitExceeded
from benchpin.measures.coverage._contents import LineBudget, read_lcov, read_xml


def test_blank_lines_of_lcov_end_with_the_time() -> None:
    with pytest.raises(TimeLimitExceeded):
        read_lcov(b"\n" * 10_000, LineBudget(Job(time_limit_s=0)))


def test_unknown_elements_end_with_the_time() -> None:
    report = b"<coverage>" + b"<a/>" * 10_000 + b"</coverage>"
    with pytest.raises(TimeLimitExceeded):
        read_xml(report, LineBudget(Job(time_limit_s=0)))
