"""Callgrind's format, for KCachegrind."""

from collections import defaultdict

from benchpin.performance.values import CallEdge, Cost, Profile

from ._stacks import growing_metrics, labels

_UNKNOWN_FILE = "???"


def to_callgrind(profile: Profile) -> str:
    """Return functions with their self costs, and their calls with inclusive costs.

    Metrics with negative costs are left out, because the format has no sign.
    """
    places = [
        place
        for place in growing_metrics(profile)
        if place == 0 or all(cost.self[place] >= 0 for cost in profile.functions)
    ]
    called: dict[int, list[CallEdge]] = defaultdict(list)
    for edge in profile.edges:
        called[edge.caller].append(edge)
    totals = _numbers([sum(cost.self[place] for cost in profile.functions) for place in places])
    lines = [
        "# callgrind format",
        "version: 1",
        "creator: benchpin",
        "positions: line",
        f"events: {' '.join(profile.metrics[place] for place in places)}",
        f"summary: {totals}",
    ]
    writer = _Names(profile)
    for number, cost in enumerate(profile.functions):
        line = cost.line or 0
        lines += ["", *writer.function("", number)]
        lines.append(f"{line} {_numbers([cost.self[place] for place in places])}")
        for edge in called[number]:
            lines += writer.function("c", edge.callee)
            lines.append(f"calls={edge.calls} {profile.functions[edge.callee].line or 0}")
            lines.append(f"{line} {_numbers([edge.inclusive[place] for place in places])}")
    return "\n".join([*lines, f"totals: {totals}", ""])


class _Names:
    """Writes a name in full the first time, and only its number after that."""

    def __init__(self, profile: Profile) -> None:
        self._functions = profile.functions
        self._labels = labels(profile)
        self._files: dict[str, int] = {}
        self._written: set[int] = set()

    def function(self, prefix: str, number: int) -> list[str]:
        cost = self._functions[number]
        name = "" if number in self._written else f" {_one_line(self._labels[number])}"
        self._written.add(number)
        # Callgrind manual: `fl=` for what is spent, but `cfi=` or `cfl=` for what is called.
        return [f"{prefix}fl={self._file(cost)}", f"{prefix}fn=({number + 1}){name}"]

    def _file(self, cost: Cost) -> str:
        file = _one_line(cost.file or _UNKNOWN_FILE)
        if file in self._files:
            return f"({self._files[file]})"
        self._files[file] = len(self._files) + 1
        return f"({self._files[file]}) {file}"


def _one_line(text: str) -> str:
    return " ".join(text.split()) or "?"


def _numbers(values: list[int]) -> str:
    """Return costs; damage can make one negative, which becomes 0."""
    return " ".join(str(max(0, value)) for value in values)
