"""Collapsed stacks, one on each line: `outermost;…;innermost count`.

Written by stackcollapse-perf.pl, async-profiler, Excimer, dtrace, py-spy and most others.
"""

from benchpin.engines.profiles.calls import ProfileBuilder
from benchpin.engines.profiles.calls.tree import ROOT
from benchpin.engines.profiles.values import Profile

from .source import Functions, ProfileSource

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


def read(source: ProfileSource) -> Profile:
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

    def __init__(self, source: ProfileSource) -> None:
        self._calls = ProfileBuilder(1, source.budget, source.faults)
        self._functions = Functions(source)
        self._numbers: dict[bytes, int] = {}
        self._count = 0
        self._before = b""
        """The last stack, each frame with a semicolon after it."""
        self._ends = [0]
        """Where its frames end; first the root."""
        self._path = [ROOT]
        """The nodes of its frames."""

    def add(self, stack: bytes, count: int) -> None:
        """Add samples of a stack."""
        stack += b";"
        before, ends, path, tree = self._before, self._ends, self._path, self._calls.tree
        while not stack.startswith(before[: ends[-1]]):
            ends.pop()
            path.pop()
        node, end = path[-1], ends[-1]
        if end < len(stack):
            for frame in stack[end:-1].split(b";"):
                number = self._numbers.get(frame)
                if number is None:
                    number = self._functions.of_frame(frame.decode("utf-8", "replace").strip())
                    self._numbers[frame] = number
                node = tree.child(node, number)
                end += len(frame) + 1
                path.append(node)
                ends.append(end)
        tree.costs[0][node] += count
        self._before = stack
        self._count += 1

    def make_room(self) -> bool:
        """Fold the tree if it is too large; False if it was no use."""
        if not self._calls.is_over_limit:
            return True
        self._before, self._ends, self._path = b"", [0], [ROOT]
        return self._calls.make_room()

    def profile(self) -> Profile:
        """Return what was read."""
        return self._calls.profile(NAME, ("samples",), self._functions.names, events=self._count)
