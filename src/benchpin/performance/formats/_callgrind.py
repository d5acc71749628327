"""Callgrind's format: Valgrind writes it, and so does Xdebug as `cachegrind.out`.

Described in Valgrind's manual, chapter "Callgrind Format Specification".
"""

import re
from collections.abc import Sequence

import msgspec

from benchpin.core.errors import InvalidParams
from benchpin.performance.calls import ROOT
from benchpin.performance.reading import ArtifactSource, redact_command
from benchpin.performance.values import Profile, ProfiledRequest

from ._source import CallGraphBuilder, profile_format, whole

NAME = "callgrind"
_HEADER = re.compile(rb"(?:^|\n)events?: *\S")
_BODY = re.compile(rb"(?:^|\n)fn=|(?:^|\n)# callgrind format|(?:^|\n)creator: ")
_COMPRESSED = re.compile(r"\(([0-9]{1,12})\)(?: (.*))?")
_UNIT = re.compile(r"(.*)_\((10ns|ns|us|µs|bytes)\)")
_UNITS = {"ns": ("wt", 1), "10ns": ("wt", 10), "us": ("wt", 1000), "µs": ("wt", 1000)}
_COST_START = frozenset(b"0123456789+-*")
_COUNT = re.compile(r"[0-9]{1,15}")
_IGNORED = frozenset({b"ob", b"cob", b"jump", b"jcnd", b"jfi", b"jfn"})
_NO_FILE = frozenset({"", "???", "php:internal"})
_MAX_LINE_CHARS = 100_000
# Names that have a number; a later one is taken as it is written.
_MAX_NUMBERED = 1_000_000


def fits(head: bytes) -> bool:
    """Whether it has a header with events, and functions or a mark of the format."""
    return bool(_HEADER.search(head) and _BODY.search(head))


def read(source: ArtifactSource) -> Profile:
    """Read self costs of functions and the costs of their calls; there are no stacks."""
    reading = None
    number = 0
    command = ""
    for lines in source.blocks_of_lines():
        for line in lines:
            number += 1
            if reading is None:
                if line.startswith(b"cmd:"):
                    command = redact_command(line[4:].decode("utf-8", "replace").strip())
                # Words of bytes: text has further blanks, and could be left without an event.
                if line.startswith(b"events:") and (events := line[7:].split()):
                    named = [it.decode("utf-8", "replace") for it in events]
                    reading = _Reading(named, source)
                continue
            if not reading.take(line[:_MAX_LINE_CHARS]):
                source.faults.add(f"line {number}", "neither a cost nor a name")
    if reading is None:
        raise InvalidParams(
            "the callgrind file has no line of events",
            suggestion="Record it again; the file is cut short.",
        )
    profile = reading.profile()
    if not command:
        return profile
    return msgspec.structs.replace(profile, request=ProfiledRequest(command, command=command))


def _metric(event: str) -> tuple[str, int]:
    """Return our name of an event and the factor to its smallest unit."""
    if unit := _UNIT.fullmatch(event):
        known = _UNITS.get(unit[2])
        return known or (f"{unit[1].lower()}_bytes", 1)
    return event, 1


class _Reading:
    """A file of callgrind while its body is read."""

    def __init__(self, events: Sequence[str], source: ArtifactSource) -> None:
        source.budget.check_metrics(len(events))
        metrics = [_metric(event) for event in events]
        self._names = [name for name, _ in metrics]
        self._factors = [factor for _, factor in metrics]
        self._positions = 1
        self._job = source.job
        self._graph = CallGraphBuilder(len(metrics), source)
        self._files: dict[str, str] = {}
        self._functions: dict[str, str] = {}
        self._file = self._called_file = ""
        self._function = self._called = ROOT
        self._calls: int | None = None

    def take(self, line: bytes) -> bool:
        """Read a line; return whether it makes sense."""
        if not line or line[0] in b"#\r":
            return True
        if line[0] in _COST_START:
            return self._cost(line)
        key, mark, value = line.partition(b"=")
        if not mark:
            return self._header(line)
        return self._assign(key, value.decode("utf-8", "replace").strip())

    def _assign(self, key: bytes, text: str) -> bool:
        match key:
            case b"fn":
                self._function = self._numbered(text, self._file)
                self._called_file = self._file
            case b"cfn":
                self._called = self._numbered(text, self._called_file)
            case b"fl":
                self._file = _full(text, self._files)
            case b"cfi" | b"cfl":
                self._called_file = _full(text, self._files)
            case b"fi" | b"fe":  # where inlined code comes from; the function stays the same
                _full(text, self._files)
            case b"calls":
                count = text.split(" ", 1)[0]
                self._calls = int(count) if _COUNT.fullmatch(count) else 0
                self._called_file = self._file
            case _:
                return key in _IGNORED
        return True

    def profile(self) -> Profile:
        """Return what was read; an inclusive cost is the own cost and that of all calls."""
        for total in self._job.timed(self._graph.functions.values()):
            total.inclusive = [a + b for a, b in zip(total.own, total.inclusive, strict=True)]
        return self._graph.profile(NAME, self._names)

    def _cost(self, line: bytes) -> bool:
        fields = line.split()
        try:
            costs = [
                whole(int(field), factor)
                for field, factor in zip(fields[self._positions :], self._factors, strict=False)
            ]
        except ValueError:
            return False
        costs += [0] * (len(self._factors) - len(costs))
        nothing = [0] * len(costs)
        if self._calls is None:
            self._graph.add(self._function, 0, costs, nothing)
            return True
        self._graph.add_pair((self._function, self._called), self._calls, costs)
        self._graph.add(self._called, self._calls, nothing, nothing)
        if self._function != self._called:  # a recursive call is in the cost of the outer one
            self._graph.add(self._function, 0, nothing, costs)
        self._calls = None
        return True

    def _header(self, line: bytes) -> bool:
        key, mark, value = line.partition(b":")
        if key == b"positions":
            self._positions = max(1, len(value.split()))
        return bool(mark)

    def _numbered(self, text: str, file: str) -> int:
        name = _full(text, self._functions)
        return self._graph.table.number(name, None if file in _NO_FILE else file)


def _full(text: str, known: dict[str, str]) -> str:
    """Return a name; `(7) name` gives it a number, and later `(7)` means it."""
    name = known.get(text)
    if name is None:
        compressed = _COMPRESSED.fullmatch(text)
        name = compressed[2] if compressed and compressed[2] else text
        if compressed and len(known) < _MAX_NUMBERED:
            known[f"({compressed[1]})"] = name
    return name


FORMAT = profile_format(NAME, fits, read, is_streamed=True)
