"""Coverage as lcov writes it: one record for each file, one line for each fact."""

import io

from ._contents import DamagedReport, LineBudget, ReportContents, ReportedLines, number


def read_lcov(data: bytes, budget: LineBudget) -> ReportContents:
    """Read the lines of each file; branches and functions are skipped.

    Raises:
        DamagedReport: when it is something else, or is cut off.
    """
    files: dict[str, ReportedLines] = {}
    current: ReportedLines | None = None
    for line in io.BytesIO(data):
        budget.skip()
        key, colon, value = line.decode("utf-8", "replace").strip().partition(":")
        if key == "SF" and colon:
            budget.spend()
            current = files.setdefault(value, ReportedLines())
        elif key == "end_of_record":
            current = None
        elif current is None or not colon:
            continue
        elif key == "DA":
            budget.spend()
            number_of_line, _, rest = value.partition(",")
            hits = rest.partition(",")[0]
            is_hit = not hits.startswith("-") and number(hits) > 0
            current.add(number(number_of_line), is_hit=is_hit)
        elif key == "LF":
            current.total = number(value)
        elif key == "LH":
            current.covered = number(value)
    if current is not None:
        raise DamagedReport("its last record does not end")
    if not files:
        raise DamagedReport("it has no records of files")
    return ReportContents(files)
