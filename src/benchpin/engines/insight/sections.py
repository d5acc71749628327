"""The analyses of a project as sections of one report, each cut to a length on demand."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from benchpin.core import Item, utf8
from benchpin.engines.metrics import complexity, debt
from benchpin.engines.metrics.dead_code import DeadCodeSummary, DeadItem
from benchpin.engines.metrics.debt_gradient import Severity
from benchpin.engines.metrics.duplicates import CloneGroup, DuplicateSummary
from benchpin.engines.metrics.graph import DagType, Graph, LostImport
from benchpin.engines.metrics.maintainability import measure_file
from benchpin.engines.source.index import FileFacts

from .findings import Cycle, Findings

_MOST_AUTHORS = 5
_MOST_FRAGMENTS = 6


class LanguageShare(Item):
    """How much of the code is in a language."""

    language: str
    files: int
    code_lines: int


class Symbol(Item):
    """A function or type."""

    name: str
    kind: str
    line: int
    end_line: int
    cyclomatic: int | None
    """None for a type."""
    cognitive: int | None


class AstContext(Item):
    """What a file is made of."""

    file: str
    language: str
    lines: int
    code_lines: int
    functions: int
    types: int
    imports: int
    maintainability_index: float
    symbols: list[Symbol]
    """The first by line, as many as there is room for."""


class AstSummary(Item):
    """All files together."""

    files: int
    functions: int
    types: int
    languages: list[LanguageShare]


class ComplexFunction(Item):
    """A function over a threshold."""

    file: str
    line: int
    function: str
    severity: complexity.Severity
    cyclomatic: int
    cognitive: int


class ComplexitySection(Item):
    """How complex all functions are, those of tests too."""

    summary: complexity.ComplexitySummary
    violations: list[ComplexFunction]
    total: int


class ChangedFile(Item):
    """A file that changed in the period."""

    file: str
    commits: int
    authors: int
    additions: int | None
    deletions: int | None
    churn_score: float


class ChangedTogether(Item):
    """Two files that change together."""

    first: str
    second: str
    shared_commits: int
    degree: float


class ChurnSection(Item):
    """What changed in the period, code or not."""

    period_days: int
    commits: int
    authors: int
    additions: int
    deletions: int
    files: list[ChangedFile]
    total: int
    coupling: list[ChangedTogether]
    coupling_total: int


class NodeDegree(Item):
    """A node that much depends on."""

    name: str
    dependents: int
    depends_on: int


class ImportCycle(Item):
    """Files that import one another, and a shortest way around."""

    size: int
    path: list[str]


class DependencySection(Item):
    """The dependency graph."""

    dag_type: DagType
    nodes: int
    edges: int
    references: dict[str, dict[str, int]]
    """What became of imports, calls or bases, by kind."""
    most_depended_on: list[NodeDegree]
    cycles: list[ImportCycle]
    """Of files that import one another, whatever graph was asked for."""
    total_cycles: int
    unresolved_imports: list[LostImport]
    unresolved_total: int


class DeadCodeSection(Item):
    """What nothing uses."""

    summary: DeadCodeSummary
    items: list[DeadItem]
    total: int


class DebtSection(Item):
    """What comments admit."""

    summary: debt.DebtSummary
    items: list[debt.DebtItem]
    total: int


class DuplicatesSection(Item):
    """Code that stands more than once, in tests too."""

    summary: DuplicateSummary
    groups: list[CloneGroup]
    total: int


class GradientFile(Item):
    """How fast a file gathers debt."""

    file: str
    score: float
    severity: Severity
    estimated_hours: float


class GradientSection(Item):
    """The files that gather debt, the fastest first."""

    by_severity: dict[str, int]
    files: list[GradientFile]
    total: int


class LikelyDefect(Item):
    """A file and how likely it has a defect."""

    file: str
    probability: float


class DefectSection(Item):
    """The files, the most likely to have a defect first."""

    files: list[LikelyDefect]
    total: int


class Analyses(Item):
    """Every analysis; None is one that was not asked for or could not be made."""

    ast_summary: AstSummary | None
    ast_contexts: list[AstContext] | None
    """The biggest files first."""
    complexity_report: ComplexitySection | None
    churn_analysis: ChurnSection | None
    dependency_graph: DependencySection | None
    dead_code_results: DeadCodeSection | None
    satd_results: DebtSection | None
    duplicates: DuplicatesSection | None
    debt_gradient: GradientSection | None
    defect_probability: DefectSection | None


def analyses_of(
    found: Findings, chosen: Graph | None, dag_type: DagType, most: int | None
) -> Analyses:
    """Return every section with lists up to a length; None cuts nothing.

    `chosen` is the graph that was asked for.
    """
    has_ast = "ast" in found.wanted
    return Analyses(
        ast_summary=_ast_summary(found.files) if has_ast else None,
        ast_contexts=_ast_contexts(found.files, most) if has_ast else None,
        complexity_report=_complexity(found, most),
        churn_analysis=_churn(found, most),
        dependency_graph=_dependencies(chosen, found, dag_type, most),
        dead_code_results=_dead_code(found, most),
        satd_results=_debt(found, most),
        duplicates=_duplicates(found, most),
        debt_gradient=_gradients(found, most),
        defect_probability=_defects(found, most),
    )


def _ast_summary(files: Sequence[FileFacts]) -> AstSummary:
    shares = defaultdict[str, list[int]](list)
    for file in files:
        shares[file.language].append(file.outline.code_lines)
    languages = [
        LanguageShare(language=name, files=len(sizes), code_lines=sum(sizes))
        for name, sizes in shares.items()
    ]
    return AstSummary(
        files=len(files),
        functions=sum(len(file.outline.functions) for file in files),
        types=sum(len(file.outline.types) for file in files),
        languages=sorted(languages, key=lambda it: (-it.code_lines, it.language)),
    )


def _ast_contexts(files: Sequence[FileFacts], most: int | None) -> list[AstContext]:
    biggest = sorted(files, key=lambda it: (-it.outline.code_lines, it.path))
    return [_ast_context(file, most) for file in biggest[:most]]


def _ast_context(file: FileFacts, most: int | None) -> AstContext:
    outline = file.outline
    symbols = [
        Symbol(
            name=it.name,
            kind=it.kind,
            line=it.line,
            end_line=it.end_line,
            cyclomatic=it.cyclomatic,
            cognitive=it.cognitive,
        )
        for it in outline.functions[: None if most is None else 0]
    ]
    symbols += [
        Symbol(
            name=it.name,
            kind=it.kind,
            line=it.line,
            end_line=it.end_line,
            cyclomatic=None,
            cognitive=None,
        )
        for it in outline.types[:most]
    ]
    return AstContext(
        file=file.path,
        language=file.language,
        lines=outline.lines,
        code_lines=outline.code_lines,
        functions=len(outline.functions),
        types=len(outline.types),
        imports=len(file.links.imports),
        maintainability_index=round(measure_file(outline).maintainability_index, 1),
        symbols=sorted(symbols, key=lambda it: (it.line, it.name)),
    )


def _complexity(found: Findings, most: int | None) -> ComplexitySection | None:
    if "complexity" not in found.wanted:
        return None
    violations = complexity.find_violations(found.files, complexity.Thresholds())
    worst = {(it.file, it.function.line, it.function.name): it for it in reversed(violations)}
    functions = list(reversed(worst.values()))
    return ComplexitySection(
        summary=complexity.summarize(found.files, violations),
        violations=[
            ComplexFunction(
                file=it.file,
                line=it.function.line,
                function=it.function.name,
                severity=it.severity,
                cyclomatic=it.function.cyclomatic,
                cognitive=it.function.cognitive,
            )
            for it in functions[:most]
        ],
        total=len(functions),
    )


def _churn(found: Findings, most: int | None) -> ChurnSection | None:
    churn = found.churn
    if churn is None:
        return None
    return ChurnSection(
        period_days=found.period_days,
        commits=churn.commits,
        authors=len(churn.authors),
        additions=churn.additions,
        deletions=churn.deletions,
        files=[
            ChangedFile(
                file=utf8(it.path),
                commits=it.commit_count,
                authors=it.unique_authors,
                additions=it.additions,
                deletions=it.deletions,
                churn_score=round(it.churn_score, 4),
            )
            for it in churn.files[:most]
        ],
        total=len(churn.files),
        coupling=[
            ChangedTogether(
                first=utf8(it.first),
                second=utf8(it.second),
                shared_commits=it.shared_commits,
                degree=round(it.degree, 4),
            )
            for it in churn.coupling[:most]
        ],
        coupling_total=len(churn.coupling),
    )


def _dependencies(
    chosen: Graph | None, found: Findings, dag_type: DagType, most: int | None
) -> DependencySection | None:
    if chosen is None or found.cycles is None:
        return None
    pairs = chosen.pairs()
    used = Counter(source for source, _ in pairs)
    users = Counter(target for _, target in pairs)
    ranked = sorted(users, key=lambda at: (-users[at], chosen.nodes[at].id))
    return DependencySection(
        dag_type=dag_type,
        nodes=len(chosen.nodes),
        edges=len(chosen.edges),
        references={kind: dict(counts) for kind, counts in chosen.outcomes.items()},
        most_depended_on=[
            NodeDegree(name=chosen.nodes[at].id, dependents=users[at], depends_on=used[at])
            for at in ranked[:most]
        ],
        cycles=[_cycle(it) for it in found.cycles[:most]],
        total_cycles=len(found.cycles),
        unresolved_imports=chosen.lost_imports[:most],
        unresolved_total=len(chosen.lost_imports),
    )


def _cycle(it: Cycle) -> ImportCycle:
    return ImportCycle(size=len(it.files), path=list(it.way))


def _dead_code(found: Findings, most: int | None) -> DeadCodeSection | None:
    dead = found.dead_code
    if dead is None:
        return None
    return DeadCodeSection(summary=dead.summary, items=dead.items[:most], total=len(dead.items))


def _debt(found: Findings, most: int | None) -> DebtSection | None:
    admitted = found.debt
    if admitted is None:
        return None
    top_files = len(found.files) if most is None else most
    summary = debt.summarize(admitted, admitted.items, top_files)
    return DebtSection(summary=summary, items=admitted.items[:most], total=len(admitted.items))


def _duplicates(found: Findings, most: int | None) -> DuplicatesSection | None:
    clones = found.duplicates
    if clones is None:
        return None
    groups = clones.groups[:most]
    if most is not None:
        groups = [
            it.model_copy(update={"fragments": it.fragments[:_MOST_FRAGMENTS]}) for it in groups
        ]
    return DuplicatesSection(summary=clones.summary, groups=groups, total=len(clones.groups))


def _gradients(found: Findings, most: int | None) -> GradientSection | None:
    gradients = found.gradients
    if gradients is None:
        return None
    return GradientSection(
        by_severity=dict(sorted(Counter(it.severity for it in gradients).items())),
        files=[
            GradientFile(
                file=it.file,
                score=round(it.score, 3),
                severity=it.severity,
                estimated_hours=round(it.estimated_hours, 1),
            )
            for it in gradients[:most]
        ],
        total=len(gradients),
    )


def _defects(found: Findings, most: int | None) -> DefectSection | None:
    if found.defects is None:
        return None
    ranked = sorted(found.defects.items(), key=lambda it: (-it[1], it[0]))
    return DefectSection(
        files=[LikelyDefect(file=path, probability=round(it, 4)) for path, it in ranked[:most]],
        total=len(ranked),
    )
