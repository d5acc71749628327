"""Collapsed stacks, one on each line: `outermost;…;innermost count`.

Written by stackcollapse-perf.pl, async-profiler, Excimer, dtrace, py-spy and most others.
"""

from itertools import takewhile

from benchpin.engines.profiles.calls import ProfileBuilder
from benchpin.engines.profiles.values import Profile

from .source import Functions, ProfileSource

NAME = "collapsed"
_LINES_LOOKED_AT = 50
_NO_STACK = b"(unknown)"
"""For samples without a stack, which py-spy writes as a bare count."""


def fits(head: bytes) -> bool:
    """Whether the first lines are stacks, at least one of them with two functions."""
    *lines, last = head.split(b"\n", _LINES_LOOKED_AT)
    lines = [line for line in (lines or [last]) if line.strip()]
    return any(b";" in line for line in lines) and all(
        line.rstrip().rpartition(b" ")[2].isdigit() for line in lines
    )


def read(source: ProfileSource) -> Profile:
    """Read stacks with the number of their samples; the format does not say what was counted."""
    calls = ProfileBuilder(1, source.budget, source.faults)
    functions = Functions(source)
    numbers: dict[bytes, int] = {}
    before: list[bytes] = []
    path: list[int] = []
    line_number = read_lines = 0
    for lines in source.blocks_of_lines():
        for line in lines:
            line_number += 1
            stack, _, count = line.rstrip().rpartition(b" ")
            if not count.isdigit() or len(count) > 15:  # noqa: PLR2004 - 2**53
                if line.strip():
                    source.faults.add(f"line {line_number}", "no stack with a count")
                continue
            frames = (stack or _NO_STACK).split(b";")
            # Neighbouring stacks share most of their callers: only the rest is looked up.
            shared = sum(1 for _ in takewhile(bool, map(bytes.__eq__, frames, before)))
            path = path[:shared]
            for frame in frames[shared:]:
                number = numbers.get(frame)
                if number is None:
                    number = functions.of_frame(frame.decode("utf-8", "replace").strip())
                    numbers[frame] = number
                path.append(calls.tree.child(path[-1] if path else 0, number))
            calls.tree.costs[0][path[-1]] += int(count)
            before = frames
            read_lines += 1
        if calls.is_over_limit:
            before = []
            if not calls.make_room():
                source.faults.add(f"line {line_number}", "stacks too deep; the rest is not read")
                break
    return calls.profile(NAME, ("samples",), functions.names, events=read_lines)
