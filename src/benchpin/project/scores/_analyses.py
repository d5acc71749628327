"""All analyses of a project in one value, in full or with shorter lists."""

from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import timedelta
from typing import Annotated, TypeVar

from pydantic import WithJsonSchema

from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError, Cancelled, TimeLimitExceeded
from benchpin.core.results import Item
from benchpin.core.text import counted
from benchpin.facts import FileFacts
from benchpin.measures.complexity import SUMMARIES, measure_file
from benchpin.measures.debt import FILE_DEBT, MIN_CONFIDENCE
from benchpin.measures.debt_gradient import CHURN_DAYS
from benchpin.measures.graph import DagType, DependencyCycle, Graph, UnresolvedImport, find_cycles
from benchpin.measures.history import read_recent
from benchpin.measures.names import NAME_QUALITY
from benchpin.measures.unused import FILE_USES
from benchpin.measures.views import graph as graph_view
from benchpin.memory import Measure
from benchpin.project import PERIOD_DAYS, Analysis, CodeSummary, Findings, Project, sections
from benchpin.project.defects import know, knowledge_source
from benchpin.project.sections import SectionLimits

T = TypeVar("T")

# The share of the time left that may go into finding out what a report depends on.
_SHARE_OF_TIME = 0.2
# The key of what the history taught, by this name among what a report read.
_KNOWLEDGE = "knowledge"
_HISTORY = frozenset({"churn", "debt-gradient"})
# With fewer new bytes the report is there before anybody could read the interim results.
_MANY_BYTES = 1_000_000
_MAX_LANGUAGES = 4


@dataclass(frozen=True)
class ReportOptions:
    """What a report is asked for, and what it depends on that is known without measuring."""

    wanted: tuple[Analysis, ...]
    scope: SectionLimits
    known: Hashable = None


def compose(
    project: Project, measure: Measure[Project, ReportOptions, T], options: ReportOptions
) -> T:
    """Return a report, made now unless it is known for the same files, history and options.

    Raises:
        Cancelled: when the job was cancelled.
        BenchpinError: what the measure raises.
    """
    # Before the files are looked at: what is expected is derived where new ones are parsed.
    project.expect(SUMMARIES.order(None))
    if "dead-code" in options.wanted:
        project.selection.index.expect(FILE_USES.order(None))  # tests use code too
    if "satd" in options.wanted:
        project.expect(FILE_DEBT.order(MIN_CONFIDENCE))
    if "defect-probability" in options.wanted:
        project.expect(NAME_QUALITY.order(None))
    _tell_first(project, options.wanted)
    known = _inputs(project, options.wanted)
    if known is None:
        return measure.reduce(project, options)

    def learned() -> bytes:
        return know(project.selection).key.encode()

    project.offer(_KNOWLEDGE, learned)
    return project.get(measure, replace(options, known=known))


def _tell_first(project: Project, wanted: Collection[Analysis]) -> None:
    """Tell a person who waits for a first report what there is, then how complex it is."""
    files, new_bytes = project.selection.unparsed()
    if new_bytes < _MANY_BYTES:
        return
    languages = Counter(files.values()).most_common(_MAX_LANGUAGES)
    named = ", ".join(f"{count:,} {language}" for language, count in languages)
    project.job.tell(f"reading {counted(len(files), 'file')}: {named}")
    found = project.complexity().value if "complexity" in wanted else None
    if found is not None and found.summary.total_functions:
        most = found.summary.max_cyclomatic
        functions = counted(found.summary.total_functions, "function")
        project.job.tell(f"complexity: {functions}, the highest cyclomatic complexity is {most}")


def note_basis(project: Project, options: ReportOptions) -> None:
    """Note what was found on the way that a report depends on."""
    # What lacks something is not kept, and there may be no time to learn.
    if options.known is not None and not project.job.missing:
        project.note_manifests()
        if "defect-probability" in options.wanted:
            project.note(_KNOWLEDGE)


def _inputs(project: Project, wanted: Collection[Analysis]) -> tuple[Hashable, ...] | None:
    """Return what the measures depend on and is known without taking them.

    None where it cannot be known in a part of the time: the measures have the rest.
    """
    selection, listing = project.selection, project.listing
    files = (project.digest, project.around.workspace_digest, project.whole.digest)
    if project.job.missing:
        return None  # some files were not read in time
    with project.job.part(_SHARE_OF_TIME) as part:
        try:
            history = _history(project, part) if _HISTORY.intersection(wanted) else None
            source = (
                knowledge_source(replace(selection, job=part))
                if "defect-probability" in wanted
                else None
            )
        except TimeLimitExceeded:
            return None
        if part.missing:
            return None
    return (
        *files,
        tuple(sorted(listing.unmeasured.items())),
        tuple(sorted(listing.skipped.items())),
        selection.permissions,
        project.reports,
        source,
        history,
    )


