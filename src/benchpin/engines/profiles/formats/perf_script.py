"""Samples as `perf script` prints them: a line about each, then its stack from the innermost."""

import re
from collections.abc import Iterator
from itertools import chain, pairwise

from benchpin.engines.profiles.calls import ProfileBuilder
from benchpin.engines.profiles.values import Profile

from .source import Functions, ProfileSource, whole

NAME = "perf-script"
_SAMPLE = re.compile(
    rb"(\S.{0,60}?) +-?[0-9]+(?:/-?[0-9]+)? +(?:\[[0-9]+\] +)?(?:\S{4,5} +)?"
    rb"[0-9]+\.[0-9]+: +(?:([0-9]{1,18}) +)?([^\s:][^\s]{0,100}?):[a-zA-Z]{0,5}:? *"
)
_ADDRESS = re.compile(rb"[ \t]++[0-9a-f]{1,16} ")
_OFFSET = re.compile(r"\+0x[0-9a-f]+$")
_CLOCKS = ("cpu-clock", "task-clock")
"""Events whose period is nanoseconds of processor time."""


def fits(head: bytes) -> bool:
    """Whether a line about a sample is followed by a frame."""
    lines = [it for it in head.split(b"\n", 40) if not it.startswith(b"#")]
    return any(
        _SAMPLE.fullmatch(line.strip()) and _ADDRESS.match(following)
        for line, following in pairwise(lines)
    )


def read(source: ProfileSource) -> Profile:
    """Read samples, with the name of the command as outermost frame, as stackcollapse-perf does."""
    functions = Functions(source)
    calls: ProfileBuilder | None = None
    metric = ""
    samples = others = 0
    for sample in _samples(source):
        if calls is None:
            metric, calls = sample.event, ProfileBuilder(2, source.budget, source.faults)
        if sample.event != metric:
            others += 1
            continue
        stack = [functions.number(*it) for it in reversed(sample.frames)]
        calls.add_stack([functions.number(sample.command), *stack], (sample.period, 1))
        samples += 1
        if calls.is_over_limit:
            calls.make_room()
    if others:
        source.faults.add("samples", f"{others} of other events than {metric} are not read")
    calls = calls or ProfileBuilder(2, source.budget, source.faults)
    is_clock = metric.startswith(_CLOCKS)
    names = ("ct" if is_clock else metric or "period", "samples")
    return calls.profile(NAME, names, functions.names, events=samples)


class _Sample:
    """A sample while its frames are read."""

    def __init__(self, found: re.Match[bytes]) -> None:
        self.command = found[1].decode("utf-8", "replace")
        self.period = whole(int(found[2] or 1))
        self.event = found[3].decode("utf-8", "replace")
        self.frames: list[tuple[str, str | None]] = []


def _samples(source: ProfileSource) -> Iterator[_Sample]:
    sample: _Sample | None = None
    frames: dict[bytes, tuple[str, str | None]] = {}
    for number, line in enumerate(chain.from_iterable(source.blocks_of_lines()), 1):
        if line[:1] in b" \t" and sample is not None and line.strip():
            if line not in frames:
                frames[line] = _frame(line)
            sample.frames.append(frames[line])
            continue
        if sample is not None:
            yield sample
            sample = None
            if len(frames) > source.budget.functions:
                frames.clear()
        if found := _SAMPLE.fullmatch(line.strip()):
            sample = _Sample(found)
        elif line.strip() and not line.startswith(b"#"):
            source.faults.add(f"line {number}", "neither a sample nor a frame")
    if sample is not None:
        yield sample


def _frame(line: bytes) -> tuple[str, str | None]:
    """Return the function and the file that it is in, without its address."""
    address = _ADDRESS.match(line)
    text = line[address.end() if address else 0 :].decode("utf-8", "replace").strip()
    name, mark, file = text.rpartition(" (")
    name, file = (name, file.removesuffix(")")) if mark and file.endswith(")") else (text, "")
    name = _OFFSET.sub("", name)
    if name == "[unknown]":
        return f"[{file.rsplit('/', 1)[-1].strip('[]') or 'unknown'}]", None
    return name, file or None
