"""Violations that a team knows of, kept in a file, so that only new ones count.

They are known by measure, file and name, never by line: code may move about, but not get worse.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

import msgspec

from benchpin.core import InvalidParams

from .measures import MEASURES, Measure
from .readings import Reading

VERSION = 2
MAX_BYTES = 64 << 20
_ANONYMOUS = "(anonymous)"


class Known(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """A violation as it was when the baseline was written."""

    threshold: str
    file: str
    """Empty for a value of the whole project."""
    name: str
    value: int | float
    limit: int | float
    """The threshold that it was over."""


class _Version(msgspec.Struct):
    version: int


class _Document(msgspec.Struct, forbid_unknown_fields=True):
    version: int
    violations: list[Known]


@dataclass(frozen=True, slots=True)
class Fresh:
    """A violation that is not known, and the value that it was known with before it got worse."""

    reading: Reading
    recorded: float | None = None


@dataclass(frozen=True, slots=True)
class Matching:
    """What of the violations of one measure is new, known, and no longer there."""

    fresh: list[Fresh]
    known: int
    fixed: list[Known]


@dataclass(frozen=True, slots=True)
class Baseline:
    """What is known."""

    violations: tuple[Known, ...] = ()

    def of_project(self, measure: Measure) -> Known | None:
        """Return what is known of the whole project, if it was over the threshold."""
        return next((it for it in self._of(measure) if not it.file), None)

    def elsewhere(self, measure: Measure, accepts: Callable[[str], bool]) -> list[Known]:
        """Return what is known of files that were not looked at."""
        return [it for it in self._of(measure) if it.file and not accepts(it.file)]

    def match(
        self,
        measure: Measure,
        threshold: float,
        readings: Sequence[Reading],
        accepts: Callable[[str], bool],
    ) -> Matching:
        """Tell the violations of one measure from those that are known.

        `accepts` says which files were looked at: what is known of others is left alone.
        """
        over = [it for it in readings if measure.is_worse(it.value, threshold)]
        others = [it for it in readings if not measure.is_worse(it.value, threshold)]
        selected = [it for it in self._of(measure) if it.file and accepts(it.file)]
        unknown, gone = _pair(measure, over, selected)
        fresh, gone = _worsened(unknown, gone)
        return Matching(fresh, len(over) - len(unknown), _fixed(measure, others, gone))

    def _of(self, measure: Measure) -> list[Known]:
        return [it for it in self.violations if it.threshold == measure.threshold_name]


def record(measure: Measure, reading: Reading, limit: float) -> Known:
    """Return a violation as it is recorded."""
    place = reading.place
    return Known(measure.threshold_name, place.file, place.name, reading.value, limit)


def dump(baseline: Baseline) -> bytes:
    """Return a baseline as JSON with one violation on a line, in an order of its own."""
    encode = msgspec.json.encode
    lines = b",\n".join(b"  " + encode(it) for it in sorted(baseline.violations))
    head = b'{"version": %d, "violations": [' % VERSION
    return head + (b"\n" + lines + b"\n" if lines else b"") + b"]}\n"


def load(content: bytes, path: str) -> Baseline:
    """Read a baseline.

    Raises:
        InvalidParams: when it is damaged, or not one.
    """
    try:
        version = msgspec.json.decode(content, type=_Version).version
        if version != VERSION:
            raise _damaged(path, f"it has version {version}, not {VERSION}")
        document = msgspec.json.decode(content, type=_Document)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise _damaged(path, str(error)) from error
    for it in document.violations:
        if it.threshold not in MEASURES:
            raise _damaged(path, f"there is no threshold {it.threshold!r}")
    return Baseline(tuple(document.violations))


def _damaged(path: str, reason: str) -> InvalidParams:
    return InvalidParams(
        f"{path} is not a baseline that can be used: {reason}",
        suggestion="Restore it from version control, or remove it and write it again with "
        "update_baseline.",
        data={"path": path},
    )


def _at_its_place(file: str, name: str) -> tuple[str, str]:
    return file, name


def _wherever_it_is(file: str, name: str) -> tuple[str, str]:
    """Return what a place is still called when it moved: a file keeps its own name."""
    return (file, name) if _ANONYMOUS in name else ("", name or PurePosixPath(file).name)


def _pair(
    measure: Measure, readings: Sequence[Reading], recorded: Sequence[Known]
) -> tuple[list[Reading], list[Known]]:
    """Give each reading what was recorded of it, at its place or wherever it was before."""
    left, gone = _pair_by(_at_its_place, measure, readings, recorded)
    return _pair_by(_wherever_it_is, measure, left, gone)


def _pair_by(
    key: Callable[[str, str], tuple[str, str]],
    measure: Measure,
    readings: Sequence[Reading],
    recorded: Sequence[Known],
) -> tuple[list[Reading], list[Known]]:
    """Give each reading a violation that was recorded as bad or worse; return what is left.

    Several functions of a file may have the same name, so the worst choose first.
    """
    sign = 1 if measure.is_better_high else -1
    left = defaultdict[tuple[str, str], list[Known]](list)
    for it in sorted(recorded, key=lambda it: sign * it.value):
        left[key(it.file, it.name)].append(it)
    unmatched = []
    for reading in sorted(readings, key=lambda it: (sign * it.value, it.place)):
        known = left[key(reading.place.file, reading.place.name)]
        if known and not measure.has_worsened(reading.value, known[0].value):
            known.pop(0)
        else:
            unmatched.append(reading)
    return unmatched, [it for rest in left.values() for it in rest]


def _worsened(unknown: Sequence[Reading], gone: Sequence[Known]) -> tuple[list[Fresh], list[Known]]:
    """Tell what got worse from what is new, and return what is really gone."""
    left = defaultdict[tuple[str, str], list[Known]](list)
    for it in gone:
        left[it.file, it.name].append(it)
    fresh = []
    for reading in unknown:
        before = left[reading.place.file, reading.place.name]
        fresh.append(Fresh(reading, before.pop(0).value if before else None))
    return fresh, [it for rest in left.values() for it in rest]


def _fixed(measure: Measure, others: Sequence[Reading], gone: Sequence[Known]) -> list[Known]:
    """Leave out what is still over the limit of then, and only passes as the threshold is laxer."""
    fixed = list[Known]()
    for limit in {it.limit for it in gone}:
        over = [it for it in others if measure.is_worse(it.value, limit)]
        left = _pair(measure, over, [it for it in gone if it.limit == limit])
        fixed += _worsened(*left)[1]
    return sorted(fixed)