def _history(project: Project, job: Job) -> Hashable:
    """Return the commits that count, and which of them are in the shorter period.

    No report says how old a commit is: with ages in the key, one was made again whenever a commit
    became a day older, in a busy repository several times a minute.
    """
    selection, now = project.selection, project.now.replace(microsecond=0)
    since, lately = (now - timedelta(days=days) for days in (CHURN_DAYS, PERIOD_DAYS))
    try:
        found = read_recent(
            selection.session, selection.folder, since, job, is_fresh=selection.is_fresh
        )
    except (Cancelled, TimeLimitExceeded):
        raise
    except BenchpinError as error:
        return error.message
    commits = tuple((it.id, it.author, it.time >= lately) for it in found.commits)
    return commits, tuple(sorted(found.existing))


# An item, or a data class.
Record = TypeVar("Record")

# The tool of each analysis describes its own section; a schema costs tokens on every list.
_SECTION = WithJsonSchema({"type": ["object", "null"]})
_LIST = WithJsonSchema({"type": ["array", "null"]})
_MAX_SYMBOLS = 100
_MAX_PLACES = 50
# Items of a list inside a list, such as the places of a clone.
_MAX_INNER = 6
_MAX_TEXT_CHARS = 400


@dataclass(frozen=True, slots=True)
class FileSymbol:
    """A function or type of a file."""

    name: str
    kind: str
    line: int
    end_line: int
    cyclomatic: int | None = None
    """None for a type."""
    cognitive: int | None = None


class AstContext(Item):
    """What a file contains."""

    file: str
    language: str
    lines: int
    code_lines: int
    functions: int
    types: int
    imports: int
    maintainability_index: float
    symbols: list[FileSymbol]
    """By line."""


class NodeDegree(Item):
    """A node that many others depend on."""

    name: str
    dependents: int
    depends_on: int


class DependencySection(sections.MeasureSection):
    """The dependency graph."""

    shown = (graph_view.DEPENDED_ON, graph_view.ALL_CYCLES)

    dag_type: DagType
    nodes: int
    edges: int
    references: dict[str, dict[str, int]]
    """How many imports, calls or bases were resolved, or why not, by kind."""
    most_depended_on: list[NodeDegree]
    cycles: list[DependencyCycle]
    """Of files that import one another at run time, whatever the graph."""
    total_cycles: int
    other_cycles: list[DependencyCycle]
    """Those that need lazy imports, or imports of tests or of types."""
    total_other_cycles: int
    unresolved_imports: list[UnresolvedImport]
    unresolved_total: int

    def line(self) -> str:
        """Return it in one line of a headline; empty where nothing was measured."""
        if not self.nodes:
            return ""
        size = f"{self.nodes:,} nodes, {self.edges:,} edges"
        references = [
            f"; {kind}: {', '.join(f'{count:,} {outcome}' for outcome, count in counts.items())}"
            for kind, counts in self.references.items()
        ]
        cycles = counted(self.total_cycles, "import cycle")
        others = f" ({self.total_other_cycles:,} more by kind)" if self.total_other_cycles else ""
        return f"dependencies: {self.dag_type}, {size}, {cycles}{others}{''.join(references)}"


class Analyses(Item):
    """Every analysis; None is one that was not asked for or could not be made."""

    ast_summary: Annotated[CodeSummary | None, _SECTION]
    ast_contexts: Annotated[list[AstContext] | None, _LIST]
    """The biggest files first."""
    complexity_report: Annotated[sections.ComplexitySection | None, _SECTION]
    churn_analysis: Annotated[sections.ChurnSection | None, _SECTION]
    dependency_graph: Annotated[DependencySection | None, _SECTION]
    dead_code_results: Annotated[sections.DeadCodeSection | None, _SECTION]
    satd_results: Annotated[sections.DebtSection | None, _SECTION]
    duplicates: Annotated[sections.DuplicatesSection | None, _SECTION]
    debt_gradient: Annotated[sections.GradientSection | None, _SECTION]
    defect_probability: Annotated[sections.DefectSection | None, _SECTION]

    def lines(self) -> list[str]:
        """Return one line for each analysis that has something to report."""
        found = (getattr(self, name) for name in _SECTIONS)
        return [line for it in found if it is not None and (line := it.line())]


# The sections in the order in which reports show them.
_SECTIONS: dict[str, type[sections.MeasureSection]] = {
    "complexity_report": sections.ComplexitySection,
    "churn_analysis": sections.ChurnSection,
    "dependency_graph": DependencySection,
    "dead_code_results": sections.DeadCodeSection,
    "satd_results": sections.DebtSection,
    "duplicates": sections.DuplicatesSection,
    "debt_gradient": sections.GradientSection,
    "defect_probability": sections.DefectSection,
}
ANALYSES_TABLES = tuple(
    table
    for name, kind in _SECTIONS.items()
    for table in kind.tables(lambda it, name=name: getattr(it.analyses, name))  # type: ignore[misc]  # bound now
)


