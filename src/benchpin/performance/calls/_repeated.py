"""Functions over repeated profiles of one route or command: what each run spent in them."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from benchpin.performance.comparing import (
    MIN_CHANGE_SHARE,
    Drift,
    Group,
    Metric,
    RepeatedMeasure,
    drift_of,
    group_of,
    judge,
    noise,
)
from benchpin.performance.snapshots import TIMES, route_of, time_index
from benchpin.performance.values import NS_PER_US, Profile

from ._sums import MatchedFunctions, Name

# Functions with less self time in both snapshots are not compared.
MIN_SPAN_US = 1000
# The same where something else than time was measured, relative to all of it.
_MIN_SHARE = 0.01
# Callers that are followed to find where a change began.
_MAX_CALLERS = 100
# Files that are not the program's own.
_FOREIGN = re.compile(
    r"^<|^node:|[/\\](site-packages|dist-packages|node_modules|vendor|lib[/\\]python3[.0-9]*)[/\\]"
)
_FOLDERS = re.compile(r"(?<![^\s/])[^\s/]*+/")
# Parts of the functions around them, which have a name.
_ANONYMOUS = re.compile(r"^<(?!module>)|^\{closure|^\(anonymous\)$")
Pair = tuple[RepeatedMeasure, RepeatedMeasure]


@dataclass(slots=True)
class _Side:
    """The profiles of one route in one snapshot."""

    runs: int = 0
    own: dict[int, list[int]] = field(default_factory=dict)
    """By function and run, without callees."""
    calls: dict[int, list[int]] = field(default_factory=dict)
    edges: dict[int, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    """By callee and caller, the inclusive cost of all runs."""

    def add(self, profile: Profile, numbers: Sequence[int]) -> None:
        metric = time_index(profile) or 0
        for number, cost in zip(numbers, profile.functions, strict=True):
            for found, value in ((self.own, cost.self[metric]), (self.calls, cost.calls)):
                values = found.setdefault(number, [])
                values += [0] * (self.runs + 1 - len(values))
                values[self.runs] += value
        for edge in profile.edges:
            self.edges[numbers[edge.callee]][numbers[edge.caller]] += edge.inclusive[metric]
        self.runs += 1

    def group(self, values: list[int]) -> Group:
        """Return the values of a function in all runs; a run that lacks it has nothing."""
        return group_of(values + [0] * (self.runs - len(values)))

    def whole(self) -> Group:
        sums = [0] * self.runs
        for values in self.own.values():
            for run, value in enumerate(values):
                sums[run] += value
        return group_of(sums)


class RouteFunctions:
    """The functions of one route or command, before and after."""

    def __init__(self, route: str, metric: str, names: Sequence[Name]) -> None:
        self.route = route
        self.before, self.after = _Side(), _Side()
        self._is_time = metric in TIMES
        self._scale = NS_PER_US if self._is_time else 1
        self._price_us = 1 if self._is_time else None
        self._names = names
        self._has_files = any(name.file for name in names)

    def whole(self) -> Pair:
        metric: Metric = "profiled_us" if self._is_time else "self_cost"
        before, after = self._wholes
        run = RepeatedMeasure(
            "endpoint", self.route, self.route, metric, before, self._scale, self._price_us
        )
        return run, run._replace(group=after, drift=self.drift)

    def pairs(self) -> Iterator[Pair]:
        """Yield the self cost and the calls of each function that is compared."""
        compared = [it for it in self._large if self._is_compared(it)]
        names = Counter(self._names[it].function for it in compared)
        metric: Metric = "self_us" if self._is_time else "self_cost"
        for number in compared:
            name = self._names[number]
            place = f" ({name.file}:{name.line})" if names[name.function] > 1 else ""
            title = name.function + place
            own, later = self._large[number]
            subject = f"{self.route} {title}"
            cost = RepeatedMeasure("span", subject, title, metric, own, self._scale, self._price_us)
            origin = self._origin(number, is_slower=later.mean > own.mean)
            yield cost, cost._replace(group=later, origin=origin, drift=self.drift)
            calls, later_calls = self._calls(number)
            if calls.mean and later_calls.mean:
                price_us = later.mean / later_calls.mean / NS_PER_US if self._is_time else None
                count = cost._replace(metric="calls", group=calls, scale=1)
                yield count, count._replace(group=later_calls, price_us=price_us, origin=origin)

    @cached_property
    def drift(self) -> Drift:
        """By how much functions differ that were called equally often: that is the machine."""
        return drift_of(
            groups
            for number, groups in self._large.items()
            if self._calls(number)[0].mean and self._more_calls(number) == 0
        )

    @cached_property
    def _wholes(self) -> tuple[Group, Group]:
        return self.before.whole(), self.after.whole()

    @cached_property
    def _large(self) -> dict[int, tuple[Group, Group]]:
        most = max(whole.mean for whole in self._wholes)
        least = MIN_SPAN_US * NS_PER_US if self._is_time else _MIN_SHARE * most
        groups = {
            number: (
                self.before.group(self.before.own.get(number, [])),
                self.after.group(self.after.own.get(number, [])),
            )
            for number in sorted(self.before.own.keys() | self.after.own.keys())
        }
        return {
            number: pair for number, pair in groups.items() if max(it.mean for it in pair) >= least
        }

    def _is_compared(self, number: int) -> bool:
        """Whether both sides have the function, or the whole changed along with it."""
        if number in self.before.own and number in self.after.own:
            return True
        change = judge(*self._wholes, noise(*self._wholes, comparisons=1))
        is_new = number in self.after.own
        is_slower = self._wholes[1].centre > self._wholes[0].centre
        return change != "unchanged" and is_new == is_slower

    def _calls(self, number: int) -> tuple[Group, Group]:
        return (
            self.before.group(self.before.calls.get(number, [])),
            self.after.group(self.after.calls.get(number, [])),
        )

    def _more_calls(self, number: int) -> float:
        """Return by how many calls a function differs; 0 for less than counts as a change."""
        before, after = (it.mean for it in self._calls(number))
        return after - before if abs(after - before) > MIN_CHANGE_SHARE * max(before, after) else 0

    def _origin(self, number: int, *, is_slower: bool) -> Name:
        """Return the function, or the nearest caller that was called as often as before.

        Callers of the program's own code are preferred to those of libraries.
        """
        seen: set[int] = set()
        nearest = above = number
        while len(seen) < _MAX_CALLERS:
            seen.add(above)
            name = self._names[above]
            has_place = name.file is not None or not self._has_files
            if has_place and not _ANONYMOUS.search(name.function) and self._more_calls(above) == 0:
                if not _FOREIGN.search(name.file or ""):
                    return name
                nearest = above if nearest == number else nearest
            following = self._caller(above, seen, is_slower=is_slower)
            if following is None:
                break
            above = following
        return self._names[nearest]

    def _caller(self, number: int, seen: set[int], *, is_slower: bool) -> int | None:
        """Return the caller whose calls changed most in one direction."""
        sign = 1 if is_slower else -1
        before, after = self.before.edges[number], self.after.edges[number]
        growth = {
            caller: sign * (after[caller] / self.after.runs - before[caller] / self.before.runs)
            for caller in sorted(before.keys() | after.keys())
            if caller not in seen
        }
        most = max(growth, key=growth.__getitem__, default=None)
        return most if most is not None and growth[most] > 0 else None


class RepeatedFunctions:
    """The functions of all profiles of two snapshots."""

    def __init__(self, before: Sequence[Profile], after: Sequence[Profile]) -> None:
        functions = MatchedFunctions(before, after)
        self._names = functions.names
        self._sides = (
            tuple(zip(before, functions.before, strict=True)),
            tuple(zip(after, functions.after, strict=True)),
        )

    def routes(self) -> list[RouteFunctions]:
        """Return the routes that both snapshots have: they call functions for other reasons."""
        found: dict[tuple[str, str], RouteFunctions] = {}
        for place, side in enumerate(self._sides):
            for profile, numbers in side:
                key = measured_route(profile), profile.metrics[time_index(profile) or 0]
                route = found.setdefault(key, RouteFunctions(*key, self._names))
                (route.before, route.after)[place].add(profile, numbers)
        return [
            found[key] for key in sorted(found) if found[key].before.runs and found[key].after.runs
        ]

    def only_after(self) -> list[tuple[str, int]]:
        """Return functions and self times in µs that only the later snapshot has."""
        return self._only(1)

    def only_before(self) -> list[tuple[str, int]]:
        """Return functions and self times in µs that only the earlier snapshot has."""
        return self._only(0)

    def _only(self, place: int) -> list[tuple[str, int]]:
        elsewhere = {number for _, numbers in self._sides[1 - place] for number in numbers}
        times: Counter[int] = Counter()
        worst: Counter[int] = Counter()
        for profile, numbers in self._sides[place]:
            metric = time_index(profile)
            for number, cost in zip(numbers, profile.functions, strict=True):
                if metric is not None and number not in elsewhere:
                    times[number] += cost.self[metric]
                    worst[number] = max(worst[number], cost.self[metric])
        least = MIN_SPAN_US * NS_PER_US
        return [
            (self._names[it].function, time // NS_PER_US)
            for it, time in times.items()
            if worst[it] >= least and self._sides[1 - place]
        ]


def measured_route(profile: Profile) -> str:
    """Return the URI or the command; a program may be in another folder after a change."""
    command = profile.request.command if profile.request else None
    return route_of(profile) or _FOLDERS.sub("", command or "") or "-"
