"""Rules about the code itself: what is too complex, copied, dead or too big."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator

from benchpin.core import counted
from benchpin.engines.metrics import complexity
from benchpin.engines.metrics.duplicates import CloneGroup
from benchpin.engines.source.testing import is_test_path

from .advice import MOST_OF_A_RULE, Evidence, Recommendation, advise
from .findings import Findings, first_of_each
from .hotspots import Hotspot
from .scorecard import CLONE_MINUTES, DEAD_MINUTES

_OFTEN = 2
"""Commits from which on a file keeps changing."""
_LEAST_LINES = 10
"""Shorter clones are tables more often than code."""
_MINUTES = 60
_MUCH_REMOVABLE = 200
_REMOVABLE = 40
_MANY_DEAD_LINES = 200
_GOD_LINES = 1000
_GOD_FUNCTIONS = 30
_GOD_HOURS = 16.0


def hot_functions(found: Findings, spots: Iterable[Hotspot]) -> Iterator[Recommendation]:
    """Break up functions that are far too complex, in files that keep changing."""
    churned = found.churn_by_path or {}
    by_file = defaultdict[str, list[Hotspot]](list)
    for it in spots:
        if it.refactoring_effort.priority == "High":
            by_file[it.location.file].append(it)
    often = [path for path in by_file if churned and churned[path].commit_count >= _OFTEN]
    for path in often[:MOST_OF_A_RULE]:
        hot, commits = by_file[path], churned[path].commit_count
        more = f" and {len(hot) - 1} more" if len(hot) > 1 else ""
        yield advise(
            found,
            "hot-functions",
            f"Break up {hot[0].location.function}{more} in {path}",
            f"{_hard(len(hot))} to follow, in a file that keeps changing: {commits} commits in "
            f"{found.period_days} days.",
            priority="High",
            hours=math.fsum(it.refactoring_effort.estimated_hours for it in hot),
            basis=hot[0].refactoring_effort.basis,
            evidence=[_at(it) for it in hot],
        )


def _hard(count: int) -> str:
    return counted(count, "function is hard", "functions are hard")


def _at(it: Hotspot) -> Evidence:
    where = it.location
    values = "; ".join(term.basis for term in it.terms if term.value is not None)
    return Evidence(file=where.file, line=where.line, what=f"{where.function}: {values}")


def complex_functions(found: Findings) -> Iterator[Recommendation]:
    """Simplify functions at more than twice a threshold."""
    errors = [it for it in found.violations if it.severity == "error"]
    worst = first_of_each(errors)
    if worst:
        count = counted(len(worst), "function is", "functions are")
        yield advise(
            found,
            "complex-functions",
            "Simplify the most complex functions",
            f"{count} over twice a complexity threshold (cyclomatic 10, cognitive 15).",
            priority="Medium",
            hours=complexity.summarize([], errors).technical_debt_hours,
            basis="30 minutes for each point over a threshold",
            evidence=[Evidence(file=it.file, line=it.line, what=it.message) for it in worst],
        )


def clones(found: Findings) -> Iterator[Recommendation]:
    """Join the biggest clones outside tests; each stretch of code is named once."""
    groups = [] if found.duplicates is None else found.duplicates.groups
    seen: set[tuple[str, int]] = set()
    big = 0
    for group in groups:
        removable = _removable(group)
        places = {
            (it.file, line) for it in group.fragments for line in range(it.line, it.end_line + 1)
        }
        if group.lines < _LEAST_LINES or removable < _REMOVABLE:
            continue
        if not seen.isdisjoint(places) or _is_of_tests(group):
            continue
        seen |= places
        big += 1
        if big > MOST_OF_A_RULE:
            return
        yield _join_clones(found, group, removable)


def _removable(group: CloneGroup) -> int:
    """Return how many lines could go if one of the copies stayed."""
    return sum(it.end_line - it.line + 1 for it in group.fragments[1:])


def _is_of_tests(group: CloneGroup) -> bool:
    return group.type == "semantic" or any(is_test_path(it.file) for it in group.fragments)


def _join_clones(found: Findings, group: CloneGroup, removable: int) -> Recommendation:
    where = counted(len({it.file for it in group.fragments}), "file")
    kind = "The same code" if group.type == "exact" else f"Nearly the same code ({group.type})"
    return advise(
        found,
        "clones",
        f"Join {len(group.fragments)} copies of {group.lines} lines",
        f"{kind} is in {where}; about {removable:,} lines could go.",
        priority="Medium" if removable >= _MUCH_REMOVABLE else "Low",
        hours=removable * CLONE_MINUTES / _MINUTES,
        basis=f"{removable:,} lines · {CLONE_MINUTES} minute",
        evidence=[
            Evidence(file=it.file, line=it.line, what=f"lines {it.line} to {it.end_line}")
            for it in group.fragments
        ],
        share=removable / sum(file.outline.lines for file in found.code),
    )


def dead_code(found: Findings) -> Iterator[Recommendation]:
    """Remove what nothing uses."""
    if found.dead_code is None or not found.dead_code.items:
        return
    items, lines = found.dead_code.items, found.dead_code.summary.dead_lines
    count = counted(len(items), "function, method or type", "functions, methods and types")
    yield advise(
        found,
        "dead-code",
        f"Remove {counted(lines, 'line')} of dead code",
        f"Nothing in the workspace seems to use {count}.",
        priority="Medium" if lines >= _MANY_DEAD_LINES else "Low",
        hours=len(items) * DEAD_MINUTES / _MINUTES,
        basis=f"{len(items):,} · {DEAD_MINUTES} minutes",
        evidence=[
            Evidence(
                file=it.file,
                line=it.line,
                what=f"{it.label} {it.name}, {it.lines} lines, confidence {it.confidence:g}",
            )
            for it in items
        ],
        share=lines / found.dead_code.summary.total_lines,
    )


def god_files(found: Findings) -> Iterator[Recommendation]:
    """Split files that do too much."""
    if "ast" not in found.wanted:
        return
    big = [
        file
        for file in found.code
        if file.outline.code_lines > _GOD_LINES and len(file.outline.functions) > _GOD_FUNCTIONS
    ]
    big.sort(key=lambda it: (-it.outline.code_lines, it.path))
    if big:
        count = counted(len(big), "file has", "files have")
        yield advise(
            found,
            "god-files",
            "Split the biggest files",
            f"{count} more than {_GOD_LINES:,} lines of code and {_GOD_FUNCTIONS} functions.",
            priority="Medium",
            hours=len(big) * _GOD_HOURS,
            basis=f"{_GOD_HOURS:g} hours a file",
            evidence=[
                Evidence(
                    file=it.path,
                    line=1,
                    what=f"{it.outline.code_lines:,} lines of code, "
                    f"{len(it.outline.functions):,} functions",
                )
                for it in big
            ],
        )