def analyses_of(found: Findings, graph: Graph | None, dag_type: DagType) -> Analyses:
    """Return every section; `graph` is the dependency graph of the requested type."""
    has_ast = "ast" in found.wanted
    whole = Analyses(
        ast_summary=found.code_summary() if has_ast else None,
        ast_contexts=_ast_contexts(found.files) if has_ast else None,
        complexity_report=sections.complexity_section(found),
        churn_analysis=sections.churn_section(found),
        dependency_graph=_dependency_section(graph, found, dag_type),
        dead_code_results=sections.dead_code_section(found.dead_code, found),
        satd_results=sections.debt_section(found),
        duplicates=sections.duplicates_section(found),
        debt_gradient=sections.gradient_section(found),
        defect_probability=sections.defect_section(found),
    )
    return whole.model_copy(update=_cut_sections(whole, sections.MAX_ITEMS, _MAX_PLACES))


def cut(whole: Analyses, most: int) -> Analyses:
    """Return sections with shorter lists; files are named without their symbols."""
    shorter = _cut_sections(whole, most, _MAX_INNER)
    if whole.ast_contexts is not None:
        files = whole.ast_contexts[:most]
        shorter["ast_contexts"] = [it.model_copy(update={"symbols": []}) for it in files]
    return whole.model_copy(update=shorter)


def _cut_sections(whole: Analyses, most: int, inner: int) -> dict[str, object]:
    return {
        name: shorten(section, most, inner) for name, section in whole if isinstance(section, Item)
    }


def shorten(record: Record, most: int, inner: int = _MAX_INNER) -> Record:
    """Return an item or a data class whose lists, inner lists and texts are cut to a length."""
    update: dict[str, object] = {}
    for name, value in _members(record):
        if _is_record(value):
            update[name] = shorten(value, most, inner)
        elif isinstance(value, str) and len(value) > _MAX_TEXT_CHARS:
            update[name] = value[: _MAX_TEXT_CHARS - 1] + "…"
        elif isinstance(value, list | tuple):
            kept = [shorten(one, inner, inner) if _is_record(one) else one for one in value[:most]]
            update[name] = tuple(kept) if isinstance(value, tuple) else kept
    if isinstance(record, Item):
        return record.model_copy(update=update)
    return replace(record, **update)  # type: ignore[type-var]


def _is_record(value: object) -> bool:
    return isinstance(value, Item) or (is_dataclass(value) and not isinstance(value, type))


def _members(value: object) -> list[tuple[str, object]]:
    if isinstance(value, Item):
        return list(value)
    return [(field.name, getattr(value, field.name)) for field in fields(value)]  # type: ignore[arg-type]


def _ast_contexts(files: Sequence[FileFacts]) -> list[AstContext]:
    biggest = sorted(files, key=lambda it: (-it.outline.code_lines, it.path))
    return [_ast_context(file) for file in biggest[: sections.MAX_ITEMS]]


def _ast_context(file: FileFacts) -> AstContext:
    outline = file.outline
    symbols = [
        FileSymbol(it.name, it.kind, it.line, it.end_line, it.cyclomatic, it.cognitive)
        for it in outline.functions
    ]
    symbols += [FileSymbol(it.name, it.kind, it.line, it.end_line) for it in outline.types]
    return AstContext(
        file=file.path,
        language=file.language,
        lines=outline.lines,
        code_lines=outline.code_lines,
        functions=len(outline.functions),
        types=len(outline.types),
        imports=len(file.links.imports),
        maintainability_index=round(measure_file(outline).maintainability_index, 1),
        symbols=sorted(symbols, key=lambda it: (it.line, it.name))[:_MAX_SYMBOLS],
    )


def _dependency_section(
    graph: Graph | None, found: Findings, dag_type: DagType
) -> DependencySection | None:
    """Return the dependency graph that was asked for, if it was built."""
    if graph is None or found.cycles is None:
        return None
    pairs = graph.pairs()
    used = Counter(source for source, _ in pairs)
    users = Counter(target for _, target in pairs)
    ranked = sorted(users, key=lambda at: (-users[at], graph.nodes[at].id))
    cycles = find_cycles(found.graph) if found.graph is not None else ()
    others = [it for it, _ in cycles if it.kind != "runtime"]
    return DependencySection(
        dag_type=dag_type,
        nodes=len(graph.nodes),
        edges=len(graph.edges),
        references={kind: dict(counts) for kind, counts in graph.outcomes.items()},
        most_depended_on=[
            NodeDegree(name=graph.nodes[at].id, dependents=users[at], depends_on=used[at])
            for at in ranked
        ],
        cycles=[
            DependencyCycle(len(it.files), list(it.path), "runtime", list(map(it.line, it.path)))
            for it in found.cycles
        ],
        total_cycles=len(found.cycles),
        other_cycles=others,
        total_other_cycles=len(others),
        unresolved_imports=graph.unresolved_imports,
        unresolved_total=len(graph.unresolved_imports),
    )
