"""Violations that a team knows of, kept in a file, so that only new ones count.

They are identified by measure, file and name, never by line: code may move, but not get worse.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import msgspec

from benchpin.core.errors import FileMissing, InvalidParams
from benchpin.workspace.files import opened
from benchpin.workspace.writing import NO_FILE, sha256_of

from ._measures import MEASURES, GateMeasure
from ._values import GateValue

VERSION = 2
MAX_BYTES = 64 << 20
_ANONYMOUS = "(anonymous)"


class KnownViolation(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
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
    violations: list[KnownViolation]


@dataclass(frozen=True, slots=True)
class BaselineMatch:
    """The violations of one measure, compared with a baseline."""

    new: list[tuple[GateValue, float | None]]
    """Each with the value that it is recorded with, if it got worse."""
    known: int
    fixed: list[KnownViolation]
    """Those that are gone."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The recorded violations."""

    violations: tuple[KnownViolation, ...] = ()

    def of_project(self, measure: GateMeasure) -> KnownViolation | None:
        """Return the violation of the whole project, if one is recorded."""
        return next((it for it in self._of(measure) if not it.file), None)

    def elsewhere(
        self, measure: GateMeasure, accepts: Callable[[str], bool]
    ) -> list[KnownViolation]:
        """Return the violations in files that were not looked at."""
        return [it for it in self._of(measure) if it.file and not accepts(it.file)]

    def match(
        self,
        measure: GateMeasure,
        threshold: float,
        values: Sequence[GateValue],
        accepts: Callable[[str], bool],
    ) -> BaselineMatch:
        """Compare the violations of one measure with those recorded.

        `accepts` says which files were looked at: what is recorded of others is ignored.
        """
        over = [it for it in values if measure.is_worse(it.value, threshold)]
        others = [it for it in values if not measure.is_worse(it.value, threshold)]
        selected = [it for it in self._of(measure) if it.file and accepts(it.file)]
        unknown, gone = _pair(measure, over, selected)
        new, gone = _worsened(unknown, gone)
        return BaselineMatch(new, len(over) - len(unknown), _fixed(measure, others, gone))

    def _of(self, measure: GateMeasure) -> list[KnownViolation]:
        return [it for it in self.violations if it.threshold == measure.threshold_name]


def record(measure: GateMeasure, value: GateValue, limit: float) -> KnownViolation:
    """Return a violation as a baseline records it."""
    return KnownViolation(measure.threshold_name, value.file, value.name, value.value, limit)


def dump(baseline: Baseline) -> bytes:
    """Return a baseline as JSON, sorted, with one violation on a line."""
    encode = msgspec.json.encode
    lines = b",\n".join(b"  " + encode(it) for it in sorted(baseline.violations))
    head = b'{"version": %d, "violations": [' % VERSION
    return head + (b"\n" + lines + b"\n" if lines else b"") + b"]}\n"


def read(
    root: Path, path: PurePosixPath | None, *, may_be_missing: bool = False
) -> tuple[Baseline, str]:
    """Read a baseline below a folder, and its hash; without a path, it is empty.

    Raises:
        FileMissing: when there is none.
        InvalidParams: when it is damaged, or not one.
    """
    is_missing = path is None or not (root / path).exists()
    if path is None or (is_missing and may_be_missing):
        return Baseline(), NO_FILE
    if is_missing:
        raise FileMissing(
            f"There is no baseline at {str(path)!r}",
            suggestion="Correct the path, or write it with update_baseline=true.",
            data={"path": str(path)},
        )
    with opened(root, path, MAX_BYTES) as file:
        content = file.read(MAX_BYTES)
    return load(content, str(path)), sha256_of(content)


def load(content: bytes, path: str) -> Baseline:
    """Read a baseline.

    Raises:
        InvalidParams: when it is damaged, or not one.
    """
    try:
        version = msgspec.json.decode(content, type=_Version).version
        if version > VERSION:
            raise InvalidParams(
                f"{path} was written by a newer Benchpin: it has version {version}, and this one "
                f"reads {VERSION}",
                suggestion="Update Benchpin (pip install -U benchpin); the file was not changed.",
                data={"path": path},
            )
        if version != VERSION:
            raise _damaged(path, f"it has version {version}, not {VERSION}")
        document = msgspec.json.decode(content, type=_Document)
    except (ValueError, RecursionError) as error:
        raise _damaged(path, str(error)) from error
    for violation in document.violations:
        if violation.threshold not in MEASURES:
            raise _damaged(path, f"there is no threshold {violation.threshold!r}")
    return Baseline(tuple(document.violations))


def _damaged(path: str, reason: str) -> InvalidParams:
    return InvalidParams(
        f"{path} is not a baseline that can be used: {reason}",
        suggestion="Restore it from version control, or remove it and write it again with "
        "update_baseline.",
        data={"path": path},
    )


_Identity = tuple[str, str]


def _in_place(violation: GateValue | KnownViolation) -> _Identity:
    return violation.file, violation.name


def _anywhere(violation: GateValue | KnownViolation) -> _Identity:
    """Identify code that moved: a function by its name, a file by its own name."""
    if _ANONYMOUS in violation.name:
        return violation.file, violation.name
    return "", violation.name or PurePosixPath(violation.file).name


def _pair(
    measure: GateMeasure, values: Sequence[GateValue], recorded: Sequence[KnownViolation]
) -> tuple[list[GateValue], list[KnownViolation]]:
    """Pair values with violations recorded as bad or worse; return those left over on both sides.

    The same place is tried first, then other files. Several functions of a file may have the same
    name, so the worst choose first.
    """
    sign = 1 if measure.is_better_high else -1
    unpaired = sorted(values, key=lambda it: (sign * it.value, it.place))
    left = list(recorded)
    for identity in (_in_place, _anywhere):
        candidates = _grouped(sorted(left, key=lambda it: sign * it.value), identity)
        choosing, unpaired = unpaired, []
        for violation in choosing:
            known = candidates[identity(violation)]
            if known and not measure.has_worsened(violation.value, known[0].value):
                known.pop(0)
            else:
                unpaired.append(violation)
        left = [it for rest in candidates.values() for it in rest]
    return unpaired, left


def _grouped(
    violations: Sequence[KnownViolation], identity: Callable[[KnownViolation], _Identity]
) -> defaultdict[_Identity, list[KnownViolation]]:
    groups = defaultdict[_Identity, list[KnownViolation]](list)
    for violation in violations:
        groups[identity(violation)].append(violation)
    return groups


def _worsened(
    unknown: Sequence[GateValue], gone: Sequence[KnownViolation]
) -> tuple[list[tuple[GateValue, float | None]], list[KnownViolation]]:
    """Give each unknown violation the value it had before it got worse; return what is gone too."""
    left = _grouped(gone, _in_place)
    new = list[tuple[GateValue, float | None]]()
    for violation in unknown:
        before = left[_in_place(violation)]
        new.append((violation, before.pop(0).value if before else None))
    return new, [it for rest in left.values() for it in rest]


def _fixed(
    measure: GateMeasure, others: Sequence[GateValue], gone: Sequence[KnownViolation]
) -> list[KnownViolation]:
    """Leave out what is still over its recorded limit and passes only because of a laxer one."""
    fixed = list[KnownViolation]()
    for limit in {it.limit for it in gone}:
        over = [it for it in others if measure.is_worse(it.value, limit)]
        left = _pair(measure, over, [it for it in gone if it.limit == limit])
        fixed += _worsened(*left)[1]
    return sorted(fixed)
