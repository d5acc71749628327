"""Judge the health score: how it spreads over known projects, and what their maintainers refactor.

A score that hardly differs between projects says nothing, so its quartiles are a figure. The
outside judgement is that of the maintainers: the files that their own commits call refactored,
cleaned up or simplified in the last two years should be those with a low index.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import numpy as np

from agreement.known_projects import CHOSEN_ON, HELD_BACK
from agreement.table import Missing, Row, checkout
from benchpin.app import Workbench
from benchpin.core.calls import Job
from benchpin.facts import SourceIndex, SourceQuery
from benchpin.measures.complexity import measure_file
from benchpin.measures.history import read_history
from benchpin.project.defects._features import is_small
from benchpin.project.scores import Scorecard
from benchpin.toolsets.analysis.analyze_comprehensive import ComprehensiveReport
from benchpin.workspace.walking import is_test_path
from defects import auc

_REFACTORING = re.compile(
    r"\b(?:refactor\w*|clean(?:s|ed|ing)?[- ]?ups?|simplif\w+|restructur\w*|tid(?:y|ied)|dedup\w*"
    r"|untangl\w+|modulari[sz]\w*|rework\w*|split)\b",
    re.IGNORECASE,
)
_PERIOD = timedelta(days=730)


@dataclass(frozen=True)
class _Judged:
    card: Scorecard
    by_index: float | None
    """How often a file that was refactored has the lower index."""
    by_lines: float | None
    """How often it has more lines of code."""


def rows(projects: Path) -> list[Row]:
    """Return the spread and the agreement on both samples."""
    found = [
        *_sample(projects, CHOSEN_ON, "chosen on"),
        *_sample(projects, HELD_BACK, "held back"),
    ]
    if not found:
        raise Missing("none of the known projects is here")
    return found


def _sample(projects: Path, names: Sequence[str], title: str) -> Iterator[Row]:
    judged = list(_judge_each(projects, names))
    if not judged:
        return
    sample = f"{len(judged)} projects, {title}"
    health = [it.card.overall_health or 0.0 for it in judged]
    yield Row("health", "its spread", sample, _spread(health))
    parts = [
        {part.name: part.score for part in it.card.parts if part.score is not None} for it in judged
    ]
    scores = [it["maintainability"] for it in parts if "maintainability" in it]
    yield Row("maintainability", "its spread", sample, _spread(scores))
    told = [(it.by_index, it.by_lines) for it in judged]
    known = [(index, lines) for index, lines in told if index is not None and lines is not None]
    if known:
        index, lines = np.mean(known, axis=0)
        result = f"AUC {index:.2f}; lines of code alone {lines:.2f}"
        yield Row("maintainability index of a file", "refactoring commits", sample, result)


def _spread(values: Sequence[float]) -> str:
    low, first, middle, third, high = np.quantile(values, (0, 0.25, 0.5, 0.75, 1))
    return f"{low:.0f} to {high:.0f}, quartiles {first:.0f}, {middle:.0f}, {third:.0f}"


def _judge_each(projects: Path, names: Sequence[str]) -> Iterator[_Judged]:
    for name in names:
        try:
            root = checkout(projects, name)
        except Missing:
            continue
        report = Workbench.open(root).call("analyze_comprehensive", include_defects=False)
        card = cast("ComprehensiveReport", report).quality_scorecard
        yield _Judged(card, *_refactored(root))


def _refactored(root: Path) -> tuple[float | None, float | None]:
    job = Job()
    history = read_history(root, root, job)
    since = history.commits[0].time - _PERIOD
    touched = {
        file.path
        for commit in history.commits
        if commit.time >= since and is_small(commit) and _REFACTORING.search(commit.subject)
        for file in commit.files
    }
    with TemporaryDirectory() as place:
        index = SourceIndex(root, Path(place))
        read = index.read(SourceQuery(sections=("outline",)), job).files
        index.close()
    files = [it for it in read if it.outline.code_lines and not is_test_path(it.path)]
    outcomes = np.array([it.path in touched for it in files], np.float64)
    indexes = np.array([measure_file(it.outline).maintainability_index for it in files])
    lines = np.array([it.outline.code_lines for it in files], np.float64)
    return auc(-indexes, outcomes), auc(lines, outcomes)
