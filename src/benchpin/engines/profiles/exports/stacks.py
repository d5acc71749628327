"""What all exports share: labels, stacks, metrics that can be drawn, units."""

from collections import Counter
from collections.abc import Iterator
from typing import Literal

from benchpin.core import InvalidParams
from benchpin.engines.profiles.values import Cost, Profile

OTHER = "(other)"
Unit = Literal["nanoseconds", "bytes", "count"]
_TIMES = frozenset({"wt", "ct", "it"})
_SIZES = frozenset({"zm", "zmab", "zmfb", "mor", "io", "ior", "iow"})


def unit_of(metric: str) -> Unit:
    """Return what a metric of SPX counts."""
    if metric in _TIMES:
        return "nanoseconds"
    return "bytes" if metric in _SIZES else "count"


def labels(profile: Profile) -> list[str]:
    """Return the functions' names, with their place where another has the same name."""
    names = Counter(cost.function for cost in profile.functions)
    return [_label(cost, is_alone=names[cost.function] == 1) for cost in profile.functions]


def label_of(names: list[str], function: int) -> str:
    """Return a function's label, `(other)` where the tree was cut."""
    return names[function] if function >= 0 else OTHER


def place_of(profile: Profile, metric: str) -> int:
    """Return the place of a metric among a profile's.

    Raises:
        InvalidParams: when the profile does not have it.
    """
    if metric not in profile.metrics:
        raise InvalidParams(
            f"the profile has no metric {metric!r}",
            suggestion=f"Use one of: {', '.join(profile.metrics)}.",
        )
    return profile.metrics.index(metric)


def growing_metrics(profile: Profile) -> list[int]:
    """Return the places of the metrics that never fall, the first one among them.

    Memory is given back too, and formats made for time have no room for less than nothing.
    """
    return [
        place
        for place in range(len(profile.metrics))
        if place == 0 or not any(node.self[place] < 0 for node in profile.tree)
    ]


def stacks(profile: Profile) -> Iterator[tuple[int, ...]]:
    """Yield for each place of the tree the functions from the outermost to its own."""
    paths: list[tuple[int, ...]] = []
    for node in profile.tree:
        above = paths[node.parent] if node.parent >= 0 else ()
        paths.append((*above, node.function))
        yield paths[-1]


def _label(cost: Cost, *, is_alone: bool) -> str:
    if is_alone or cost.file is None:
        return cost.function
    return f"{cost.function} ({cost.file}:{cost.line or '?'})"
