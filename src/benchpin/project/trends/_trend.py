"""Measure the state of past commits as that of now is measured, and compare them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Literal, NamedTuple

from benchpin.code.changes import deltas_since, read_before
from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError, Cancelled, TimeLimitExceeded
from benchpin.facts import FileSelection
from benchpin.facts.store import Section
from benchpin.measures.complexity import ComplexityViolation, over_threshold
from benchpin.measures.history import HistoryReader, read_history
from benchpin.memory import Reduction, remember
from benchpin.project import Analysis, Findings, Project, gather
from benchpin.project.defects import newest_moment
from benchpin.project.scores import PartName, Scorecard, score_project
from benchpin.workspace.git import Repository, find_head, find_repository

from ._past_commits import MONTH, RELEASE, WEEK, PastCommit, past_commits

# What can be measured of any commit; coverage and defect risk are only known of now.
_WANTED: tuple[Analysis, ...] = ("complexity", "satd", "duplicates", "dag", "dead-code")
_ONLY_NOW: frozenset[PartName] = frozenset({"coverage", "defects"})
# Complex code that changed so lately is a hot spot.
HOT_DAYS = 90
_MAX_FUNCTIONS = 5
_SECTIONS: tuple[Section, ...] = ("outline", "links", "tokens", "comments")

Verdict = Literal["better", "worse", "same"]
HOURS = "hours of debt"


@dataclass(frozen=True, slots=True)
class TrendMeasures:
    """What was measured of one state of the code; None where it could not be measured."""

    health: float | None
    """From 0 to 100; with the coverage and the defect risk of now, whose past is not known."""
    scores: Mapping[PartName, float | None]
    """The parts of it."""
    code_lines: int
    over_limit: int
    """Functions over a complexity limit."""
    hot_spots: int | None
    """Those of them in files that changed in the 90 days before."""
    debt_hours: float | None
    debt_comments: int | None
    duplicated_percent: float | None
    unused: int | None
    """Functions and types that nothing uses."""


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """One state of the code on the curve."""

    when: str
    date: datetime
    commit: str
    name: str
    """The tag of a release; empty for other commits."""
    measures: TrendMeasures


@dataclass(frozen=True, slots=True)
class MeasureTrend:
    """How one measure changed; None where the other state is not known, or not measured."""

    name: str
    now: float | None
    since_week: float | None
    since_month: float | None
    since_release: float | None
    better: Literal["up", "down"]
    """Which way is better."""
    curve: Sequence[float | None]
    """Its value at each of the points, oldest first."""

    def verdict(self, change: float | None) -> Verdict | None:
        """Return whether a change is for the better."""
        if change is None:
            return None
        if not change:
            return "same"
        return "better" if (change > 0) == (self.better == "up") else "worse"


@dataclass(frozen=True, slots=True)
class FunctionTrend:
    """A function that became easier or harder to follow."""

    file: str
    line: int
    function: str
    verdict: Verdict
    before: int | None
    """Its cognitive complexity then; None if it was within all limits, or is new."""
    now: int | None
    """Its cognitive complexity now; None if it is within all limits, or is gone."""


@dataclass(frozen=True, slots=True)
class Trend:
    """How a project changed."""

    measures: Sequence[MeasureTrend]
    points: Sequence[TrendPoint]
    """The oldest first; the last is now."""
    functions: Sequence[FunctionTrend]
    """What got worse, then what got better, the most first."""
    functions_since: str
    """What the functions are compared with: last month, else the next that is known."""


class _Place(NamedTuple):
    """A function over a limit."""

    line: int
    cognitive: int
    ratio: float
    """How far over the limits it is; 1 is at one."""


@dataclass(frozen=True, slots=True)
class _State:
    """What is kept of a commit."""

    measures: TrendMeasures
    over: Mapping[str, Mapping[str, _Place]] = field(default_factory=dict)
    """The functions over a limit by name, by file."""


_STATE = Reduction[_State]("trend", _State)


def measure_trend(project: Project, most: int) -> Trend:
    """Measure up to so many past commits, the most interesting first, and compare them with now.

    Each is measured once and kept. Of a commit only the files that differ are read; their facts
    are kept by content too.

    Raises:
        Cancelled: when the job was cancelled.
        BenchpinError: when there is no history that can be read.
    """
    job, session = project.job, project.selection.session
    repository = find_repository(project.selection.folder, session.root, session.git_folders)
    head, newest, lately, chosen = "", project.now, None, list[PastCommit]()
    try:
        head = find_head(repository, job) or ""
        if head:
            newest = newest_moment(repository, job)
            chosen = list(islice(past_commits(repository, job), most))
            lately = _changed_lately(project, repository, head, newest)
    except TimeLimitExceeded:
        job.leave_out("all past commits")
    found = gather(project)
    card = score_project(found)
    now = _state_of(found, card, lately)
    states: dict[str, tuple[PastCommit, _State]] = {}
    for past in job.each(chosen, "past commits"):
        # A part of its own: what it lacks is missing from the curve, not from the numbers of now.
        with job.part(1.0, reports=False) as part:
            try:
                states[past.when] = past, _kept(project, repository, past, card, part)
                job.note_measure(_STATE.name, part.measures[_STATE.name])
            except TimeLimitExceeded:
                job.leave_out(f"{len(chosen) - len(states)} of {len(chosen)} past commits")
                break
    points = [
        TrendPoint(past.when, past.date, past.commit[:12], past.name, state.measures)
        for past, state in sorted(states.values(), key=lambda it: it[0].date)
    ]
    points.append(TrendPoint("now", newest, head[:12], "", now.measures))
    since = next((it for it in (MONTH, RELEASE, WEEK) if it in states), "")
    by_when = {point.when: states[point.when][1] for point in points[:-1]}
    return Trend(
        measures=list(_compare(now, by_when)),
        points=points,
        functions=_functions(states[since][1], now) if since else [],
        functions_since=since,
    )


def _kept(
    project: Project, repository: Repository, past: PastCommit, card: Scorecard, job: Job
) -> _State:
    """Return the state of a past commit: measured now, unless it was before.

    Raises:
        TimeLimitExceeded: when there was no time for all of it.
    """
    selection = replace(project.selection, job=job)
    query = selection.query
    of = (query.start, query.options, query.languages, query.scope, selection.permissions)
    only_now = tuple(it.score for it in card.parts if it.name in _ONLY_NOW)
    state = remember(
        selection.session,
        job,
        _STATE,
        (past.commit, of, only_now),
        lambda: _measure(selection, repository, past, card),
        is_fresh=selection.is_fresh,
    )
    if job.missing:
        job.require_time()
    return state


def _measure(
    selection: FileSelection, repository: Repository, past: PastCommit, card: Scorecard
) -> _State:
    deltas = deltas_since(selection, past.commit)
    files = read_before(selection.session, deltas.files, selection.job, _SECTIONS)
    before = Project(selection.replacing(files), past.date, skip_when_late=True)
    graph, dead = before.graph(), before.dead_code()
    found = Findings(
        files=before.sources.files,
        wanted=frozenset(_WANTED),
        complexity=before.complexity().value,
        graph=graph.value,
        dead_code=dead.value,
        debt=before.debt().value,
        duplicates=before.duplicates().value,
        known_summaries=before.summaries,
    )
    commit = deltas.commit or past.commit
    lately = _changed_lately(before, repository, commit, past.date)
    return _state_of(found, _with_parts_of_now(score_project(found), card), lately)


def _with_parts_of_now(then: Scorecard, now: Scorecard) -> Scorecard:
    """Return a scorecard with those parts of another that only now is known of."""
    known = {it.name: it for it in now.parts}
    parts = [known[it.name] if it.name in _ONLY_NOW else it for it in then.parts]
    scored = [(it.weight, it.score) for it in parts if it.score is not None]
    weight = sum(weight for weight, _ in scored)
    health = sum(weight * score for weight, score in scored) / weight if weight else None
    rounded = None if health is None else round(health, 1)
    return then.model_copy(update={"parts": parts, "overall_health": rounded})


def _changed_lately(
    project: Project, repository: Repository, commit: str, moment: datetime
) -> frozenset[str] | None:
    """Return the files that changed before a commit; None where the history cannot be read."""
    selection, job = project.selection, project.job
    reader = HistoryReader(repository, session=selection.session, revision=commit)
    since = moment - timedelta(days=HOT_DAYS)
    try:
        history = read_history(selection.folder, selection.root, job, since=since, reading=reader)
    except (Cancelled, TimeLimitExceeded):
        raise
    except BenchpinError:
        return None
    return frozenset(file.path for commit in history.commits for file in commit.files)


def _state_of(found: Findings, card: Scorecard, lately: frozenset[str] | None) -> _State:
    over: dict[str, dict[str, _Place]] = {}
    for violation in found.first_of_each(found.violations):
        over.setdefault(violation.file, {})[violation.function] = _place(violation)
    hours = {it.name: it.hours for it in card.debt}
    values = {it.name: it.value for it in card.parts}
    duplicated = values["duplication"]
    measures = TrendMeasures(
        health=card.overall_health,
        scores={it.name: it.score for it in card.parts},
        code_lines=card.code_lines,
        over_limit=sum(map(len, over.values())),
        hot_spots=None
        if lately is None
        else sum(len(it) for path, it in over.items() if path in lately),
        debt_hours=None if None in hours.values() else card.technical_debt_hours,
        debt_comments=None if found.debt is None else len(found.debt.items),
        duplicated_percent=None if duplicated is None else round(duplicated, 2),
        unused=None if found.dead_code is None else len(found.dead_code.items),
    )
    return _State(measures, over)


def _place(violation: ComplexityViolation) -> _Place:
    ratio = over_threshold(violation.cyclomatic, violation.cognitive)
    return _Place(violation.line, violation.cognitive, ratio)


def _values(found: TrendMeasures) -> Iterator[tuple[str, float | None, Literal["up", "down"]]]:
    """Yield the measures that are compared, what a person asks first at the top."""
    yield "health", found.health, "up"
    for name, score in found.scores.items():
        if name not in _ONLY_NOW:
            yield f"{name.replace('_', ' ')} score", score, "up"
    yield "hot spots", found.hot_spots, "down"
    yield "functions over a limit", found.over_limit, "down"
    yield HOURS, found.debt_hours, "down"
    yield "debt comments", found.debt_comments, "down"
    yield "unused functions", found.unused, "down"


def _compare(now: _State, states: Mapping[str, _State]) -> Iterator[MeasureTrend]:
    """Yield how each measure changed; `states` are those of the past, oldest first."""
    before = {
        when: {name: value for name, value, _ in _values(state.measures)}
        for when, state in states.items()
    }

    def change(name: str, value: float | None, when: str) -> float | None:
        then = before.get(when, {}).get(name)
        return None if value is None or then is None else round(value - then, 2)

    for name, value, better in _values(now.measures):
        week, month, release = (change(name, value, it) for it in (WEEK, MONTH, RELEASE))
        curve = [it.get(name) for it in before.values()]
        yield MeasureTrend(name, value, week, month, release, better, [*curve, value])


def _functions(then: _State, now: _State) -> list[FunctionTrend]:
    """Return the functions that got worse or better the most."""
    changes: list[tuple[float, FunctionTrend]] = []
    moved = _moved(then, now)
    for path in {*then.over, *now.over}:
        old, new = then.over.get(path, {}), now.over.get(path, {})
        for name in {*old, *new}:
            before, after = old.get(name), new.get(name)
            if before is None and after is not None:
                before = moved.get((name.rpartition(".")[2], after.cognitive))
            elif after is None and before is not None:
                after = moved.get((name.rpartition(".")[2], before.cognitive))
            worse = (after.ratio if after else 1.0) - (before.ratio if before else 1.0)
            if worse:
                change = FunctionTrend(
                    file=path,
                    line=after.line if after else 0,
                    function=name,
                    verdict="worse" if worse > 0 else "better",
                    before=before.cognitive if before else None,
                    now=after.cognitive if after else None,
                )
                changes.append((worse, change))
    changes.sort(key=lambda it: (-abs(it[0]), it[1].file, it[1].function))
    found = [it for _, it in changes]
    worst = [it for it in found if it.verdict == "worse"][:_MAX_FUNCTIONS]
    return worst + [it for it in found if it.verdict == "better"][:_MAX_FUNCTIONS]


def _moved(then: _State, now: _State) -> dict[tuple[str, int], _Place]:
    """Return the functions that are in another file or type now, and as complex as before."""

    def gone(one: _State, other: _State) -> dict[tuple[str, int], _Place]:
        return {
            (name.rpartition(".")[2], place.cognitive): place
            for path, functions in one.over.items()
            for name, place in functions.items()
            if name not in other.over.get(path, {})
        }

    old, new = gone(then, now), gone(now, then)
    return {key: place for key, place in new.items() if key in old}
