"""Which measures agree: rank correlations over the files, and the files that many point at."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Literal

from benchpin.core import Item

from .findings import Findings

MeasureName = Literal[
    "size", "complexity", "churn", "duplication", "debt_comments", "defects", "uncovered"
]
LEAST_FILES = 20
"""With fewer, a correlation is mostly chance."""
_TOP_SHARE = 0.1
_LEAST_AGREEING = 3
_TELLING: tuple[MeasureName, ...] = (
    "complexity",
    "churn",
    "duplication",
    "debt_comments",
    "defects",
    "uncovered",
)
_DERIVED: dict[MeasureName, str] = {"defects": "it is predicted from the others"}

Values = Mapping[str, float]


class RankCorrelation(Item):
    """How far two measures put the files in the same order."""

    first: MeasureName
    second: MeasureName
    rho: float
    """Spearman's, from -1 to 1."""
    files: int


class PointedAt(Item):
    """A file that is in the highest tenth by several measures."""

    file: str
    measures: dict[MeasureName, float]


class Correlation(Item):
    """What the measures say together, outside tests."""

    files: int
    correlations: list[RankCorrelation]
    """The strongest first."""
    pointed_at: list[PointedAt]
    """Those that the most measures point at, these first."""
    not_compared: dict[str, str]
    """Measures that could not be compared, and why."""


def correlate(found: Findings) -> Correlation:
    """Compare every measure with every other over the files that are no tests."""
    paths = [file.path for file in found.code]
    if len(paths) < LEAST_FILES:
        reason = f"{len(paths)} files are too few: it takes {LEAST_FILES}"
        return Correlation(
            files=len(paths), correlations=[], pointed_at=[], not_compared={"all": reason}
        )
    measures, not_compared = _gather(found, paths)
    compared = [name for name in measures if name not in _DERIVED]
    not_compared |= {name: why for name, why in _DERIVED.items() if name in measures}
    pairs = [
        _compare(one, other, measures[one], measures[other])
        for one, other in combinations(compared, 2)
    ]
    found_pairs = [it for it in pairs if it is not None]
    return Correlation(
        files=len(paths),
        correlations=sorted(found_pairs, key=lambda it: (-abs(it.rho), it.first, it.second)),
        pointed_at=_pointed_at(measures),
        not_compared=not_compared,
    )


def _gather(
    found: Findings, paths: Sequence[str]
) -> tuple[dict[MeasureName, Values], dict[str, str]]:
    """Return the measures that tell files apart, and why the others do not."""
    measures: dict[MeasureName, Values] = {}
    not_compared: dict[str, str] = {}
    for name, (values, reason) in _measures(found, paths).items():
        if values is None:
            not_compared[name] = reason
        elif len(values) < LEAST_FILES:
            not_compared[name] = f"it is known of {len(values)} files only"
        elif len(set(values.values())) == 1:
            not_compared[name] = "it is the same for every file"
        else:
            measures[name] = values
    return measures, not_compared


def _measures(
    found: Findings, paths: Sequence[str]
) -> dict[MeasureName, tuple[Values | None, str]]:
    churn, clones, debt = found.churn_by_path, found.duplicates, found.debt
    shares = {} if clones is None else {it.file: it.duplicated_percent for it in clones.files}
    comments = Counter(it.file for it in debt.items) if debt is not None else {}
    complexity = {
        file.path: float(sum(it.cyclomatic for it in file.outline.functions)) for file in found.code
    }
    uncovered = (
        None
        if found.coverage is None
        else {path: 1 - found.coverage[path] for path in paths if path in found.coverage}
    )
    defects = (
        None
        if found.defects is None
        else {path: found.defects[path] for path in paths if path in found.defects}
    )
    return {
        "size": ({file.path: float(file.outline.code_lines) for file in found.code}, ""),
        "complexity": (
            complexity if "complexity" in found.wanted else None,
            found.why_not("complexity"),
        ),
        "churn": (
            None
            if churn is None
            else {path: float(churn[path].commit_count if path in churn else 0) for path in paths},
            found.why_not("churn"),
        ),
        "duplication": (
            None if clones is None else {path: shares.get(path, 0.0) for path in paths},
            found.why_not("duplicates"),
        ),
        "debt_comments": (
            None if debt is None else {path: float(comments.get(path, 0)) for path in paths},
            found.why_not("debt"),
        ),
        "defects": (defects, found.why_not("defects")),
        "uncovered": (uncovered, found.why_not("coverage")),
    }


def _compare(
    first: MeasureName, second: MeasureName, ones: Values, others: Values
) -> RankCorrelation | None:
    paths = [path for path in ones if path in others]
    if len(paths) < LEAST_FILES:
        return None
    rho = spearman([ones[path] for path in paths], [others[path] for path in paths])
    if rho is None:
        return None
    return RankCorrelation(first=first, second=second, rho=round(rho, 3), files=len(paths))


def spearman(ones: Sequence[float], others: Sequence[float]) -> float | None:
    """Return the correlation of the ranks, equal values sharing theirs; None when all are equal."""
    left, right = _ranks(ones), _ranks(others)
    middle = (len(left) + 1) / 2
    both = math.fsum((x - middle) * (y - middle) for x, y in zip(left, right, strict=True))
    spread = math.sqrt(
        math.fsum((x - middle) ** 2 for x in left) * math.fsum((y - middle) ** 2 for y in right)
    )
    return both / spread if spread else None


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(range(len(values)), key=lambda at: values[at])
    ranks = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for at in order[start:end]:
            ranks[at] = (start + end + 1) / 2
        start = end
    return ranks


def _pointed_at(measures: Mapping[MeasureName, Values]) -> list[PointedAt]:
    pointing: dict[str, dict[MeasureName, float]] = {}
    for name in _TELLING:
        values = measures.get(name, {})
        most = math.ceil(len(values) * _TOP_SHARE)
        ranked = sorted(values.items(), key=lambda it: (-it[1], it[0]))
        for path, value in ranked[:most]:
            if value > 0:
                pointing.setdefault(path, {})[name] = round(value, 3)
    agreed = [
        PointedAt(file=path, measures=named)
        for path, named in pointing.items()
        if len(named) >= _LEAST_AGREEING
    ]
    return sorted(agreed, key=lambda it: (-len(it.measures), it.file))
