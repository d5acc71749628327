"""What to do first, by rules: each is based on measures, and names its evidence."""

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from benchpin.core.text import counted
from benchpin.measures import complexity
from benchpin.measures.clones import CloneGroup
from benchpin.measures.debt import DebtItem
from benchpin.measures.debt_gradient import HOURS_BASIS, WARNING_ABOVE
from benchpin.measures.graph import Graph
from benchpin.project import FileCycle, Findings

from ._hotspots import PRIORITIES, Hotspot, Priority, Recommendation, advise, find_hotspots
from ._scorecard import CLONE_MINUTES, COMMENT_HOURS, DEAD_MINUTES

MAX_RECOMMENDATIONS = 20
_MAX_PER_RULE = 5
_MINUTES = 60
# Commits in the period.
_KEEPS_CHANGING = 2
# Shorter clones are more often tables than code.
_MIN_CLONE_LINES = 10
_REMOVABLE = 40
_MUCH_REMOVABLE = 200
_MANY_DEAD_LINES = 200
_GOD_LINES = 1000
_GOD_FUNCTIONS = 30
_GOD_HOURS = 16.0
_CYCLE_FILES = 4
_BIG_CYCLE_FILES = 10
_CYCLE_HOURS = 1.0
_MAX_STEPS = 6
_UNTESTED = 0.5
_HOT_CHURN = 0.25
_TEST_LINES_AN_HOUR = 40
_IMPORT_MINUTES = 10
_TOGETHER_COMMITS = 5
_TOGETHER_DEGREE = 0.7
_TOGETHER_HOURS = 4.0
_LIKELY_DEFECT = 0.7
_REVIEW_HOURS = 2.0


def recommend(found: Findings, hotspots: Sequence[Hotspot] | None = None) -> list[Recommendation]:
    """Return what is worth doing, the most urgent first, and of these the largest."""
    spots = find_hotspots(found) if hotspots is None else hotspots
    advice = [*_hot_functions(found, spots)]
    for rule in _RULES:
        advice += rule(found)
    return sorted(advice, key=_order)[:MAX_RECOMMENDATIONS]


def _order(recommendation: Recommendation) -> tuple[int, int, int, str]:
    first = recommendation.evidence[0]
    return (
        PRIORITIES.index(recommendation.priority),
        PRIORITIES.index(recommendation.impact),
        -recommendation.estimated_effort.secs,
        f"{recommendation.rule} {first.file}:{first.line:09}",
    )


def _hot_functions(found: Findings, spots: Iterable[Hotspot]) -> Iterator[Recommendation]:
    """Break up functions that are far too complex, in files that keep changing."""
    churned = found.churn_by_path or {}
    by_file = defaultdict[str, list[Hotspot]](list)
    for spot in spots:
        if spot.refactoring_effort.priority == "High":
            by_file[spot.location.file].append(spot)
    often = [path for path in by_file if churned and churned[path].commit_count >= _KEEPS_CHANGING]
    for path in often[:_MAX_PER_RULE]:
        hot, commits = by_file[path], churned[path].commit_count
        more = f" and {len(hot) - 1} more" if len(hot) > 1 else ""
        hard = counted(len(hot), "function is hard", "functions are hard")
        yield from advise(
            found,
            "hot-functions",
            f"Break up {hot[0].location.function}{more} in {path}",
            f"{hard} to follow, in a file that keeps changing: {commits} commits in "
            f"{found.period_days} days.",
            priority="High",
            hours=math.fsum(it.refactoring_effort.estimated_hours for it in hot),
            basis=hot[0].refactoring_effort.basis,
            evidence=[_of_hotspot(it) for it in hot],
        )


def _of_hotspot(hotspot: Hotspot) -> tuple[str, int, str]:
    at = hotspot.location
    values = "; ".join(term.basis for term in hotspot.terms if term.value is not None)
    return at.file, at.line, f"{at.function}: {values}"


def _complex_functions(found: Findings) -> list[Recommendation]:
    """Simplify functions at more than twice a threshold."""
    errors = [it for it in found.violations if it.severity == "error"]
    worst = found.first_of_each(errors)
    count = counted(len(worst), "function is", "functions are")
    return advise(
        found,
        "complex-functions",
        "Simplify the most complex functions",
        f"{count} over twice a complexity threshold (cyclomatic 10, cognitive 15).",
        priority="Medium",
        hours=complexity.hours_to_fix(errors),
        basis="30 minutes for each point over a threshold",
        evidence=[(it.file, it.line, it.message) for it in worst],
    )


def _clones(found: Findings) -> Iterator[Recommendation]:
    """Join the biggest clones; each stretch of code is named once."""
    seen: set[tuple[str, int]] = set()
    joined = 0
    for group in found.duplicates.groups if found.duplicates else ():
        removable = sum(it.end_line - it.line + 1 for it in group.fragments[1:])
        if group.lines < _MIN_CLONE_LINES or removable < _REMOVABLE:
            continue
        lines = {
            (it.file, line) for it in group.fragments for line in range(it.line, it.end_line + 1)
        }
        if group.type == "semantic" or not seen.isdisjoint(lines):
            continue
        seen |= lines
        joined += 1
        if joined > _MAX_PER_RULE:
            return
        yield from _join_clones(found, group, removable)


