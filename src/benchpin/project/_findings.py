"""What all measures found in a project: the input of scores, advice and reports."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeVar, get_args

from benchpin.core.errors import BenchpinError, Cancelled
from benchpin.core.results import Item
from benchpin.core.text import counted
from benchpin.facts import FileFacts
from benchpin.measures.churn import WIDER_DAYS, Churn, FileChurn
from benchpin.measures.clones import Duplicates
from benchpin.measures.complexity import (
    Complexity,
    ComplexityViolation,
    FileSummary,
    complexity_of,
    summarize_file,
)
from benchpin.measures.coverage import FileCoverage
from benchpin.measures.debt import Debt
from benchpin.measures.debt_gradient import DebtGradient
from benchpin.measures.graph import Graph
from benchpin.measures.unused import DeadCode
from benchpin.project.bridges import Bridges, find_bridges
from benchpin.project.defects import ProjectDefects, defects_of
from benchpin.project.side_process import SideMeasures, worth_taking_aside

from ._measured import OUT_OF_TIME, MeasureResult, lacking
from ._project import FileCycle, Project

T = TypeVar("T")

Analysis = Literal[
    "ast",
    "complexity",
    "churn",
    "dag",
    "dead-code",
    "satd",
    "duplicates",
    "debt-gradient",
    "defect-probability",
]
ANALYSES: tuple[Analysis, ...] = get_args(Analysis)

PERIOD_DAYS = 30
NOT_ASKED = "not asked for"
_MAX_LANGUAGES = 4
# Of the code; languages with less are not named.
_MIN_SHARE = 0.005
_NO_REPORT = "there is no coverage report"
# What another process may measure meanwhile: together about as long as unused code takes.
_TAKEN_ASIDE: dict[Analysis, str] = {"duplicates": "duplicates", "satd": "debt"}
# Fields that callers know by another name.
_PUBLISHED_NAMES = {
    "bridges": "cross-language-references",
    "graph": "dag",
    "debt": "satd",
    "dead_code": "dead-code",
    "gradients": "debt-gradient",
    "defects": "defect-probability",
}


class LanguageShare(Item):
    """How much of the code is in a language."""

    language: str
    files: int
    code_lines: int


class CodeSummary(Item):
    """How big a project is."""

    files: int
    functions: int
    types: int
    lines: int
    code_lines: int
    languages: list[LanguageShare]
    """The most code first."""

    def line(self) -> str:
        """Return how big a project is, and in which languages."""
        shares = [
            (one.language, one.code_lines / max(1, self.code_lines)) for one in self.languages
        ]
        named = [f"{name} {share:.0%}" for name, share in shares if share >= _MIN_SHARE]
        more = ["…"] if len(named) > _MAX_LANGUAGES else []
        languages = ", ".join(named[:_MAX_LANGUAGES] + more)
        size = f"{counted(self.files, 'file')}, {counted(self.functions, 'function')}, "
        size += counted(self.code_lines, "line of code", "lines of code")
        return f"{size}: {languages}" if languages else size


@dataclass(frozen=True)
class Findings:
    """All that was found; None where nothing was measured, and `reasons` says why."""

    files: Sequence[FileFacts]
    wanted: frozenset[Analysis] = frozenset(ANALYSES)
    period_days: float = PERIOD_DAYS
    complexity: Complexity | None = None
    churn: Churn | None = None
    graph: Graph | None = None
    cycles: Sequence[FileCycle] | None = None
    dead_code: DeadCode | None = None
    debt: Debt | None = None
    duplicates: Duplicates | None = None
    gradients: Sequence[DebtGradient] | None = None
    covered: Mapping[str, FileCoverage] | None = None
    """What tests ran of each file, by path."""
    defects: Mapping[str, float] | None = None
    """How likely each file is to need a bug fix within a year, by path."""
    prediction: ProjectDefects | None = None
    """The same, with the model that predicts it."""
    bridges: Bridges | None = None
    """Where code of one language reaches code of another; not looked for in every report."""
    unread_files: int = 0
    """Files for which there was no time."""
    known_summaries: Mapping[str, FileSummary] | None = None
    """Those of all files, by path, where they are known."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Why something was not measured, by the name of the field."""

    @cached_property
    def summaries(self) -> Mapping[str, FileSummary]:
        """What reports add up of each file, by path."""
        known = self.known_summaries
        return {it.path: summarize_file(it) for it in self.files} if known is None else known

    @cached_property
    def code_summaries(self) -> list[FileSummary]:
        """Those of the files, in their order."""
        return [self.summaries[file.path] for file in self.files]

    @cached_property
    def violations(self) -> list[ComplexityViolation]:
        """The functions over a threshold, the worst first."""
        if "complexity" not in self.wanted:
            return []
        return complexity_of(self.code_summaries).violations

    @cached_property
    def coverage(self) -> dict[str, float] | None:
        """How much tests ran of each file that has something to run, from 0 to 1."""
        if self.covered is None:
            return None
        shares = {path: it.share for path, it in self.covered.items()}
        return {path: share for path, share in shares.items() if share is not None}

    @cached_property
    def by_path(self) -> dict[str, FileFacts]:
        return {file.path: file for file in self.files}

    @cached_property
    def churn_by_path(self) -> dict[str, FileChurn] | None:
        """What changed in the period, by path; None when nothing did, or it is unknown."""
        if self.churn is None:
            return None
        return {it.path: it for it in self.churn.files if it.path in self.by_path} or None

    @cached_property
    def code_sizes(self) -> dict[str, int]:
        """The lines of code of each file, by path."""
        return {file.path: self.summaries[file.path].code_lines for file in self.files}

    @cached_property
    def change_sizes(self) -> dict[str, int]:
        """The lines that changed in each file in the period, by path."""
        return {
            path: (it.additions or 0) + (it.deletions or 0)
            for path, it in (self.churn_by_path or {}).items()
            if path in self.code_sizes
        }

    def code_summary(self) -> CodeSummary:
        """Return how big the project is."""
        shares = defaultdict[str, list[int]](list)
        for file in self.files:
            shares[file.language].append(self.summaries[file.path].code_lines)
        known = [self.summaries[file.path] for file in self.files]
        languages = [
            LanguageShare(language=name, files=len(sizes), code_lines=sum(sizes))
            for name, sizes in shares.items()
        ]
        return CodeSummary(
            files=len(self.files),
            functions=sum(len(it.cyclomatic) for it in known),
            types=sum(it.types for it in known),
            lines=sum(it.lines for it in known),
            code_lines=sum(it.code_lines for it in known),
            languages=sorted(languages, key=lambda it: (-it.code_lines, it.language)),
        )

    @staticmethod
    def first_of_each(violations: Iterable[ComplexityViolation]) -> list[ComplexityViolation]:
        firsts: dict[tuple[str, int, str], ComplexityViolation] = {}
        for violation in violations:
            firsts.setdefault((violation.file, violation.line, violation.function), violation)
        return list(firsts.values())

    def why_not(self, name: str) -> str:
        """Say why something was not measured, by the name of its field."""
        if name == "churn" and self.churn is not None:
            return f"no file here changed in the last {self.period_days} days"
        return self.reasons.get(name) or NOT_ASKED

    def missing(self) -> dict[str, str]:
        """Return what was asked for and not measured, with the reasons."""
        return {
            _PUBLISHED_NAMES.get(name, name): why
            for name, why in sorted(self.reasons.items())
            if why != NOT_ASKED
        }


