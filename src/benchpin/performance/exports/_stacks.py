"""Labels, stacks, metrics and units for all exports; and collapsed stacks, one on each line."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Literal

from benchpin.core.errors import InvalidParams
from benchpin.performance.snapshots import time_index
from benchpin.performance.values import Cost, Profile

OTHER = "(other)"
Unit = Literal["nanoseconds", "bytes", "count"]
_TIMES = frozenset({"wt", "ct", "it"})
# What some programs take for the end of a line.
_BREAKING = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]")
_SIZES = frozenset({"zm", "zmab", "zmfb", "mor", "io", "ior", "iow"})


def unit_of(metric: str) -> Unit:
    """Return the unit of a metric."""
    if metric in _TIMES or metric.endswith("_ns"):
        return "nanoseconds"
    return "bytes" if metric in _SIZES or metric.endswith("bytes") else "count"


def labels(profile: Profile) -> list[str]:
    """Return the names of functions, with file and line where several have the same name."""
    names = Counter(cost.function for cost in profile.functions)
    return [_label(cost, is_alone=names[cost.function] == 1) for cost in profile.functions]


def label_of(names: list[str], function: int) -> str:
    """Return a function's label, `(other)` where the tree was cut."""
    return names[function] if function >= 0 else OTHER


def place_of(profile: Profile, metric: str | None = None) -> int:
    """Return the position of a metric in a profile, or refuse one that it lacks.

    The default is time, or else what the profiler counted.
    """
    if metric is None:
        return time_index(profile) or 0
    if metric not in profile.metrics:
        raise InvalidParams(
            f"the profile has no metric {metric!r}",
            suggestion=f"Use one of: {', '.join(profile.metrics)}.",
        )
    return profile.metrics.index(metric)


def growing_metrics(profile: Profile) -> list[int]:
    """Return the positions of the metrics without negative costs, and always the first.

    Memory can shrink, but formats made for time have no negative costs.
    """
    return [
        place
        for place in range(len(profile.metrics))
        if place == 0 or not any(node.self[place] < 0 for node in profile.tree)
    ]


def stacks(profile: Profile) -> Iterator[tuple[int, ...]]:
    """Yield the functions from the outermost call to each node of the tree."""
    paths: list[tuple[int, ...]] = []
    for node in profile.tree:
        above = paths[node.parent] if node.parent >= 0 else ()
        paths.append((*above, node.function))
        yield paths[-1]


def _label(cost: Cost, *, is_alone: bool) -> str:
    if is_alone or cost.file is None:
        return cost.function
    return f"{cost.function} ({cost.file}:{cost.line or '?'})"


def to_collapsed(profile: Profile, metric: str | None = None) -> str:
    """Return `outermost;…;innermost self` for each path of calls, as flamegraph.pl reads it."""
    place = place_of(profile, metric)
    names = [_BREAKING.sub(" ", name).replace(";", ":") for name in labels(profile)]
    lines = [
        f"{';'.join(label_of(names, function) for function in stack)} {node.self[place]}\n"
        for node, stack in zip(profile.tree, stacks(profile), strict=True)
        if node.self[place] > 0
    ]
    return "".join(lines)
