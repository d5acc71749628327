"""Collapsed stacks, one on each line: `outermost;…;innermost count`.

Written by stackcollapse-perf.pl, async-profiler, Excimer, dtrace, py-spy and most others.
"""

from bisect import bisect_right

from benchpin.performance.calls import ROOT, ProfileBuilder
from benchpin.performance.reading import ArtifactSource
from benchpin.performance.values import Profile

from ._source import FunctionTable, profile_format

NAME = "collapsed"
_LINES_LOOKED_AT = 50
# The name of samples without a stack, which py-spy writes as a bare count.
_NO_STACK = b"(unknown)"


def fits(head: bytes) -> bool:
    """Whether the first lines are stacks, at least one of them with two functions."""
    *lines, last = head.split(b"\n", _LINES_LOOKED_AT)
    lines = [line for line in (lines or [last]) if line.strip()]
    return any(b";" in line for line in lines) and all(
        line.rstrip().rpartition(b" ")[2].isdigit() for line in lines
    )


def read(source: ArtifactSource) -> Profile:
    """Read stacks with the number of their samples; the format does not say what was counted."""
    stacks = _Stacks(source)
    line_number = 0
    for lines in source.blocks_of_lines():
        for line in lines:
            line_number += 1
            stack, _, count = line.rstrip().rpartition(b" ")
            if count.isdigit() and len(count) <= 15:  # noqa: PLR2004 - 2**53
                stacks.add(stack or _NO_STACK, int(count))
            elif line.strip():
                source.faults.add(f"line {line_number}", "no stack with a count")
        if not stacks.make_room():
            source.faults.add(f"line {line_number}", "stacks too deep; the rest is not read")
            break
    return stacks.profile()


class _Stacks:
    """Adds stacks to a tree; neighbours share most of their callers, and only the rest is read."""

    def __init__(self, source: ArtifactSource) -> None:
        self._calls = ProfileBuilder(1, source)
        self._functions = FunctionTable(source)
        self._most_functions = source.budget.functions
        self._most_frames = source.budget.stack_frames
        self._numbers: dict[bytes, int] = {}
        self._count = 0
        self._before = b""
        """The last stack, each frame with a semicolon after it."""
        self._ends = [0]
        """Where its frames end; first the root."""
        self._path = [ROOT]
        """The nodes of its frames."""

    def add(self, stack: bytes, count: int) -> None:
        stack += b";"
        ends, path, tree = self._ends, self._path, self._calls.tree
        shared = bisect_right(ends, _common(stack, self._before))
        del ends[shared:], path[shared:]
        node, end = path[-1], ends[-1]
        if end < len(stack):
            room = self._most_frames + 1 - len(path)
            *frames, last = stack[end:-1].split(b";", room)
            if len(frames) < room:
                frames.append(last)
            for frame in frames:
                number = self._numbers.get(frame)
                if number is None:
                    number = self._number(frame)
                node = tree.child(node, number)
                end += len(frame) + 1
                path.append(node)
                ends.append(end)
            if end < len(stack):
                node = tree.other(node)
                stack = stack[:end]
                self._calls.note_cut()
        tree.costs[0][node] += count
        self._before = stack
        self._count += 1

    def _number(self, frame: bytes) -> int:
        if len(self._numbers) > self._most_functions:
            self._numbers.clear()
        number = self._functions.of_frame(frame.decode("utf-8", "replace").strip())
        self._numbers[frame] = number
        return number

    def make_room(self) -> bool:
        """Fold the tree if it is too large; False if it was no use."""
        if not self._calls.is_over_limit:
            return True
        self._before, self._ends, self._path = b"", [0], [ROOT]
        return self._calls.make_room()

    def profile(self) -> Profile:
        return self._calls.profile(NAME, ("samples",), self._functions.names, events=self._count)


def _common(one: bytes, other: bytes) -> int:
    """Return how many bytes at the beginning are equal; each step compares half as many."""
    if one.startswith(other):
        return len(other)
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


FORMAT = profile_format(NAME, fits, read, is_streamed=True)
