"""What to do first, by rules: each is based on measures, and names its evidence."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from benchpin.core.text import counted
from benchpin.measures import complexity
from benchpin.measures.clones import CloneGroup, Fragment
from benchpin.measures.complexity import ComplexityViolation
from benchpin.measures.debt import DebtItem
from benchpin.measures.graph import Graph
from benchpin.project import Findings

from ._hotspots import PRIORITIES, Hotspot, Recommendation, advise, find_hotspots
from ._parts import mutual_imports
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
# What marks a test in a file of the product, such as `#[test]` of Rust.
_TEST_MARK = re.compile(r"\btest\b", re.IGNORECASE)
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
    """Return what is worth doing, the most urgent first; of equal ones the first of each rule."""
    spots = find_hotspots(found) if hotspots is None else hotspots
    advice = [*_hot_functions(found, spots)]
    for rule in _RULES:
        advice += rule(found)
    ranks = Counter[str]()
    ranked = []
    for one in advice:
        ranks[one.rule] += 1
        ranked.append((_urgency(one, ranks[one.rule]), one))
    # Stable: of equal ones those of the earlier rule come first.
    return [it for _, it in sorted(ranked, key=lambda it: it[0])][:MAX_RECOMMENDATIONS]


def _urgency(recommendation: Recommendation, rank: int) -> tuple[int, int, int]:
    """Return what decides the order: the first of each rule before the second of another."""
    priority, impact = recommendation.priority, recommendation.impact
    return PRIORITIES.index(priority), rank, PRIORITIES.index(impact)


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


def _complex_functions(found: Findings) -> Iterator[Recommendation]:
    """Simplify the functions that are hardest to follow, the worst first.

    Only those over both limits: a flat `switch` has many paths and is easy to follow, and what only
    holds many small functions, as a component does, has their cognitive complexity.
    """
    limits = complexity.Thresholds()
    errors = [it for it in found.violations if it.severity == "error"]
    worst = [it for it in found.first_of_each(errors) if _is_tangled(it.cyclomatic, it.cognitive)]
    worst.sort(key=lambda it: (-it.cognitive, it.file, it.line))
    # What is inside a function that is named is a part of what to do there.
    outer = [it for at, it in enumerate(worst) if not any(_holds(one, it) for one in worst[:at])]
    for hard in outer[:_MAX_PER_RULE]:
        yield from advise(
            found,
            "complex-functions",
            f"Simplify {hard.function} in {hard.file}: cognitive complexity {hard.cognitive}",
            f"{counted(hard.code_lines, 'line')} of code, nested {hard.nesting} deep; the limit is "
            f"{limits.cognitive:g}. Split up, each piece can be read and tested on its own.",
            priority="Medium",
            hours=complexity.hours_to_fix([hard]),
            basis="30 minutes for each point over a threshold, 8 hours at most",
            evidence=[(hard.file, hard.line, hard.message)],
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
        if not all(_is_code_of_product(it, found) for it in group.fragments):
            continue
        seen |= lines
        joined += 1
        if joined > _MAX_PER_RULE:
            return
        yield from _join_clones(found, group, removable)


def _is_code_of_product(place: Fragment, found: Findings) -> bool:
    """Whether a place has a function, and none that is a test inside a file of the product.

    Declarations of types and tables have no function: they repeat themselves on purpose.
    """
    if place.file not in found.by_path:
        return False
    functions = [
        it
        for it in found.by_path[place.file].outline.functions
        if it.line <= place.end_line and it.end_line >= place.line
    ]
    decorators = " ".join(text for it in functions for text in it.decorators)
    return bool(functions) and _TEST_MARK.search(decorators) is None


def _named(group: CloneGroup) -> str:
    paths = list(dict.fromkeys(it.file for it in group.fragments))
    more = f" and {len(paths) - 2:,} more files" if len(paths) > 2 else ""  # noqa: PLR2004 - two are named
    return ", ".join(paths[:2]) + more


def _join_clones(found: Findings, group: CloneGroup, removable: int) -> list[Recommendation]:
    files = counted(len({it.file for it in group.fragments}), "file")
    kind = "The same code" if group.type == "exact" else f"Nearly the same code ({group.type})"
    return advise(
        found,
        "clones",
        f"Join {len(group.fragments)} copies of {group.lines} lines in {_named(group)}",
        f"{kind} is in {files}; about {removable:,} lines could go, and a fix is made once.",
        priority="Medium" if removable >= _MUCH_REMOVABLE else "Low",
        hours=removable * CLONE_MINUTES / _MINUTES,
        basis=f"{removable:,} lines · {CLONE_MINUTES} minute",
        evidence=[
            (it.file, it.line, f"lines {it.line} to {it.end_line}") for it in group.fragments
        ],
        share=removable / sum(it.lines for it in found.code_summaries),
    )


def _holds(outer: ComplexityViolation, inner: ComplexityViolation) -> bool:
    is_inside = outer.line <= inner.line and inner.end_line <= outer.end_line
    return outer.file == inner.file and is_inside


def _is_tangled(cyclomatic: int, cognitive: int) -> bool:
    limits = complexity.Thresholds()
    return cyclomatic > limits.cyclomatic and cognitive > 2 * limits.cognitive


def _dead_code(found: Findings) -> list[Recommendation]:
    """Remove what nothing uses."""
    if found.dead_code is None or not found.dead_code.items:
        return []
    items, lines = found.dead_code.items, found.dead_code.summary.dead_lines
    largest = max(items, key=lambda it: (it.lines, it.confidence, it.file, it.line))
    more = f" and {len(items) - 1:,} more" if len(items) > 1 else ""
    first = [largest, *(it for it in items if it is not largest)]
    return advise(
        found,
        "dead-code",
        f"Remove {largest.name} in {largest.file}{more}, which nothing uses",
        f"{counted(lines, 'line')} less to read, test and keep up to date.",
        priority="Medium" if lines >= _MANY_DEAD_LINES else "Low",
        hours=len(items) * DEAD_MINUTES / _MINUTES,
        basis=f"{len(items):,} · {DEAD_MINUTES} minutes",
        evidence=[
            (
                it.file,
                it.line,
                f"{it.label} {it.name}, {it.lines} lines, confidence {it.confidence:g}",
            )
            for it in first
        ],
        share=lines / found.dead_code.summary.total_lines,
    )


def _god_files(found: Findings) -> Iterator[Recommendation]:
    """Split files that do too much, those that change first."""
    if "ast" not in found.wanted:
        return
    churned = found.churn_by_path or {}
    sizes = [
        (churned[file.path].commit_count if file.path in churned else 0, it, file.path)
        for file, it in zip(found.files, found.code_summaries, strict=True)
        if it.code_lines > _GOD_LINES and len(it.cyclomatic) > _GOD_FUNCTIONS
    ]
    sizes.sort(key=lambda it: (-it[0], -it[1].code_lines, it[2]))
    for commits, size, path in sizes[:_MAX_PER_RULE]:
        values = f"{size.code_lines:,} lines of code, {len(size.cyclomatic):,} functions"
        often = f"It changed in {counted(commits, 'commit')} of {found.period_days} days. "
        yield from advise(
            found,
            "god-files",
            f"Split {path}: {values}",
            f"{often if commits else ''}Parts that change for different reasons can be files of "
            "their own.",
            priority="Medium" if commits >= _KEEPS_CHANGING else "Low",
            hours=_GOD_HOURS,
            basis=f"{_GOD_HOURS:g} hours a file",
            evidence=[(path, 1, values)],
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
            f"It changes often and has little test coverage: {values} in {found.period_days} days.",
            priority="High",
            hours=lines / _TEST_LINES_AN_HOUR,
            basis=f"{lines:,} lines that no test runs, {_TEST_LINES_AN_HOUR} an hour",
            evidence=[(file.path, 1, values)],
        )


def _grave_comments(found: Findings) -> list[Recommendation]:
    """Deal with what authors marked as a danger or a fault."""
    items = [it for it in (found.debt.items if found.debt else ()) if _is_grave(it)]
    is_urgent = any(it.severity == "Critical" and it.category == "Security" for it in items)
    more = f", and {len(items) - 1:,} more like it" if len(items) > 1 else ""
    return advise(
        found,
        "grave-comments",
        f"Deal with the {items[0].tag} in {items[0].file}{more}" if items else "",
        "The authors marked these as defects or risks and left them for later.",
        priority="High" if is_urgent else "Low",
        hours=sum(COMMENT_HOURS[it.severity] for it in items),
        basis="4 hours for a critical one, 2 for a high one",
        evidence=[(it.file, it.line, f"{it.severity} {it.category}: {it.text}") for it in items],
    )


def _is_grave(item: DebtItem) -> bool:
    # A sentence without a tag may be an instruction, and SECURITY: a warning to those who call it.
    is_marked = item.tag not in {None, "SECURITY"} and item.category in {"Security", "Defect"}
    return is_marked and item.severity in {"Critical", "High"}


def _unresolved_imports(found: Findings) -> list[Recommendation]:
    """Check imports that lead nowhere."""
    lost = found.graph.unresolved_imports if found.graph else ()
    return advise(
        found,
        "unresolved-imports",
        "Fix imports that cannot be resolved",
        f"{counted(len(lost), 'import')} should resolve to a file in the workspace: a mistake, or "
        "a file that only exists after a build.",
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
    more = f" and {len(likely) - 1:,} more" if len(likely) > 1 else ""
    return advise(
        found,
        "likely-defects",
        f"Review changes of {likely[0][1]}{more} most carefully" if likely else "",
        f"With a probability of {_LIKELY_DEFECT:g} or more a bug fix touches them within a year.",
        priority="Low",
        hours=len(likely) * _REVIEW_HOURS,
        basis=f"{_REVIEW_HOURS:g} hours a file",
        evidence=[(path, 1, f"probability {probability:.2f}") for probability, path in likely],
    )


_RULES: tuple[Callable[[Findings], Iterable[Recommendation]], ...] = (
    _complex_functions,
    _clones,
    _dead_code,
    _god_files,
    mutual_imports,
    _untested,
    _grave_comments,
    _unresolved_imports,
    _hidden_coupling,
    _likely_defects,
)
