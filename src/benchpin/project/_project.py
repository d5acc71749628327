"""The measures of a project: each taken once, remembered while nothing changes, and timed.

Every tool that needs a measure of a whole project takes it from here, so that all report the same
number. A measure that could not be taken is None, with the reason.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property, partial
from typing import TypeVar, cast

from benchpin.core.calls import Job, give_back_free_memory, resident_bytes
from benchpin.core.errors import BenchpinError, Cancelled, TimeLimitExceeded
from benchpin.facts import FileFacts, FileSelection, Sources
from benchpin.facts.store import Section, stamps_digest
from benchpin.measures import churn, complexity, debt, debt_gradient, graph
from benchpin.measures import clones as duplicates
from benchpin.measures import unused as dead_code
from benchpin.measures.complexity import SUMMARIES, FileSummary, complexity_of, summarize_file
from benchpin.measures.coverage import CoverageReport, ReportFile, find_reports, read_reports
from benchpin.measures.debt_gradient import Coupling
from benchpin.measures.graph import Graph, Measures
from benchpin.measures.history import History, read_recent
from benchpin.memory import Inputs, Measure
from benchpin.project.side_process import SideMeasures
from benchpin.system.processes import gc_off

from ._measured import OUT_OF_TIME, READING, MeasureResult, Stopwatch, lacking
from ._unused_code import UserInputs, find_unused


def duplicated_shares(found: duplicates.Duplicates, files: Iterable[FileFacts]) -> dict[str, float]:
    """Return for each file the share that is duplicated elsewhere, from 0 to 1."""
    shares = {it.file: it.duplicated_lines / it.total_lines for it in found.files}
    return {file.path: shares.get(file.path, 0.0) for file in files}


def coupling_of(graph: Graph) -> dict[str, Coupling]:
    """Return how many others each file of an import graph uses, and how many use it."""
    pairs = graph.pairs()
    used = Counter(source for source, _ in pairs)
    users = Counter(target for _, target in pairs)
    return {node.file: Coupling(used[at], users[at]) for at, node in enumerate(graph.nodes)}


@dataclass(frozen=True, slots=True)
class FileCycle:
    """Files that all import one another, directly or through others."""

    files: tuple[str, ...]
    path: tuple[str, ...]
    """A shortest way around, through some of them."""
    imports: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    """The line in each file that imports another one, and which; on the path, the next one."""

    def line(self, file: str) -> int:
        return self.imports.get(file, (1, ""))[0]


def file_cycles(graph: Graph, measures: Measures) -> list[FileCycle]:
    """Return the cycles of an import graph, the biggest first."""
    nodes = graph.nodes
    found = []
    # A node is in one cycle at most: these are the strongly connected components.
    cycle_of = {at: number for number, ends in enumerate(measures.cycle_members) for at in ends}
    inside: list[dict[str, tuple[int, str]]] = [{} for _ in measures.cycle_members]
    for edge in graph.edges:
        number = cycle_of.get(edge.source)
        if (
            number is not None
            and number == cycle_of.get(edge.target)
            and edge.dependency == "runtime"
        ):
            # The first of a file counts; edges are sorted by their ends.
            line_and_target = edge.line, nodes[edge.target].file
            inside[number].setdefault(nodes[edge.source].file, line_and_target)
    for cycle, members, imports in zip(
        measures.cycles or (), measures.cycle_members, inside, strict=True
    ):
        following = (*cycle.path[1:], cycle.path[0])
        for file, line, after in zip(cycle.path, cycle.lines, following, strict=True):
            imports[file] = (line, after)
        files = tuple(nodes[at].file for at in members)
        found.append(FileCycle(files, tuple(cycle.path), imports))
    return found


Options = TypeVar("Options", bound=Hashable)
T = TypeVar("T")

# Duplication counts exact clones only.
COPIES = duplicates.DuplicateOptions(types=("exact",))
_LIKELY = 0.5  # confidence
_MUCH_BYTES = 1 << 27  # a measure that took more frees what it can before the next
# What decides whether code is used, by this name among what a measure read.
_WORKSPACE = "workspace"
_FILE_TIMES = "file times"


class Project(Inputs):
    """The measures of the selected files."""

    def __init__(
        self,
        selection: FileSelection,
        now: datetime,
        *,
        skip_when_late: bool = False,
        watch: Stopwatch | None = None,
    ) -> None:
        """Measure a selection, as of a moment.

        With `skip_when_late`, for tools of many measures, none is started once the time is up.
        """
        super().__init__(selection)
        self.offer(_WORKSPACE, lambda: self.around.workspace_digest)
        self.offer(_FILE_TIMES, lambda: self._times_digest)
        self.now = now
        self.skip_when_late = skip_when_late
        self.watch = watch or Stopwatch()
        self.recalled: set[str] = set()
        """The measures that were remembered from an earlier call."""
        self.not_measured: dict[str, str] = {}
        """The measures that could not be taken, and why."""
        self.aside = SideMeasures(selection)
        """Measures that another process takes for this one."""
        self._taken: dict[Hashable, MeasureResult[object]] = {}
        self.device: duplicates.Device | None = None

    @property
    def job(self) -> Job:
        """The job that the measures are taken for."""
        return self.selection.job

    def read(self, *sections: Section, on_demand: tuple[Section, ...] = ()) -> Sources:
        return self.watch.time(READING, lambda: self.selection.read(*sections, on_demand=on_demand))

    @cached_property
    def summaries(self) -> dict[str, FileSummary]:
        """What reports add up of each selected file, by path."""
        files = self.sources.files
        known = SUMMARIES.of(self.selection, files, None)
        # Those for which there was no time are summed up here: reports need them all.
        return {it.path: known.get(it.path) or summarize_file(it) for it in files}

    @cached_property
    def around(self) -> UserInputs:
        """Everything in the workspace that could use the selected files."""
        return self.watch.time(READING, lambda: UserInputs(self.selection))

    @property
    def listing(self) -> Sources:
        """The selected files without facts; those that are new or changed are measured now."""
        return self.once("listing", lambda: self.watch.time(READING, self.selection.list_files))

    @cached_property
    def _times_digest(self) -> bytes:
        """The digest of when the selected files were changed, whatever is in them."""
        return stamps_digest(self.selection.stamps_of(it.path for it in self.listing.files))

    def starts(self, name: str) -> None:
        """Note that a measure is taken now.

        Raises:
            TimeLimitExceeded: when the time left is too short.
        """
        if name in self.recalled:  # graphs are not: what there is time for of them is of use
            self.recalled.discard(name)
            self._require_time()

    def measure(
        self, measure: "Measure[Project, Options, T]", options: Options
    ) -> MeasureResult[T]:
        """Take a measure, unless it is remembered or on disk for the same content and options.

        Raises:
            Cancelled: when the job was cancelled.
        """
        name = measure.name
        if (name, options) not in self._taken:
            self.recalled.add(name)
        return self._once(name, (name, options), lambda: self.get(measure, options))

    def _require_time(self) -> None:
        if self.skip_when_late and self.job.is_expired:
            raise TimeLimitExceeded("The time is up", suggestion="Give it more time.")

    def _once(self, name: str, key: Hashable, make: Callable[[], T]) -> MeasureResult[T]:
        """Take a measure if it was not taken in this call, and the time of it."""
        if key not in self._taken:
            self._taken[key] = taken = self.watch.time(name, lambda: self._attempt(name, make))
            if taken.value is None:
                self.not_measured[name] = taken.reason
        return cast("MeasureResult[T]", self._taken[key])

    def _attempt(self, name: str, make: Callable[[], T]) -> MeasureResult[T]:
        job = self.job
        job.check()
        self.aside.wait_for(name)
        omissions, held = job.omissions, resident_bytes()
        try:
            with gc_off():
                found = make()
            if resident_bytes() > held + _MUCH_BYTES:
                give_back_free_memory(with_cycles=True)
        except Cancelled:
            raise
        except BenchpinError as error:
            if isinstance(error, TimeLimitExceeded):
                job.leave_out(name)
            return MeasureResult(None, error)
        return MeasureResult(found, lacks=lacking(job, omissions))

    def complexity(self) -> MeasureResult[complexity.Complexity]:
        """Return how hard the functions are to follow, by the usual thresholds."""
        return self.measure(_COMPLEXITY, None)

    def duplicates(
        self,
        options: duplicates.DuplicateOptions = COPIES,
        device: duplicates.Device | None = None,
    ) -> MeasureResult[duplicates.Duplicates]:
        """Return the clones of the files; by default exact ones, which duplication is made of.

        A device only makes a search faster: the result is the same.
        """
        self.device = device
        return self.measure(_DUPLICATES, options)

    @cached_property
    def duplication(self) -> MeasureResult[dict[str, float]]:
        """The share of each file that is duplicated elsewhere, from 0 to 1."""
        known = {file.path for file in self.whole.sources.files}
        files = (file for file in self.sources.files if file.path in known)
        return self.whole.duplicates().then(lambda found: duplicated_shares(found, files))

    def debt(self, min_confidence: float = debt.MIN_CONFIDENCE) -> MeasureResult[debt.Debt]:
        """Return what comments admit."""
        return self.measure(_DEBT, min_confidence)

    def graph(self, dag_type: graph.DagType = "import-graph") -> MeasureResult[graph.Graph]:
        return self._once(dag_type, (graph, dag_type), lambda: graph.graph_of(self, dag_type))

    @cached_property
    def whole(self) -> "Project":
        """The project of the whole workspace, or this one if there is no more to it."""
        selection, skips = self.selection.workspace(), self.skip_when_late
        around = Project(selection, self.now, skip_when_late=skips, watch=self.watch)
        return self if around.digest == self.digest else around

    @cached_property
    def coupling(self) -> MeasureResult[dict[str, debt_gradient.Coupling]]:
        """How many files of the workspace each file imports, and how many import it."""
        return self.whole.graph().then(coupling_of)

    @cached_property
    def cycles(self) -> MeasureResult[list[FileCycle]]:
        """The files that import one another at run time, the largest cycle first."""
        found = self.graph()
        if found.value is None:
            return MeasureResult(None, found.error, found.lacks)
        parts = graph.components_of(self, "import-graph")
        if parts.cycles is None and found.value.nodes:
            return MeasureResult(None, lacks=OUT_OF_TIME)
        return MeasureResult(file_cycles(found.value, parts))

    @cached_property
    def reports(self) -> tuple[ReportFile, ...]:
        """The coverage reports in the workspace."""
        selection = self.selection
        return find_reports(selection.root, self.listing.files, selection.may_read, selection.job)

    def coverage(self) -> CoverageReport | None:
        """Return what the coverage reports in the workspace contain; None without any.

        Raises:
            Cancelled: when the job was cancelled.
            TimeLimitExceeded: when there is no time to read them.
        """
        if not self.reports:
            return None
        return self.measure(_COVERAGE, self.reports).required()

    def dead_code(
        self,
        min_confidence: float = dead_code.SURE_FROM,
        *,
        include_public: bool = False,
    ) -> MeasureResult[dead_code.DeadCode]:
        """Return what nothing in the workspace uses, in any language."""
        # What is likely is a small part of all, found in less time, and asked for nearly always.
        least = _LIKELY if min_confidence >= _LIKELY else 0.0
        found = self.measure(_DEAD_CODE, (include_public, least))
        return found.map(lambda it: it.above(min_confidence))

    def history(self, days: float) -> MeasureResult[History]:
        """Return the commits of the last days."""
        selection = self.selection
        where = selection.session, selection.folder
        since = self.now.replace(microsecond=0) - timedelta(days=days)
        read = partial(read_recent, *where, since, selection.job, is_fresh=selection.is_fresh)
        return self._once("history", (History, days), read)

    def churn(self, days: float) -> MeasureResult[churn.Churn]:
        """Return how much the files changed in the last days."""
        history = self.history(days)
        if history.value is None:
            return MeasureResult(None, history.error, history.lacks)
        commits = history.value
        return self._once(
            "churn",
            (churn, days),
            lambda: churn.measure_churn(commits, self.now, self.selection.accepts),
        )

    def _commits(self, days: int) -> dict[str, int] | None:
        """Return how many commits changed each file that is under version control."""
        history, churned = self.history(days).value, self.churn(days).value
        if history is None or churned is None:
            return None
        changed = {it.path: it.commit_count for it in churned.files}
        return {path: changed.get(path, 0) for path in history.existing}

    def debt_gradients(self) -> MeasureResult[list[debt_gradient.DebtGradient]]:
        """Return how fast each file gathers debt, the fastest first."""
        inputs = debt_gradient.gather_inputs(
            {path: (it.cyclomatic, it.code_lines) for path, it in self.summaries.items()},
            self._commits(debt_gradient.CHURN_DAYS),
            self.coupling.value,
            self.duplication.value,
        )
        return self.measure(_GRADIENTS, tuple(inputs)).then(lambda it: it.ranked)


def _complexity(project: Project, _options: None) -> complexity.Complexity:
    return complexity_of(project.summaries.values())


def _debt(project: Project, min_confidence: float) -> debt.Debt:
    found = debt.FILE_DEBT.of(project.selection, project.sources.files, min_confidence)
    return debt.join_debt(found.values())


def _duplicates(project: Project, options: duplicates.DuplicateOptions) -> duplicates.Duplicates:
    files = project.read(on_demand=("tokens",)).files
    found = duplicates.find_duplicates(files, options, project.job, project, project.device)
    made = {project.parts.get(f"{it} clones", "computed") for it in options.types}
    project.how = "computed" if "computed" in made else "updated"
    return found


def _dead_code(project: Project, options: tuple[bool, float]) -> dead_code.DeadCode:
    project.note(_WORKSPACE)
    return find_unused(project.around, project.listing.files, options)


def _coverage(project: Project, reports: tuple[ReportFile, ...]) -> CoverageReport:
    project.note(_FILE_TIMES)  # it counts the files that are newer than a report
    return read_reports(project.selection.root, project.sources.files, reports, project.job)


_COMPLEXITY = Measure("complexity", complexity.Complexity, _complexity)
_COVERAGE = Measure("coverage", CoverageReport, _coverage)
_DEAD_CODE = Measure(
    "dead code",
    dead_code.DeadCode,
    _dead_code,
    facts=lambda _options: (dead_code.FILE_USES.order(None),),
)
_DEBT = Measure("debt", debt.Debt, _debt, facts=lambda option: (debt.FILE_DEBT.order(option),))
_DUPLICATES = Measure("duplicates", duplicates.Duplicates, _duplicates)
_GRADIENTS = Measure[Project, tuple[debt_gradient.FileInputs, ...], debt_gradient.RankedGradients](
    "debt gradient",
    debt_gradient.RankedGradients,
    lambda _project, inputs: debt_gradient.rank_gradients(inputs),
    lambda before, _project, inputs: debt_gradient.rank_gradients(inputs, before),
)
