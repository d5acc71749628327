"""Which measures agree: rank correlations over files, and files that are high by several."""

import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, Literal, get_args

from benchpin.core.results import Item
from benchpin.present import Column, Table
from benchpin.project import Findings

MeasureName = Literal[
    "size", "complexity", "churn", "duplication", "debt_comments", "defects", "uncovered"
]
# With fewer, a correlation is mostly chance.
MIN_FILES = 20
_TOP_SHARE = 0.1
_MIN_AGREEING = 3
_DERIVED: dict[MeasureName, str] = {"defects": "it is predicted from the others"}
# The fields of the findings that measures with another name come from.
_FIELDS: dict[MeasureName, str] = {
    "duplication": "duplicates",
    "debt_comments": "debt",
    "uncovered": "coverage",
}

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
    """How the measures of files relate, outside tests."""

    files: int
    correlations: list[RankCorrelation]
    """The strongest first."""
    pointed_at: list[PointedAt]
    """Those that the most measures point at, these first."""
    not_compared: dict[str, str]
    """Measures that could not be compared, and why."""


def correlate(found: Findings) -> Correlation:
    """Compare every measure with every other over the files that are no tests."""
    paths = [file.path for file in found.files]
    if len(paths) < MIN_FILES:
        reason = f"{len(paths)} files are too few: it takes {MIN_FILES}"
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
    """Return the measures that differ between files, and why the others cannot be compared."""
    measures: dict[MeasureName, Values] = {}
    not_compared: dict[str, str] = {}
    for name, values in _measures(found, paths).items():
        if values is None:
            not_compared[name] = found.why_not(_FIELDS.get(name, name))
        elif len(values) < MIN_FILES:
            not_compared[name] = f"it is known of {len(values)} files only"
        elif len(set(values.values())) == 1:
            not_compared[name] = "it is the same for every file"
        else:
            measures[name] = values
    return measures, not_compared


def _measures(found: Findings, paths: Sequence[str]) -> dict[MeasureName, Values | None]:
    """Return the values of each measure by file; those of a file without any are 0, or missing."""
    measures: dict[MeasureName, Values | None] = dict.fromkeys(get_args(MeasureName))
    measures["size"] = {file.path: file.outline.code_lines for file in found.files}
    if "complexity" in found.wanted:
        measures["complexity"] = {
            file.path: sum(it.cyclomatic for it in file.outline.functions) for file in found.files
        }
    if (churn := found.churn_by_path) is not None:
        commits = {path: it.commit_count for path, it in churn.items()}
        measures["churn"] = {path: commits.get(path, 0) for path in paths}
    if found.duplicates is not None:
        shares = {it.file: it.duplicated_percent for it in found.duplicates.files}
        measures["duplication"] = {path: shares.get(path, 0.0) for path in paths}
    if found.debt is not None:
        comments = Counter(it.file for it in found.debt.items)
        measures["debt_comments"] = {path: comments[path] for path in paths}
    if (risks := found.defects) is not None:
        measures["defects"] = {path: risks[path] for path in paths if path in risks}
    if (covered := found.coverage) is not None:
        measures["uncovered"] = {path: 1 - covered[path] for path in paths if path in covered}
    return measures


def _compare(
    first: MeasureName, second: MeasureName, ones: Values, others: Values
) -> RankCorrelation | None:
    paths = [path for path in ones if path in others]
    if len(paths) < MIN_FILES:
        return None
    rho = spearman([ones[path] for path in paths], [others[path] for path in paths])
    if rho is None:
        return None
    return RankCorrelation(first=first, second=second, rho=round(rho, 3), files=len(paths))


def spearman(ones: Sequence[float], others: Sequence[float]) -> float | None:
    """Return the correlation of the ranks; None when all values on one side are equal."""
    try:
        return statistics.correlation(_ranks(ones), _ranks(others))
    except statistics.StatisticsError:
        return None


def _ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value; equal values share the mean of theirs."""
    ranks: dict[float, float] = {}
    below = 0
    for value, count in sorted(Counter(values).items()):
        ranks[value] = below + (count + 1) / 2
        below += count
    return [ranks[value] for value in values]


def _pointed_at(measures: Mapping[MeasureName, Values]) -> list[PointedAt]:
    pointing: dict[str, dict[MeasureName, float]] = {}
    for name, values in measures.items():
        if name == "size":  # a large file is no worse than others
            continue
        most = math.ceil(len(values) * _TOP_SHARE)
        ranked = sorted(values.items(), key=lambda it: (-it[1], it[0]))
        for path, value in ranked[:most]:
            if value > 0:
                pointing.setdefault(path, {})[name] = round(value, 3)
    agreed = [
        PointedAt(file=path, measures=named)
        for path, named in pointing.items()
        if len(named) >= _MIN_AGREEING
    ]
    return sorted(agreed, key=lambda it: (-len(it.measures), it.file))


# Weaker rank correlations are not worth a line.
_MIN_RHO = 0.3
_ALWAYS_CORRELATED = {"size", "complexity"}


def _is_news(correlation: RankCorrelation) -> bool:
    return (
        abs(correlation.rho) >= _MIN_RHO
        and {correlation.first, correlation.second} != _ALWAYS_CORRELATED
    )


CORRELATION_TABLES: tuple[Table[Any, Any], ...] = (
    Table(
        rows=lambda it: [*filter(_is_news, it.defect_correlation.correlations)],
        columns=(
            Column("rho", spec="+.2f"),
            Column("first"),
            Column("second"),
            Column("files"),
        ),
        title="Rank correlations between measures",
        is_detail=True,
    ),
    Table(
        rows=lambda it: it.defect_correlation.pointed_at,
        columns=(
            Column("file"),
            Column(
                "measures",
                lambda it: ", ".join(f"{name} {value:g}" for name, value in it.measures.items()),
            ),
        ),
        title="Files in the highest tenth by several measures",
        is_detail=True,
    ),
)
