"""What every reader of profiles works with: the file, its limits, and the functions it names."""

import codecs
import re
from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from benchpin.core.errors import InvalidParams
from benchpin.performance.calls import CallSums, Name, costs_of, edges_of
from benchpin.performance.reading import MAX_DOCUMENT_BYTES, ArtifactSource, refuse_crowded
from benchpin.performance.values import Profile, SlowLog
from benchpin.system.processes import gc_off

from ._format import ArtifactFormat

T = TypeVar("T")
# What msgspec raises for a document that is damaged or has another shape.
UNDECODABLE = (ValueError, RecursionError)
NS_PER_UNIT = {
    "nanoseconds": 1,
    "microseconds": 1_000,
    "milliseconds": 1_000_000,
    "seconds": 1_000_000_000,
}
_MAX_NAME_CHARS = 1_000
# Costs above this are damage: in nanoseconds it is more than a hundred days.
_MAX_NUMBER = 1 << 53
# Logs are streamed; this only ends what a small file unpacks to.
MAX_UNPACKED_BYTES = 64 << 30
_LAST_LINE = (1 << 31) - 1
_WITH_PLACE = re.compile(r"(.{1,990}) \(([^()]{1,500}):([0-9]{1,9})\)")


class FunctionTable:
    """Numbers for the functions of a profile, in the order in which they were met."""

    def __init__(self, source: ArtifactSource) -> None:
        self.names: dict[int, Name] = {}
        self._numbers: dict[Name, int] = {}
        self._known: dict[tuple[str, str | None, int | None], int] = {}
        """By what was asked for: most are asked for again and again."""
        self._limit = source.budget.functions
        self._faults = source.faults

    def number(self, function: str, file: str | None = None, line: int | None = None) -> int:
        """Return the number of a function; the same name, file and line have the same one.

        Past the limit all new ones are one function, and a fault says so.
        """
        known = self._known.get((function, file, line))
        if known is None:
            known = self._number(function, file, line)
            if len(self._known) <= self._limit:
                self._known[function, file, line] = known
        return known

    def _number(self, function: str, file: str | None, line: int | None) -> int:
        name = Name(
            function[:_MAX_NAME_CHARS] or "(anonymous)",
            (file or "")[:_MAX_NAME_CHARS] or None,
            line if line and 0 < line <= _LAST_LINE else None,
        )
        found = self._numbers.get(name)
        if found is None:
            found = len(self._numbers)
            if found > self._limit:
                return found - 1
            if found == self._limit:
                name = Name("(other functions)")
                self._faults.add("functions", f"more than {self._limit}; the rest is one function")
            self._numbers[name] = found
            self.names[found] = name
        return found

    def of_frame(self, frame: str) -> int:
        """Return the number of a frame of a stack, such as `name` or `name (file:line)`.

        The line is where the frame was, not where the function begins, so it is dropped: samples
        in two lines of a function belong together.
        """
        placed = _WITH_PLACE.fullmatch(frame)
        return self.number(placed[1], placed[2]) if placed else self.number(frame)


def profile_format(
    name: str,
    fits: Callable[[bytes], bool],
    read: Callable[[ArtifactSource], Profile],
    *,
    is_streamed: bool = False,
    max_bytes: int = MAX_DOCUMENT_BYTES,
) -> ArtifactFormat:
    """Return the entry of a format of profiles; `fits` gets the first bytes of a file."""
    limit = None if is_streamed else max_bytes
    # A profile is many small objects without cycles: the collector took up to half of the time.
    reading = gc_off()(read)
    return ArtifactFormat(name, "profile", lambda head: fits(head.content), reading, Profile, limit)


def with_faults(log: SlowLog, source: ArtifactSource) -> SlowLog:
    """Add what was wrong with a packed file."""
    is_whole = log.is_complete and not source.faults
    faults = (*log.faults, *source.faults.listed())
    return msgspec.structs.replace(log, is_complete=is_whole, faults=faults)


def decoded(document: bytearray, kind: type[T]) -> T:
    """Return a JSON document as a value.

    Raises:
        InvalidParams: when it is cut short or has another shape.
    """
    refuse_crowded(document)
    if document.startswith(codecs.BOM_UTF8):
        del document[: len(codecs.BOM_UTF8)]
    try:
        return msgspec.json.decode(document, type=kind, strict=False)
    except UNDECODABLE as error:
        raise InvalidParams(
            f"the profile cannot be read: {error}",
            suggestion="Record it again: the file is cut short or damaged.",
        ) from error


def whole(value: float, factor: int = 1) -> int:
    """Return a cost as a whole number of the smallest unit.

    Raises:
        InvalidParams: when no profiler can have measured it.
    """
    amount = value * factor
    if -_MAX_NUMBER <= amount <= _MAX_NUMBER:
        return amount if isinstance(amount, int) else round(amount)
    raise InvalidParams(
        f"the profile has a cost of {value!r}, which nothing can have measured",
        suggestion="Record the profile again; the file is damaged.",
    )


# Profiles of functions and the calls between them, without stacks: cProfile, callgrind, XHProf.


class CallGraphBuilder(CallSums):
    """Sums of functions and of pairs of caller and callee while a profile is read."""

    def __init__(self, metrics: int, source: ArtifactSource) -> None:
        source.budget.check_metrics(metrics)
        super().__init__(metrics, source.budget.edges)
        self.table = FunctionTable(source)
        self._source = source

    def profile(self, version: str, metrics: Sequence[str]) -> Profile:
        job, faults, nothing = self._source.job, self._source.faults, [0] * len(metrics)
        for number in {number for pair in self.pairs for number in pair}:
            self.add(number, 0, nothing, nothing)
        functions, places = costs_of(self.functions, self.table.names, job)
        self.note_left_out(faults)
        return Profile(
            version=version,
            metrics=tuple(metrics),
            request=None,
            events=sum(cost.calls for cost in functions),
            functions=functions,
            edges=edges_of(self.pairs, places, job),
            tree=(),
            is_complete=len(faults) == 0,
            faults=faults.listed(),
        )