def _busy_period(project: Project, days: float) -> float:
    """Return these days, or the next longer period if nothing changed in them."""
    for period in (days, *WIDER_DAYS):
        found = project.churn(period).value
        if found is None:
            break
        if found.summary.total_commits:
            return period
    return days


def gather(
    project: Project,
    wanted: Collection[Analysis] = ANALYSES,
    period_days: float = PERIOD_DAYS,
    *,
    widens: bool = False,
    is_deep: bool = False,
) -> Findings:
    """Take the measures that the wanted analyses need.

    `widens` reads a longer history if nothing changed in the period. With `is_deep` the files have
    their links, and references between languages are found.

    Raises:
        Cancelled: when the job was cancelled.
    """
    aside = _aside(project, wanted)
    with SideMeasures(project.selection, aside) as project.aside:
        if aside and "dead-code" in wanted:
            project.dead_code()  # first, as it takes the longest of what is measured here
        return _gather(project, wanted, period_days, widens=widens, is_deep=is_deep)


def _aside(project: Project, wanted: Collection[Analysis]) -> list[str]:
    """Return the measures that another process takes meanwhile."""
    selection = project.selection
    names = [name for analysis, name in _TAKEN_ASIDE.items() if analysis in wanted]
    aside = worth_taking_aside(selection, len(project.sources.files), names)
    if not aside:
        return []
    return [*aside, *(["import-graph"] if "dag" in wanted else [])]


