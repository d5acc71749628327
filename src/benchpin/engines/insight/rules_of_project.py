"""Rules about dependencies, changes, tests and comments."""

from collections.abc import Iterator

from benchpin.core import counted
from benchpin.engines.metrics.debt import DebtItem
from benchpin.engines.metrics.debt_gradient import HOURS_BASIS, WARNING_ABOVE
from benchpin.engines.source.testing import is_test_path

from .advice import MOST_OF_A_RULE, Evidence, Level, Recommendation, advise
from .findings import Cycle, Findings
from .scorecard import COMMENT_HOURS

_MINUTES = 60
_BIG_CYCLE = 10
_CYCLE = 4
_CYCLE_HOURS = 1.0
_MOST_STEPS = 6
_UNTESTED = 0.5
_HOT_CHURN = 0.25
_TEST_LINES_AN_HOUR = 40
_IMPORT_MINUTES = 10
_TOGETHER_COMMITS = 5
_TOGETHER_DEGREE = 0.7
_TOGETHER_HOURS = 4.0
_LIKELY = 0.7
_REVIEW_HOURS = 2.0


def import_cycles(found: Findings) -> Iterator[Recommendation]:
    """Untie the biggest import cycles outside tests."""
    cycles = [it for it in found.cycles or () if not all(map(is_test_path, it.files))]
    for cycle in cycles[:MOST_OF_A_RULE]:
        size = len(cycle.files)
        priority: Level = "Low"
        if size >= _CYCLE:
            priority = "High" if size >= _BIG_CYCLE else "Medium"
        way = " → ".join(_way_round(cycle))
        yield advise(
            found,
            "import-cycle",
            f"Untie {size} files that import one another",
            f"None of them can be understood, tested or reused alone. A shortest way round: {way}.",
            priority=priority,
            hours=size * _CYCLE_HOURS,
            basis=f"{_CYCLE_HOURS:g} hour a file",
            evidence=[
                Evidence(file=path, line=1, what=f"one of {size} in the cycle")
                for path in (*cycle.way, *(it for it in cycle.files if it not in cycle.way))
            ],
        )


def _way_round(cycle: Cycle) -> list[str]:
    """Return the files on a way round, of a long one the first."""
    if len(cycle.way) > _MOST_STEPS:
        return [*cycle.way[:_MOST_STEPS], f"{len(cycle.way) - _MOST_STEPS} more", cycle.way[0]]
    return [*cycle.way, cycle.way[0]]


def steep_files(found: Findings) -> Iterator[Recommendation]:
    """Look after files that gather debt fast."""
    steep = [
        it for it in found.gradients or () if it.score > WARNING_ABOVE and not is_test_path(it.file)
    ]
    if steep:
        is_critical = steep[0].severity == "critical"
        count = counted(len(steep), "file gathers", "files gather")
        yield advise(
            found,
            "debt-gradient",
            "Look after the files that gather debt fastest",
            f"{count} debt at a gradient over {WARNING_ABOVE:g} of 5.",
            priority="High" if is_critical else "Medium",
            hours=sum(it.estimated_hours for it in steep),
            basis=HOURS_BASIS,
            evidence=[
                Evidence(file=it.file, line=1, what=f"gradient {it.score:.2f}") for it in steep
            ],
        )


def untested(found: Findings) -> Iterator[Recommendation]:
    """Test files that change and that tests do not run."""
    churned = found.churn_by_path
    if found.coverage is None or churned is None:
        return
    for file in found.code:
        share, changed = found.coverage.get(file.path), churned.get(file.path)
        if share is None or changed is None or share >= _UNTESTED:
            continue
        if changed.churn_score < _HOT_CHURN:
            continue
        lines = round((1 - share) * file.outline.code_lines)
        values = f"{share:.0%} covered, {counted(changed.commit_count, 'commit')}"
        yield advise(
            found,
            "untested",
            f"Test {file.path}",
            f"It keeps changing and tests run little of it: {values} in {found.period_days} days.",
            priority="High",
            hours=lines / _TEST_LINES_AN_HOUR,
            basis=f"{lines:,} lines that no test runs, {_TEST_LINES_AN_HOUR} an hour",
            evidence=[Evidence(file=file.path, line=1, what=values)],
        )


