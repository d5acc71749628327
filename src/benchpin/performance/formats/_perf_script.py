"""Samples as `perf script` prints them: a line about each, then its stack from the innermost."""

import re
from collections import deque
from itertools import chain, pairwise

from benchpin.performance.calls import ProfileBuilder
from benchpin.performance.reading import ArtifactSource
from benchpin.performance.values import Profile

from ._source import FunctionTable, profile_format, whole

NAME = "perf-script"
_SAMPLE = re.compile(
    rb"(\S.{0,60}?) +-?[0-9]+(?:/-?[0-9]+)? +(?:\[[0-9]+\] +)?(?:\S{4,5} +)?"
    rb"[0-9]+\.[0-9]+: +(?:([0-9]{1,18}) +)?([^\s:][^\s]{0,100}?):[a-zA-Z]{0,5}:? *"
)
_ADDRESS = re.compile(rb"[ \t]++[0-9a-f]{1,16} ")
_OFFSET = re.compile(r"\+0x[0-9a-f]+$")
_BLANK = (b" ", b"\t")
# Events whose period is nanoseconds of processor time.
_CLOCKS = ("cpu-clock", "task-clock")


def fits(head: bytes) -> bool:
    """Whether a line about a sample is followed by a frame."""
    lines = [it for it in head.split(b"\n", 40) if not it.startswith(b"#")]
    return any(
        _SAMPLE.fullmatch(line.strip()) and _ADDRESS.match(following)
        for line, following in pairwise(lines)
    )


def read(source: ArtifactSource) -> Profile:
    """Read samples, with the name of the command as outermost frame, as stackcollapse-perf does."""
    samples = _Samples(source)
    number = 0
    for lines in source.blocks_of_lines():
        for line in lines:
            number += 1
            # Most lines are frames; their texts repeat, so each is looked up as it is.
            if line[:1] in _BLANK and samples.is_open and line.strip():
                samples.add_frame(line)
            elif not samples.begin(line):
                source.faults.add(f"line {number}", "neither a sample nor a frame")
    samples.end()
    return samples.profile()


class _Samples:
    """The samples of a file while they are read."""

    def __init__(self, source: ArtifactSource) -> None:
        self._source = source
        self._functions = FunctionTable(source)
        self._calls = ProfileBuilder(2, source)
        self._frames: dict[bytes, int] = {}
        self._metric: bytes | None = None
        # With the command it is one more than fits: such a stack is cut, and a fault says so.
        self._stack: deque[int] = deque(maxlen=source.budget.stack_frames)
        """From the innermost; of too many, the outermost."""
        self._sample: re.Match[bytes] | None = None
        self._count = self._others = 0

    @property
    def is_open(self) -> bool:
        return self._sample is not None

    def add_frame(self, line: bytes) -> None:
        """Add the caller of the frame before it."""
        found = self._frames.get(line)
        if found is None:
            if len(self._frames) > self._source.budget.functions:
                self._frames.clear()
            found = self._frames[line] = self._functions.number(*_frame(line))
        self._stack.append(found)

    def begin(self, line: bytes) -> bool:
        """End a sample, and begin another if the line is about one; return if it makes sense."""
        self.end()
        self._sample = _SAMPLE.fullmatch(line.strip())
        return self.is_open or not line.strip() or line.startswith(b"#")

    def end(self) -> None:
        sample, stack = self._sample, self._stack
        if sample is None:
            return
        if self._metric is None:
            self._metric = sample[3]
        if sample[3] == self._metric:
            command = self._functions.number(sample[1].decode("utf-8", "replace"))
            frames = chain([command], reversed(stack))
            self._calls.add_stack(frames, (whole(int(sample[2] or 1)), 1))
            self._count += 1
            if self._calls.is_over_limit:
                self._calls.make_room()
        else:
            self._others += 1
        self._sample = None
        stack.clear()

    def profile(self) -> Profile:
        """Return what was read: the first event."""
        metric = (self._metric or b"").decode("utf-8", "replace")
        if self._others:
            self._source.faults.add(
                "samples", f"{self._others} of other events than {metric} are not read"
            )
        names = ("ct" if metric.startswith(_CLOCKS) else metric or "period", "samples")
        return self._calls.profile(NAME, names, self._functions.names, events=self._count)


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


FORMAT = profile_format(NAME, fits, read, is_streamed=True)
