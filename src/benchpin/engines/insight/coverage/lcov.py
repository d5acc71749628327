"""Coverage as lcov writes it: a record a file, a line a fact."""

from .model import Budget, Contents, Damaged, Lines, number


def read_lcov(data: bytes, budget: Budget) -> Contents:
    """Read records; what is not about lines is passed over.

    Raises:
        Damaged: when it is something else, or was cut off.
    """
    files: dict[str, Lines] = {}
    current: Lines | None = None
    for line in data.decode("utf-8", "replace").splitlines():
        key, colon, value = line.strip().partition(":")
        if key == "SF" and colon:
            budget.spend()
            current = files.setdefault(value, Lines())
        elif key == "end_of_record":
            current = None
        elif current is not None and colon:
            _take(current, key, value, budget)
    if current is not None:
        raise Damaged("its last record does not end")
    if not files:
        raise Damaged("it has no records of files")
    return Contents(files)


def _take(current: Lines, key: str, value: str, budget: Budget) -> None:
    match key:
        case "DA":
            budget.spend()
            line, _, rest = value.partition(",")
            hits = rest.partition(",")[0]
            is_hit = not hits.startswith("-") and number(hits) > 0
            current.add(number(line), is_hit=is_hit)
        case "LF":
            current.total = number(value)
        case "LH":
            current.covered = number(value)