def _join_clones(found: Findings, group: CloneGroup, removable: int) -> list[Recommendation]:
    files = counted(len({it.file for it in group.fragments}), "file")
    kind = "The same code" if group.type == "exact" else f"Nearly the same code ({group.type})"
    return advise(
        found,
        "clones",
        f"Join {len(group.fragments)} copies of {group.lines} lines",
        f"{kind} is in {files}; about {removable:,} lines could go.",
        priority="Medium" if removable >= _MUCH_REMOVABLE else "Low",
        hours=removable * CLONE_MINUTES / _MINUTES,
        basis=f"{removable:,} lines · {CLONE_MINUTES} minute",
        evidence=[
            (it.file, it.line, f"lines {it.line} to {it.end_line}") for it in group.fragments
        ],
        share=removable / sum(it.lines for it in found.code_summaries),
    )


def _dead_code(found: Findings) -> list[Recommendation]:
    """Remove what nothing uses."""
    if found.dead_code is None or not found.dead_code.items:
        return []
    items, lines = found.dead_code.items, found.dead_code.summary.dead_lines
    count = counted(len(items), "function, method or type", "functions, methods and types")
    return advise(
        found,
        "dead-code",
        f"Remove {counted(lines, 'line')} of dead code",
        f"Nothing in the workspace seems to use {count}.",
        priority="Medium" if lines >= _MANY_DEAD_LINES else "Low",
        hours=len(items) * DEAD_MINUTES / _MINUTES,
        basis=f"{len(items):,} · {DEAD_MINUTES} minutes",
        evidence=[
            (
                it.file,
                it.line,
                f"{it.label} {it.name}, {it.lines} lines, confidence {it.confidence:g}",
            )
            for it in items
        ],
        share=lines / found.dead_code.summary.total_lines,
    )


def _god_files(found: Findings) -> list[Recommendation]:
    """Split files that do too much."""
    sizes = [
        (it.code_lines, len(it.cyclomatic), file.path)
        for file, it in zip(found.files, found.code_summaries, strict=True)
    ]
    big = [it for it in sizes if it[0] > _GOD_LINES and it[1] > _GOD_FUNCTIONS]
    big.sort(key=lambda it: (-it[0], it[2]))
    count = counted(len(big), "file has", "files have")
    return advise(
        found,
        "god-files",
        "Split the biggest files",
        f"{count} more than {_GOD_LINES:,} lines of code and {_GOD_FUNCTIONS} functions.",
        priority="Medium",
        hours=len(big) * _GOD_HOURS,
        basis=f"{_GOD_HOURS:g} hours a file",
        evidence=[
            (path, 1, f"{lines:,} lines of code, {functions:,} functions")
            for lines, functions, path in (big if "ast" in found.wanted else ())
        ],
    )


def _file_graph(found: Findings) -> Iterator[Recommendation]:
    """Break the biggest import cycles."""
    for cycle in (found.cycles or ())[:_MAX_PER_RULE]:
        size, path = len(cycle.files), cycle.path
        priority: Priority = "Low"
        if size >= _CYCLE_FILES:
            priority = "High" if size >= _BIG_CYCLE_FILES else "Medium"
        more = [f"{len(path) - _MAX_STEPS} more"] if len(path) > _MAX_STEPS else []
        around = " → ".join([*path[:_MAX_STEPS], *more, path[0]])
        yield from advise(
            found,
            "import-cycle",
            f"Break the import cycle of {size} files",
            "None of them can be understood, tested or reused alone. A shortest way round: "
            f"{around}.",
            priority=priority,
            hours=size * _CYCLE_HOURS,
            basis=f"{_CYCLE_HOURS:g} hour a file",
            evidence=[
                (file, cycle.line(file), _imported(cycle, file))
                for file in (*path, *(it for it in cycle.files if it not in path))
            ],
        )


def _imported(cycle: FileCycle, file: str) -> str:
    _, target = cycle.imports.get(file, (1, ""))
    within = f"one of {len(cycle.files)} in the cycle"
    return f"imports {target}, {within}" if target else within


def _steep_files(found: Findings) -> list[Recommendation]:
    """Look after files that gather debt fast."""
    steep = [it for it in found.gradients or () if it.score > WARNING_ABOVE]
    is_critical = any(it.severity == "critical" for it in steep)
    count = counted(len(steep), "file gathers", "files gather")
    return advise(
        found,
        "debt-gradient",
        "Look after the files that gather debt fastest",
        f"{count} debt at a gradient over {WARNING_ABOVE:g} of 5.",
        priority="High" if is_critical else "Medium",
        hours=sum(it.estimated_hours for it in steep),
        basis=HOURS_BASIS,
        evidence=[(it.file, 1, f"gradient {it.score:.2f}") for it in steep],
    )


