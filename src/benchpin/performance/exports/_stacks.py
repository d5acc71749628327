"""Labels, stacks, metrics and units for all exports; and collapsed stacks, one on each line."""

import gzip
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from benchpin.core.errors import InvalidParams
from benchpin.performance.snapshots import time_index
from benchpin.performance.values import CallEdge, Cost, Profile

OTHER = "(other)"
Unit = Literal["nanoseconds", "bytes", "count"]
_TIMES = frozenset({"wt", "ct", "it"})
# What some programs take for the end of a line.
_BREAKING = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]")
_SIZES = frozenset({"zm", "zmab", "zmfb", "mor", "io", "ior", "iow"})
_UNKNOWN_FILE = "???"
_VARINT, _LENGTH = 0, 2
_WORD = (1 << 64) - 1
_CALLS = "calls"
_SCHEMA = "https://www.speedscope.app/file-format-schema.json"


def unit_of(metric: str) -> Unit:
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


# Callgrind's format, for KCachegrind.


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


# pprof's format: one gzipped protocol buffer.
#
# Written by hand: it needs five kinds of message with a dozen fields, which is shorter than the
# code that protobuf would generate, and saves the dependency.


def to_pprof(profile: Profile) -> bytes:
    """Return the profile for `go tool pprof`: calls and costs of each path of calls."""
    strings = _Strings()
    message = bytearray()
    for metric in profile.metrics:
        message += _bytes(1, _value_type(strings, metric, unit_of(metric)))
    message += _bytes(1, _value_type(strings, _CALLS, "count"))
    other = len(profile.functions) + 1
    for node, stack in zip(profile.tree, stacks(profile), strict=True):
        locations = [function + 1 if function >= 0 else other for function in reversed(stack)]
        values = _packed(2, [*node.self, node.calls])
        message += _bytes(2, _packed(1, locations) + values)
    for number, (label, cost) in enumerate(
        [*zip(labels(profile), profile.functions, strict=True), (OTHER, None)], start=1
    ):
        line = (cost and cost.line) or 0
        message += _bytes(4, _int(1, number) + _bytes(4, _int(1, number) + _int(2, line)))
        name, file = strings.place(label), strings.place((cost and cost.file) or "")
        written = _int(1, number) + _int(2, name) + _int(3, name) + _int(4, file) + _int(5, line)
        message += _bytes(5, written)
    request = profile.request
    message += _int(9, ((request and request.started_at_us) or 0) * 1000)
    message += _int(10, (request and request.wall_time_ns) or 0)
    message += _int(14, strings.place(profile.metrics[0]))
    for text in strings.known:
        message += _bytes(6, text.encode("utf-8", "replace"))
    return gzip.compress(bytes(message), mtime=0)


class _Strings:
    """The string table; pprof requires that its first entry is empty."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {"": 0}

    def place(self, text: str) -> int:
        return self.known.setdefault(text, len(self.known))


def _value_type(strings: _Strings, name: str, unit: str) -> bytes:
    return _int(1, strings.place(name)) + _int(2, strings.place(unit))


def _varint(value: int) -> bytes:
    """Return a number in groups of seven bits; negative ones in two's complement."""
    rest = value & _WORD
    groups = bytearray()
    while rest > 0x7F:  # noqa: PLR2004 - seven bits
        groups.append(rest & 0x7F | 0x80)
        rest >>= 7
    groups.append(rest)
    return bytes(groups)


def _int(field: int, value: int) -> bytes:
    return _varint(field << 3 | _VARINT) + _varint(value) if value else b""


def _bytes(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | _LENGTH) + _varint(len(content)) + content


def _packed(field: int, values: Iterable[int]) -> bytes:
    return _bytes(field, b"".join(map(_varint, values)))


# Speedscope's own file format.


_UNITS: dict[Unit, str] = {"nanoseconds": "nanoseconds", "bytes": "bytes", "count": "none"}


def to_speedscope(profile: Profile) -> bytes:
    """Return JSON for speedscope, with a view for each metric without negative costs.

    Each path of calls is one sample, weighted by its self cost; the order of calls is lost.
    """
    frames: list[dict[str, str | int]] = [
        {"name": label}
        | ({"file": cost.file} if cost.file else {})
        | ({"line": cost.line} if cost.line else {})
        for label, cost in zip(labels(profile), profile.functions, strict=True)
    ]
    frames.append({"name": OTHER})
    views = [_view(profile, place, other=len(frames) - 1) for place in growing_metrics(profile)]
    document = {
        "$schema": _SCHEMA,
        "name": "profile",
        "exporter": "benchpin",
        "activeProfileIndex": 0,
        "shared": {"frames": frames},
        "profiles": views,
    }
    return msgspec.json.encode(document)


def _view(profile: Profile, place: int, other: int) -> dict[str, object]:
    samples: list[list[int]] = []
    weights: list[int] = []
    for node, stack in zip(profile.tree, stacks(profile), strict=True):
        if node.self[place] > 0:
            samples.append([function if function >= 0 else other for function in stack])
            weights.append(node.self[place])
    metric = profile.metrics[place]
    return {
        "type": "sampled",
        "name": metric,
        "unit": _UNITS[unit_of(metric)],
        "startValue": 0,
        "endValue": sum(weights),
        "samples": samples,
        "weights": weights,
    }