def grave_comments(found: Findings) -> Iterator[Recommendation]:
    """Deal with what authors call a danger or a fault."""
    items = [it for it in (found.debt.items if found.debt else ()) if _is_grave(it)]
    if items:
        is_critical = any(it.severity == "Critical" for it in items)
        count = counted(len(items), "comment speaks", "comments speak")
        yield advise(
            found,
            "grave-comments",
            "Deal with the faults and dangers that comments admit",
            f"{count} of a defect or of security, and weigh high or critical.",
            priority="High" if is_critical else "Medium",
            hours=sum(COMMENT_HOURS[it.severity] for it in items),
            basis="4 hours for a critical one, 2 for a high one",
            evidence=[
                Evidence(file=it.file, line=it.line, what=f"{it.severity} {it.category}: {it.text}")
                for it in items
            ],
        )


def _is_grave(it: DebtItem) -> bool:
    is_grave = it.category in {"Security", "Defect"} and it.severity in {"Critical", "High"}
    return is_grave and not it.is_test_code


def unresolved_imports(found: Findings) -> Iterator[Recommendation]:
    """Check imports that lead nowhere."""
    lost = [
        it
        for it in (found.graph.unresolved_imports if found.graph else ())
        if not is_test_path(it.file)
    ]
    if lost:
        count = counted(len(lost), "import", "imports")
        yield advise(
            found,
            "unresolved-imports",
            "Check the imports that lead nowhere",
            f"{count} should lead to something in the workspace: a mistake, or a file that is made "
            "only when the project is built.",
            priority="Low",
            hours=len(lost) * _IMPORT_MINUTES / _MINUTES,
            basis=f"{len(lost):,} · {_IMPORT_MINUTES} minutes",
            evidence=[
                Evidence(file=it.file, line=it.line, what=f"{it.module}: {it.reason}")
                for it in lost
            ],
        )


def hidden_coupling(found: Findings) -> Iterator[Recommendation]:
    """Find out why files change together that do not import one another."""
    if found.churn is None or found.graph is None:
        return
    files = [node.file for node in found.graph.nodes]
    linked = {frozenset((files[one], files[other])) for one, other in found.graph.pairs()}
    hidden = [
        it
        for it in found.churn.coupling
        if it.shared_commits >= _TOGETHER_COMMITS
        and it.degree >= _TOGETHER_DEGREE
        and it.first in found.by_path
        and it.second in found.by_path
        and not (is_test_path(it.first) or is_test_path(it.second))
        and frozenset((it.first, it.second)) not in linked
    ]
    if hidden:
        count = counted(len(hidden), "pair of files changes", "pairs of files change")
        yield advise(
            found,
            "hidden-coupling",
            "Find out why files change together",
            f"{count} together, and neither imports the other.",
            priority="Low",
            hours=len(hidden) * _TOGETHER_HOURS,
            basis=f"{_TOGETHER_HOURS:g} hours a pair",
            evidence=[
                Evidence(
                    file=it.first,
                    line=1,
                    what=f"with {it.second} in {it.shared_commits} commits, degree {it.degree:.2f}",
                )
                for it in hidden
            ],
        )


def likely_defects(found: Findings) -> Iterator[Recommendation]:
    """Review files that will probably need a bug fix."""
    likely = [
        (probability, path)
        for path, probability in (found.defects or {}).items()
        if probability >= _LIKELY and not is_test_path(path)
    ]
    likely.sort(key=lambda it: (-it[0], it[1]))
    if likely:
        count = counted(len(likely), "file is", "files are")
        yield advise(
            found,
            "likely-defects",
            "Review the files that most likely need a bug fix",
            f"{count} likely, from {_LIKELY:g} on, to be touched by a bug fix within a year.",
            priority="Medium",
            hours=len(likely) * _REVIEW_HOURS,
            basis=f"{_REVIEW_HOURS:g} hours a file",
            evidence=[
                Evidence(file=path, line=1, what=f"probability {probability:.2f}")
                for probability, path in likely
            ],
        )