# What a person sees before the report is there.
_NEWS: dict[str, Callable[[Any], str]] = {
    "duplicates": lambda it: f"duplicates: {it.summary.duplicated_percent or 0:g} % of the lines",
    "debt": lambda it: f"debt comments: {len(it.items):,}",
    "dead_code": lambda it: (
        "dead code: "
        + counted(len(it.items), "unused function or type", "unused functions and types")
    ),
    "churn": lambda it: f"churn: {counted(it.summary.total_commits, 'commit')}",
}


def _gather(
    project: Project,
    wanted: Collection[Analysis],
    period_days: float,
    *,
    widens: bool,
    is_deep: bool,
) -> Findings:
    reasons: dict[str, str] = {}

    def take(
        field: str, analysis: Analysis | None, measure: Callable[[], MeasureResult[T]]
    ) -> T | None:
        """Return what a measure found; else note why it found nothing."""
        if analysis is not None and analysis not in wanted:
            reasons[field] = NOT_ASKED
            return None
        try:
            measured = measure()
        except Cancelled:
            raise
        except BenchpinError as error:
            measured = MeasureResult(None, error)
        if measured.value is None:
            reasons[field] = measured.reason or _NO_REPORT
        elif field in _NEWS:
            project.job.tell(_NEWS[field](measured.value))
        return measured.value

    complexity = take("complexity", "complexity", project.complexity)
    # Before the graph: the search takes the most memory, and links stay in memory once read.
    duplicates = take("duplicates", "duplicates", project.duplicates)
    graph = take("graph", "dag", project.graph)
    cycles = take("graph", "dag", lambda: project.cycles)
    debt = take("debt", "satd", project.debt)
    # Before the history: where that is cut short, nothing that was left out can be called dead.
    dead_code = take("dead_code", "dead-code", project.dead_code)
    if widens and "churn" in wanted:
        period_days = _busy_period(project, period_days)
    churn = take("churn", "churn", lambda: project.churn(period_days))
    if churn is not None and churn.gaps:
        reasons["history"] = "; ".join(churn.gaps)
    gradients = take("gradients", "debt-gradient", project.debt_gradients)
    prediction = take("defects", "defect-probability", lambda: defects_of(project))
    bridges = take("bridges", "dag", lambda: _bridges(project)) if is_deep else None
    coverage = take("coverage", None, lambda: MeasureResult(project.coverage()))
    return Findings(
        files=project.files if is_deep else project.sources.files,
        wanted=frozenset(wanted),
        period_days=period_days,
        complexity=complexity,
        churn=churn,
        graph=graph,
        cycles=cycles,
        dead_code=dead_code,
        debt=debt,
        duplicates=duplicates,
        gradients=gradients,
        covered=None if coverage is None else coverage.by_file,
        defects=None
        if prediction is None
        else {it.file: it.probability for it in prediction.files},
        prediction=prediction,
        bridges=bridges,
        known_summaries=project.summaries,
        unread_files=sum(why == OUT_OF_TIME for why in project.sources.unmeasured.values()),
        reasons=reasons,
    )


def _bridges(project: Project) -> MeasureResult[Bridges]:
    """Return the references between languages; never remembered, as manifests may change."""
    job = project.job
    omissions = job.omissions
    found = find_bridges(project.files, project.selection.read_manifest, job)
    return MeasureResult(found, lacks=lacking(job, omissions))