def _untested(found: Findings) -> Iterator[Recommendation]:
    """Test files that change and that tests hardly run."""
    coverage, churned = found.coverage or {}, found.churn_by_path or {}
    for file in found.files:
        share, changed = coverage.get(file.path), churned.get(file.path)
        if share is None or changed is None:
            continue
        if share >= _UNTESTED or changed.churn_score < _HOT_CHURN:
            continue
        lines = round((1 - share) * found.code_sizes[file.path])
        values = f"{share:.0%} covered, {counted(changed.commit_count, 'commit')}"
        yield from advise(
            found,
            "untested",
            f"Test {file.path}",
            f"It keeps changing and tests run little of it: {values} in {found.period_days} days.",
            priority="High",
            hours=lines / _TEST_LINES_AN_HOUR,
            basis=f"{lines:,} lines that no test runs, {_TEST_LINES_AN_HOUR} an hour",
            evidence=[(file.path, 1, values)],
        )


def _grave_comments(found: Findings) -> list[Recommendation]:
    """Deal with what authors call a danger or a fault."""
    items = [it for it in (found.debt.items if found.debt else ()) if _is_grave(it)]
    is_critical = any(it.severity == "Critical" for it in items)
    count = counted(len(items), "comment speaks", "comments speak")
    return advise(
        found,
        "grave-comments",
        "Deal with the faults and dangers that comments admit",
        f"{count} of a defect or of security, and weigh high or critical.",
        priority="High" if is_critical else "Medium",
        hours=sum(COMMENT_HOURS[it.severity] for it in items),
        basis="4 hours for a critical one, 2 for a high one",
        evidence=[(it.file, it.line, f"{it.severity} {it.category}: {it.text}") for it in items],
    )


def _is_grave(item: DebtItem) -> bool:
    return item.category in {"Security", "Defect"} and item.severity in {"Critical", "High"}


def _unresolved_imports(found: Findings) -> list[Recommendation]:
    """Check imports that lead nowhere."""
    lost = found.graph.unresolved_imports if found.graph else ()
    return advise(
        found,
        "unresolved-imports",
        "Check the imports that lead nowhere",
        f"{counted(len(lost), 'import')} should lead to something in the workspace: a mistake, or "
        "a file that is made only when the project is built.",
        priority="Low",
        hours=len(lost) * _IMPORT_MINUTES / _MINUTES,
        basis=f"{len(lost):,} · {_IMPORT_MINUTES} minutes",
        evidence=[(it.file, it.line, f"{it.module}: {it.reason}") for it in lost],
    )


def _hidden_coupling(found: Findings) -> list[Recommendation]:
    """Find out why files change together that do not import one another."""
    if found.churn is None or found.graph is None:
        return []
    together = [
        it
        for it in found.churn.coupling
        if it.shared_commits >= _TOGETHER_COMMITS
        and it.degree >= _TOGETHER_DEGREE
        and all(path in found.by_path for path in (it.first, it.second))
    ]
    linked = _linked(found.graph, {path for it in together for path in (it.first, it.second)})
    hidden = [it for it in together if frozenset((it.first, it.second)) not in linked]
    count = counted(len(hidden), "pair of files changes", "pairs of files change")
    return advise(
        found,
        "hidden-coupling",
        "Find out why files change together",
        f"{count} together, and neither imports the other.",
        priority="Low",
        hours=len(hidden) * _TOGETHER_HOURS,
        basis=f"{_TOGETHER_HOURS:g} hours a pair",
        evidence=[
            (
                it.first,
                1,
                f"with {it.second} in {it.shared_commits} commits, degree {it.degree:.2f}",
            )
            for it in hidden
        ],
    )


def _linked(graph: Graph, paths: Collection[str]) -> set[frozenset[str]]:
    """Return the pairs of some files of which one imports the other."""
    at = {number: node.file for number, node in enumerate(graph.nodes) if node.file in paths}
    return {
        frozenset((at[edge.source], at[edge.target]))
        for edge in graph.edges
        if edge.source in at and edge.target in at
    }


def _likely_defects(found: Findings) -> list[Recommendation]:
    """Review files that will probably need a bug fix."""
    likely = [
        (probability, path)
        for path, probability in (found.defects or {}).items()
        if probability >= _LIKELY_DEFECT
    ]
    likely.sort(key=lambda it: (-it[0], it[1]))
    count = counted(len(likely), "file is", "files are")
    return advise(
        found,
        "likely-defects",
        "Review the files that most likely need a bug fix",
        f"{count} likely, from {_LIKELY_DEFECT:g} on, to be touched by a bug fix within a year.",
        priority="Medium",
        hours=len(likely) * _REVIEW_HOURS,
        basis=f"{_REVIEW_HOURS:g} hours a file",
        evidence=[(path, 1, f"probability {probability:.2f}") for probability, path in likely],
    )


_RULES: tuple[Callable[[Findings], Iterable[Recommendation]], ...] = (
    _complex_functions,
    _clones,
    _dead_code,
    _god_files,
    _file_graph,
    _steep_files,
    _untested,
    _grave_comments,
    _unresolved_imports,
    _hidden_coupling,
    _likely_defects,
)
